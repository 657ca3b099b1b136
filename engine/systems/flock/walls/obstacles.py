"""The surfaces of a world that the agents of a flock avoid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....errors import SpecError
from ....mesh.graph.tree import Tree, build_tree, fit_boxes
from ....mesh.voxel.within import are_within
from ....spec import Ignore, names_of
from ....spec.rules import CONTACT
from ....world.builder import Builder, Surface
from ..columns import Walls

# Triangles whose longest sides differ by more than about this factor are in separate trees.
ALIKE = 8.0


def walls_for(
    name: str, rules: Sequence[Any], builder: Builder, x: np.ndarray, tied: frozenset[str] = frozenset()
) -> Walls:
    """Triangles of all bodies in contact with a flock; edges without a triangle become ones with two equal corners.

    Args: rules: of the world, of which the last matching contact rule decides; x: (n, 3) of the world [m]; tied: bodies
        attached to agents, whose loose edges are no obstacles: ropes that agents tow.
    """
    corners = [np.zeros((0, 3), dtype=np.int32)]
    for body, surface in zip(builder.bodies, builder.surfaces, strict=True):
        if surface is None or not surface.is_touched or not _touches(name, body.name, rules):
            continue
        corners.append(surface.triangles + np.int32(body.start))
        if body.name not in tied:
            corners.append(_loose_edges(surface)[:, [0, 1, 1]] + np.int32(body.start))
    corner = np.ascontiguousarray(np.concatenate(corners))
    if len(corner) == 0:
        none, empty = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
        return Walls(corner, none, none, none, none, empty, empty, empty, none, empty, np.zeros(1))
    return as_walls(x, corner, forest(x, corner))


def as_walls(x: np.ndarray, corner: np.ndarray, tree: Tree) -> Walls:
    """Triangles (t, 3) and the tree over them as an argument of kernels."""
    low, high = np.zeros((2, len(tree.skip), 3))
    particle = np.unique(corner).astype(np.int64)
    fit_boxes(x, corner, tree.order, tree.first, tree.last, tree.skip, low, high)
    points = np.ascontiguousarray(x[corner[tree.order]].reshape(-1, 3))
    return Walls(
        corner, tree.order, tree.first, tree.last, tree.skip, low, high, points, particle, x[particle], np.zeros(1)
    )


def forest(x: np.ndarray, corner: np.ndarray) -> Tree:
    """One tree per size class of triangles (t, 3), concatenated: a ground would stretch the boxes of objects on it.

    `skip` of a tree's root is the root of the next one, so a traversal visits all of them.
    """
    sides = np.ptp(x[corner], axis=1).max(axis=1)
    size = np.floor(np.log(np.maximum(sides, 1e-9)) / math.log(ALIKE)).astype(np.int64)
    trees, nodes, places = [], 0, 0
    for one in np.unique(size):
        own = np.flatnonzero(size == one)
        tree = build_tree(x, corner[own])
        trees.append(
            (own[tree.order], *(np.where(tree.last > tree.first, end + places, 0) for end in (tree.first, tree.last)),
             tree.skip + nodes)
        )
        nodes, places = nodes + len(tree.skip), places + len(own)
    return Tree(*(np.concatenate(parts) for parts in zip(*trees, strict=True)))


def _loose_edges(surface: Surface) -> np.ndarray:
    """Edges of a surface that belong to no triangle, (e, 2) int32."""
    sides = np.sort(surface.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1).astype(np.int64)
    edges = np.sort(surface.edges, axis=1).astype(np.int64)
    most = 1 + max(sides.max(initial=0), edges.max(initial=0))
    return surface.edges[~np.isin(edges @ [most, 1], sides @ [most, 1])].astype(np.int32)


def refuse_inside(name: str, rules: Sequence[Any], builder: Builder, x: np.ndarray, places: np.ndarray) -> None:
    """Raise SpecError for agents (n, 3) [m] that start inside a collider, which they could never leave."""
    for body, surface in zip(builder.bodies, builder.surfaces, strict=True):
        is_closed = body.traits.is_wall and surface is not None and surface.closed.any()
        if not is_closed or not _touches(name, body.name, rules):
            continue
        vertices, triangles = x[body.start : body.stop], surface.triangles[surface.closed[surface.part]]
        inside = np.flatnonzero(are_within(vertices, triangles, places))
        if len(inside):
            raise SpecError(
                name, "positions", f"{len(inside)} of {len(places)} agents inside {body.name}, the first at "
                f"{np.round(places[inside[0]], 3).tolist()}",
                "places outside of every closed collider; a tank or a room needs a side that is open",
            )


def _touches(name: str, other: str, rules: Sequence[Any]) -> bool:
    """Whether the last matching contact rule lets two bodies touch."""
    touches = name != other
    for rule in rules:
        one, two = set(names_of(rule.a)), set(names_of(rule.b))
        fits = ({name, "*"} & one and {other, "*"} & two) or ({name, "*"} & two and {other, "*"} & one)
        if rule.family == CONTACT and fits:
            touches = not isinstance(rule, Ignore)
    return touches
