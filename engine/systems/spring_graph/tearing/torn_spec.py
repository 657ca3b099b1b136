"""The spec of a body as it is torn: particles for vertices, from which tables are built as for any other body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....errors import SpecError
from ....mesh.graph.edges import pair_keys, triangle_edges, unique_pairs
from ....mesh.graph.links import lengths
from ....mesh.graph.parts import find_parts, triangle_areas
from ....mesh.tear.corners import find_corners
from ....mesh.tear.torn_mesh import TornMesh
from ....spec import SpringGraphSpec
from ....spec.check import indices, points
from ..mass import vertex_masses

# Spare particles: one for each corner that may get its own, but at most this many, or one for each vertex.
FEWEST_SPARE = 4096
# A thickness of 0 in the spec means this fraction of the mean edge length.
THICKNESS_SHARE = 0.2
# What a body that tears cannot have, and what it may have instead.
_REFUSED = {"graph": "SURFACE", "struts": 0, "contact": "SURFACE", "pressure_law": "GAS", "is_led": False}
# Columns of the spec with a value for each edge.
_OF_EDGES = ("rest_lengths", "edge_stiffness", "edge_damping", "edge_break", "seams")


def torn_mesh(spec: SpringGraphSpec, particle: np.ndarray | None) -> TornMesh:
    """The mesh of a spec that tears; particle: (c,) of each corner, None for a whole mesh.

    Raises:
        SpecError: the body cannot tear, or has vertices or edges without faces.
    """
    for field, allowed in _REFUSED.items():
        if getattr(spec, field) != allowed:
            raise SpecError(spec.name, field, getattr(spec, field), f"{allowed!r} for a body with Tear")
    count = len(points(spec.name, "vertices", spec.vertices))
    triangles = indices(spec.name, "triangles", spec.triangles, 3, count)
    if spec.triangle_corners is None:
        vertex, corners = triangles.reshape(-1), np.arange(3 * len(triangles), dtype=np.int32).reshape(-1, 3)
    else:
        vertex = indices(spec.name, "corners", spec.corners, 1, count)
        corners = indices(spec.name, "triangle_corners", spec.triangle_corners, 3, len(vertex))
        if corners.shape != triangles.shape or not np.array_equal(vertex[corners], triangles):
            raise SpecError(spec.name, "triangle_corners", f"shape {corners.shape}", "corners of the same triangles")
    _refuse_loose(spec, triangles, count)
    spare = min(len(vertex) - len(np.unique(vertex)), max(FEWEST_SPARE, count))
    return TornMesh(find_corners(vertex, corners, count), count, count + spare, particle)


def _refuse_loose(spec: SpringGraphSpec, triangles: np.ndarray, count: int) -> None:
    alone = np.setdiff1d(np.arange(count), triangles)
    if len(alone):
        raise SpecError(spec.name, "tear", f"True, with vertex {alone[0]} in no face", "a mesh without loose vertices")
    if spec.edges is not None and len(spec.edges):
        edges = np.asarray(spec.edges).reshape(-1, 2)
        own = pair_keys(np.concatenate([triangle_edges(triangles), edges]))[0]
        if not np.isin(own[-len(edges) :], own[: -len(edges)]).all():
            raise SpecError(spec.name, "tear", "True, with edges in no face", "a mesh without loose edges")


def torn_spec(spec: SpringGraphSpec, torn: TornMesh) -> SpringGraphSpec:
    """The body with particles in use for vertices, and values of vertices and edges taken over."""
    of = torn.parent[: torn.used]
    vertices = np.asarray(spec.vertices, dtype=np.float64)
    columns = {
        name: np.asarray(getattr(spec, name))[of]
        for name in ("start", "velocity")
        if getattr(spec, name) is not None and np.shape(getattr(spec, name)) == vertices.shape
    }
    edges, source = torn_edges(spec, torn)
    columns |= {
        name: np.asarray(getattr(spec, name))[source] for name in _OF_EDGES if getattr(spec, name) is not None
    }
    weights = {name: np.asarray(share)[of] for name, share in (spec.weights or {}).items()}
    thickness = float(spec.thickness) or THICKNESS_SHARE * float(lengths(vertices, _edges_of(spec)).mean())
    return replace(
        spec, vertices=vertices[of], triangles=torn.triangles(), edges=edges, weights=weights, thickness=thickness,
        segments=None, **columns,
    )


def _edges_of(spec: SpringGraphSpec) -> np.ndarray:
    """Edges of the whole mesh, (e, 2)."""
    has_edges = spec.edges is not None and len(spec.edges)
    return np.asarray(spec.edges).reshape(-1, 2) if has_edges else unique_pairs(triangle_edges(spec.triangles))


def torn_edges(spec: SpringGraphSpec, torn: TornMesh) -> tuple[np.ndarray, np.ndarray]:
    """Edges between particles, (m, 2) int32, and the edge of the whole mesh that each comes from, (m,)."""
    borders, edges = torn.corners.borders(), _edges_of(spec)
    pairs = unique_pairs(torn.particle[borders])
    keys, _span = pair_keys(np.concatenate([edges, torn.parent[pairs]]))
    own, wanted = keys[: len(edges)], keys[len(edges) :]
    order = np.argsort(own, kind="stable")
    return pairs, order[np.minimum(np.searchsorted(own[order], wanted), len(own) - 1)]


def torn_masses(spec: SpringGraphSpec, torn: TornMesh) -> np.ndarray:
    """Mass of each particle in use, (used,) [kg]: that of its vertex in the whole mesh, shared by the area of faces.

    Args: spec: of the whole mesh.
    """
    vertices = np.asarray(spec.vertices, dtype=np.float64)
    triangles = np.asarray(spec.triangles, dtype=np.int32)
    edges = _edges_of(spec)
    whole = vertex_masses(spec, vertices, triangles, edges, find_parts(vertices, triangles))
    area = np.repeat(triangle_areas(vertices, np.asarray(spec.triangles)), 3)
    own = np.bincount(torn.triangles().reshape(-1), area, torn.used)
    together = np.bincount(np.asarray(spec.triangles).reshape(-1), area, torn.vertex_count)
    of = torn.parent[: torn.used]
    number = np.bincount(of, minlength=torn.vertex_count)
    return whole[of] * np.where(together[of] > 0.0, own / np.maximum(together[of], 1e-300), 1.0 / number[of])
