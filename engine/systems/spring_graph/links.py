"""Links of a spring graph with their stiffness, also for previews of a body without a world."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...errors import SpecError
from ...mesh.graph.edges import pair_keys, triangle_edges, unique_pairs
from ...mesh.graph.links import build_links, lengths, refuse_contradictions, sheet_weights
from ...mesh.graph.parts import find_parts
from ...mesh.graph.radius import stiffness_fraction
from ...spec import SpringGraphSpec
from ...spec.check import check_params, indices, points, shares


@dataclass(frozen=True, eq=False)
class BodySprings:
    """All springs of a body, as built.

    Attributes:
        pairs: (s, 2) int32 vertices; rest: (s,) [m]; stiffness: (s,) [N/m], None for edges that only show stretch.
        strut: (s,) bool, whether the link runs through the body and exists only because of *Struts*.
    """

    pairs: np.ndarray
    rest: np.ndarray
    stiffness: np.ndarray | None
    strut: np.ndarray


def strengths(
    spec: SpringGraphSpec, links: np.ndarray, rim_edges: np.ndarray, vertex_weights: dict[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness [N/m] and damping [N·s/m] of links (s, 2), (s,) each.

    Args: rim_edges: (r, 2) edges with one face; vertex_weights: vertex weights of the weighted fields, (n,) each.
    """
    (a, b), weighted = links.T, spec.weights or ()
    stiffness, damping = (
        getattr(spec, field) * (
            0.5 * (vertex_weights[field][a] + vertex_weights[field][b]) if field in weighted else np.ones(len(links))
        )
        for field in ("stiffness", "damping")
    )
    stands_for = None
    if spec.graph == "SURFACE" and spec.rings == 1:
        stands_for = sheet_weights(links, rim_edges)
    elif spec.graph == "RADIUS":
        x = points(spec.name, "vertices", spec.vertices)
        stands_for = stiffness_fraction(x, lengths(x, links))
    if stands_for is not None:
        stiffness, damping = stiffness * stands_for, damping * stands_for
    return of_edges(spec, "edge_stiffness", links, stiffness), of_edges(spec, "edge_damping", links, damping)


def of_edges(spec: SpringGraphSpec, field: str, links: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values of links (s,), replaced by those in the spec's `field` for edges if it has one value per edge.

    Raises:
        SpecError: not one number for each edge, one not finite or below 0, or one edge twice with different numbers.
    """
    given = getattr(spec, field)
    if given is None:
        return values
    given = np.asarray(given, dtype=np.float64).reshape(-1)
    edges = np.zeros((0, 2), dtype=np.int64) if spec.edges is None else np.asarray(spec.edges).reshape(-1, 2)
    if len(given) != len(edges):
        raise SpecError(spec.name, field, f"{len(given)} values", f"one for each of the {len(edges)} edges")
    bad = np.flatnonzero(~((given >= 0.0) & np.isfinite(given)))
    if len(bad):
        raise SpecError(spec.name, field, f"{given[bad[0]]} at edge {bad[0]}", "finite numbers from 0 up")
    key, _span = pair_keys(np.concatenate([edges, links]))
    own, key = key[: len(edges)], key[len(edges) :]
    order = np.argsort(own, kind="stable")
    refuse_contradictions(spec.name, field, edges, given)
    place = np.minimum(np.searchsorted(own[order], key), max(len(own) - 1, 0))
    found = order[place] if len(own) else place
    return np.where(own[found] == key, given[found], values) if len(own) else values


def springs_of(spec: SpringGraphSpec) -> BodySprings:
    """The springs that a world would give a body; only struts need compiled kernels.

    Raises:
        SpecError: as `build_world`.
    """
    check_params(spec.name, spec)
    vertices = points(spec.name, "vertices", spec.vertices)
    triangles = indices(spec.name, "triangles", spec.triangles, 3, len(vertices))
    edges = indices(spec.name, "edges", spec.edges, 2, len(vertices))
    if spec.graph == "LATTICE":
        # Stretch is visible at the edges of the embedded mesh only.
        pairs = unique_pairs(edges if len(edges) else triangle_edges(triangles))
        none = np.zeros(len(pairs), dtype=bool)
        return BodySprings(pairs, lengths(vertices, pairs), None, none)
    pairs, rest = build_links(spec, vertices, triangles, edges)
    stiffness, _damping = strengths(
        spec, pairs, find_parts(vertices, triangles).rim_edges, shares(spec.name, spec, len(vertices))
    )
    strut = np.zeros(len(pairs), dtype=bool)
    if spec.graph == "SURFACE" and spec.struts:
        without, _rest = build_links(replace(spec, struts=0, rest_lengths=None), vertices, triangles, edges)
        own, others = np.split(pair_keys(np.concatenate([pairs, without]))[0], [len(pairs)])
        strut = ~np.isin(own, others)
    return BodySprings(pairs, rest, stiffness, strut)
