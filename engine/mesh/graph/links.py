"""Links of a spring graph: the vertex pairs that springs connect, and their rest lengths."""

from __future__ import annotations

import numpy as np

from ...errors import SpecError
from ...spec import SpringGraphSpec
from .edges import pair_keys, triangle_edges, unique_pairs
from .rings import ring_links, surface_pairs
from .struts import strut_links


def build_links(
    spec: SpringGraphSpec, vertices: np.ndarray, triangles: np.ndarray, edges: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Links of a spec.

    Args:
        vertices: (n, 3) float64 [m]; triangles: (t, 3) int32; edges: (e, 2) int32 as the user gave them.

    Returns:
        pairs (links, 2) int32, each pair once, and rest lengths (links,) float64 [m].

    Raises:
        SpecError: the mesh has neither faces nor edges to take springs from, or the given rest lengths do not fit.
    """
    if spec.graph == "RADIUS":
        pairs = links_by_distance(spec, vertices, triangles)
    elif spec.graph == "EDGES":
        pairs = edges if len(edges) else unique_pairs(triangle_edges(triangles))
    else:
        if len(triangles) == 0:
            raise SpecError(spec.name, "graph", spec.graph, 'a mesh with faces, or the graph "EDGES" for loose edges')
        sides = unique_pairs(edges if len(edges) else triangle_edges(triangles))
        pairs = ring_links(surface_pairs(triangles, sides), len(vertices), spec.rings)
        if spec.struts:
            pairs = unique_pairs(np.concatenate([pairs, strut_links(vertices, triangles, spec.struts)]))
    if spec.rest_lengths is not None:
        return given_rest(spec, vertices, pairs, edges)
    pairs = unique_pairs(pairs)
    return pairs, lengths(vertices, pairs)


def links_by_distance(spec: SpringGraphSpec, vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """All pairs nearer than the reach, only the nearest ones of each vertex, (s, 2) int32; raises SpecError."""
    # Imported here, because that module imports this one.
    from .radius import near_pairs, nearest_only, stays_inside

    if not spec.reach > 0.0:
        raise SpecError(spec.name, "reach", spec.reach, "a length above 0 m with the graph RADIUS")
    pairs = near_pairs(spec.name, vertices, float(spec.reach))
    if spec.keep_inside:
        if len(triangles) == 0:
            raise SpecError(spec.name, "keep_inside", True, "False, because the mesh has no faces")
        pairs = pairs[stays_inside(vertices, pairs, triangles, float(spec.reach))]
    pairs = pairs[nearest_only(pairs, lengths(vertices, pairs), len(vertices), int(spec.max_links))]
    if len(pairs) == 0:
        raise SpecError(spec.name, "reach", f"{spec.reach:g} m, at which no two vertices are linked", "a longer reach")
    return pairs


def lengths(vertices: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Distance between the two vertices of each pair [m], (pairs,)."""
    return np.linalg.norm(vertices[pairs[:, 0]] - vertices[pairs[:, 1]], axis=1)


def sheet_weights(links: np.ndarray, rim_edges: np.ndarray) -> np.ndarray:
    """Stiffness weight of each link relative to an interior one, (links,): 0.5 along an open edge, else 1.

    An interior link represents half of the faces on both sides, a link on the rim those on one side only. With this
    weight a square sheet of n x n vertices has the same stiffness for every n.
    """
    weights = np.ones(len(links))
    is_at_rim = np.zeros(int(max(links.max(initial=-1), rim_edges.max(initial=-1))) + 1, dtype=bool)
    is_at_rim[rim_edges] = True
    near = np.flatnonzero(is_at_rim[links[:, 0]] & is_at_rim[links[:, 1]])
    rim, own = np.split(pair_keys(np.concatenate([rim_edges, links[near]]))[0], [len(rim_edges)])
    weights[near[np.isin(own, rim)]] = 0.5
    return weights


def refuse_contradictions(name: str, field: str, edges: np.ndarray, values: np.ndarray) -> None:
    """Refuse edges (e, 2) that are given twice with different values (e,); raises SpecError."""
    key = pair_keys(edges)[0]
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero((np.diff(key[order]) == 0) & (np.diff(values[order]) != 0.0))
    if len(twice):
        one, other = order[twice[0]], order[twice[0] + 1]
        raise SpecError(
            name, field, f"{values[one]:g} and {values[other]:g} for edges {one} and {other}, which are the same",
            "one value for each pair of vertices",
        )


def given_rest(
    spec: SpringGraphSpec, vertices: np.ndarray, pairs: np.ndarray, edges: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Links with the user's rest lengths for edges; links that are not edges keep their measured length.

    Raises:
        SpecError: not one length for each edge, no length at all, or two for one edge.
    """
    own_rest = np.asarray(spec.rest_lengths, dtype=np.float64).reshape(-1)
    if len(own_rest) != len(edges):
        raise SpecError(spec.name, "rest_lengths", f"{len(own_rest)} values", f"one for each of the {len(edges)} edges")
    if not np.all(np.isfinite(own_rest)) or np.any(own_rest < 0.0):
        raise SpecError(spec.name, "rest_lengths", "a negative or infinite length", "finite lengths from 0 up")
    refuse_contradictions(spec.name, "rest_lengths", edges, own_rest)
    merged = unique_pairs(np.concatenate([pairs, edges]))
    rest = lengths(vertices, merged)
    span = len(vertices)
    key = merged[:, 0].astype(np.int64) * span + merged[:, 1]
    sides = np.sort(edges, axis=1).astype(np.int64)
    real = sides[:, 0] != sides[:, 1]
    rest[np.searchsorted(key, (sides[:, 0] * span + sides[:, 1])[real])] = own_rest[real]
    return merged, rest
