"""The surfaces of a world that the agents of a flock keep away from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...compiler.kernels import parallel_kernel, prange
from ...errors import SpecError
from ...mesh.graph.tree import build_tree, fit_boxes
from ...mesh.voxel.winding import DipoleTree, fit_dipoles, winding_number
from ...spec import Ignore, names_of
from ...spec.rules import CONTACT
from ...world.builder import Builder
from .columns import Walls

# Inside is where a surface goes round a point more than this.
INSIDE = 0.5


def walls_for(name: str, rules: Sequence[Any], builder: Builder, x: np.ndarray) -> Walls:
    """Triangles of all bodies that touch a flock.

    Args: rules: of the world, of which the last of contact decides; x: (n, 3) of the world [m].
    """
    corners = [np.zeros((0, 3), dtype=np.int32)]
    for body, surface in zip(builder.bodies, builder.surfaces, strict=True):
        if surface is not None and surface.is_touched and len(surface.triangles) and _touches(name, body.name, rules):
            corners.append(surface.triangles + np.int32(body.start))
    corner = np.ascontiguousarray(np.concatenate(corners))
    none = np.zeros(0, dtype=np.int64)
    if len(corner) == 0:
        return Walls(corner, none, none, none, none, np.zeros((0, 3)), np.zeros((0, 3)))
    tree = build_tree(x, corner)
    nodes = len(tree.skip)
    return Walls(corner, tree.order, tree.first, tree.last, tree.skip, np.zeros((nodes, 3)), np.zeros((nodes, 3)))


def follow_walls(walls: Walls, x: np.ndarray) -> None:
    """Put the boxes of the tree around its triangles where they are now."""
    if len(walls.skip):
        fit_boxes(x, walls.corner, walls.order, walls.first, walls.last, walls.skip, walls.low, walls.high)


def refuse_inside(name: str, rules: Sequence[Any], builder: Builder, x: np.ndarray, places: np.ndarray) -> None:
    """Raise SpecError for agents (n, 3) [m] that start within a collider, which they could never leave."""
    for body, surface in zip(builder.bodies, builder.surfaces, strict=True):
        is_closed = body.traits.is_wall and surface is not None and surface.hollow.any()
        if not is_closed or not _touches(name, body.name, rules):
            continue
        vertices, triangles = x[body.start : body.stop], surface.triangles[surface.hollow]
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        near = np.flatnonzero(((places > low) & (places < high)).all(axis=1))
        inside = near[np.abs(_winding_at(vertices, triangles, places[near])) > INSIDE] if len(near) else near
        if len(inside):
            raise SpecError(
                name, "positions", f"{len(inside)} of {len(places)} agents inside {body.name}, the first at "
                f"{np.round(places[inside[0]], 3).tolist()}", "places outside of every collider",
            )


def _touches(name: str, other: str, rules: Sequence[Any]) -> bool:
    """Whether the last rule of contact that fits lets two bodies touch."""
    touches = name != other
    for rule in rules:
        one, two = set(names_of(rule.a)), set(names_of(rule.b))
        fits = ({name, "*"} & one and {other, "*"} & two) or ({name, "*"} & two and {other, "*"} & one)
        if rule.family == CONTACT and fits:
            touches = not isinstance(rule, Ignore)
    return touches


def _winding_at(vertices: np.ndarray, triangles: np.ndarray, places: np.ndarray) -> np.ndarray:
    """How often triangles (t, 3) go round each of some places (m, 3), (m,)."""
    tree = build_tree(vertices, triangles)
    nodes = len(tree.skip)
    middle, area, size = np.zeros((nodes, 3)), np.zeros((nodes, 3)), np.zeros(nodes)
    dipoles = DipoleTree(tree.order, tree.first, tree.last, tree.skip, middle, area, size, np.zeros(nodes))
    fit_dipoles(vertices, triangles, *dipoles)
    found = np.zeros(len(places))
    _wind_all(vertices, triangles, dipoles, np.ascontiguousarray(places), found)
    return found


@parallel_kernel
def _wind_all(x, triangles, tree, places, found):
    for i in prange(places.shape[0]):
        found[i] = winding_number(x, triangles, tree, 0.0, places[i, 0], places[i, 1], places[i, 2])[0]
