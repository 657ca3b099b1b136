"""The spec of a torn body: particles take the place of vertices, and tables are built as for any other body."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....errors import SpecError
from ....mesh.graph.components import components
from ....mesh.graph.edges import pair_keys, triangle_edges, unique_pairs
from ....mesh.graph.links import given_rest, lengths
from ....mesh.graph.parts import Parts, find_parts, measure_parts, triangle_areas
from ....mesh.graph.rings import ring_links
from ....mesh.graph.tree import PATCH, Tree, build_tree
from ....mesh.tear.corners import Corners, find_corners
from ....mesh.tear.torn_mesh import TornMesh
from ....spec import SpringGraphSpec
from ....spec.check import indices, points
from ..mass import vertex_masses
from ..pin_noise import hashed
from .sides import Sides, TornSides, find_sides

# Spare particles: one for each corner that may get its own, but at most this many or one for each vertex, if more.
FEWEST_SPARE = 4096
# A thickness of 0 in the spec means this fraction of the mean edge length.
THICKNESS_SHARE = 0.2
# Spec fields that a body with tears restricts, and their only allowed values.
_REFUSED = {"graph": "SURFACE", "struts": 0, "contact": "SURFACE", "pressure_law": "GAS", "is_led": False}
# Columns of the spec with a value for each edge.
_OF_EDGES = ("rest_lengths", "edge_stiffness", "edge_damping", "edge_break", "seams")


@dataclass(frozen=True, eq=False)
class WholeMesh:
    """Data of the whole mesh of a body that tears, which no tear changes.

    Attributes:
        corners: face corners; spare: number of spare particles.
        edges: (e, 2).
        oriented: (t, 3) corners of triangles, wound outward, by piece; tree: over these triangles.
        sides: pairs of corners of the same face that a spring joins, by the pair of vertices that they belong to.
        mass: (n,) of vertices [kg]; area: (t,) of the spec's triangles [m²]; around: (n,) of those at each vertex [m²].
        thickness: [m]; strength: (n,) fraction of the limit of a uniform mesh at which each vertex tears.
    """

    corners: Corners
    spare: int
    edges: np.ndarray
    oriented: np.ndarray
    tree: Tree
    sides: Sides
    mass: np.ndarray
    area: np.ndarray
    around: np.ndarray
    thickness: float
    strength: np.ndarray


def whole_mesh(spec: SpringGraphSpec) -> WholeMesh:
    """The whole mesh of a spec that tears.

    Raises:
        SpecError: the body cannot tear, or has vertices or edges without faces.
    """
    for field, allowed in _REFUSED.items():
        if getattr(spec, field) != allowed:
            raise SpecError(spec.name, field, getattr(spec, field), f"{allowed!r} for a body with Tear")
    vertices = points(spec.name, "vertices", spec.vertices)
    count = len(vertices)
    triangles = indices(spec.name, "triangles", spec.triangles, 3, count)
    if spec.triangle_corners is None:
        vertex, corner = triangles.reshape(-1), np.arange(3 * len(triangles), dtype=np.int32).reshape(-1, 3)
    else:
        vertex = indices(spec.name, "corners", spec.corners, 1, count)
        corner = indices(spec.name, "triangle_corners", spec.triangle_corners, 3, len(vertex))
        if corner.shape != triangles.shape or not np.array_equal(vertex[corner], triangles):
            raise SpecError(spec.name, "triangle_corners", f"shape {corner.shape}", "corners of the same triangles")
    _refuse_loose(spec, triangles, count)
    spare = min(len(vertex) - len(np.unique(vertex)), max(FEWEST_SPARE, count))
    corners, parts = find_corners(vertex, corner, count), find_parts(vertices, triangles)
    oriented, edges, area = _oriented(parts, triangles, corner), edges_of(spec), triangle_areas(vertices, triangles)
    noise = hashed(0, 0, int(spec.tear_seed), np.arange(count))[:, 0]
    return WholeMesh(
        corners, spare, edges, oriented, build_tree(vertices, parts.triangles, PATCH),
        find_sides(vertices, corners, oriented, edges), vertex_masses(spec, vertices, triangles, edges, parts),
        area, np.bincount(triangles.reshape(-1), np.repeat(area, 3), count),
        float(spec.thickness) or THICKNESS_SHARE * float(lengths(vertices, edges).mean()),
        1.0 - float(spec.tear_noise) * 0.5 * (noise + 1.0),
    )


def _oriented(parts: Parts, triangles: np.ndarray, corner: np.ndarray) -> np.ndarray:
    """Corners (t, 3) of the triangles of all pieces: sorted by piece, flipped and rotated relative to the spec's."""
    corner = corner[np.argsort(parts.vertex_part[triangles[:, 0]], kind="stable")]
    triangles = triangles[np.argsort(parts.vertex_part[triangles[:, 0]], kind="stable")]
    place = (parts.triangles[:, :, None] == triangles[:, None, :]).argmax(axis=2)
    return np.take_along_axis(corner, place, axis=1)


def torn_mesh(whole: WholeMesh, particle: np.ndarray | None) -> TornMesh:
    """The torn mesh; particle: (c,) of each corner, None for a whole mesh."""
    count = len(whole.mass)
    return TornMesh(whole.corners, count, count + whole.spare, particle)


def _refuse_loose(spec: SpringGraphSpec, triangles: np.ndarray, count: int) -> None:
    alone = np.setdiff1d(np.arange(count), triangles)
    if len(alone):
        raise SpecError(spec.name, "tear", f"True, with vertex {alone[0]} in no face", "a mesh without loose vertices")
    if spec.edges is not None and len(spec.edges):
        edges = np.asarray(spec.edges).reshape(-1, 2)
        own = pair_keys(np.concatenate([triangle_edges(triangles), edges]))[0]
        if not np.isin(own[-len(edges) :], own[: -len(edges)]).all():
            raise SpecError(spec.name, "tear", "True, with edges in no face", "a mesh without loose edges")


def torn_spec(spec: SpringGraphSpec, whole: WholeMesh, torn: TornMesh, sides: TornSides) -> SpringGraphSpec:
    """The body with the particles in use as vertices, which inherit values of vertices and edges; sides: of `torn`."""
    of = torn.parent[: torn.used]
    vertices = np.asarray(spec.vertices, dtype=np.float64)
    columns = {
        name: np.asarray(getattr(spec, name))[of]
        for name in ("start", "velocity")
        if getattr(spec, name) is not None and np.shape(getattr(spec, name)) == vertices.shape
    }
    given = [name for name in _OF_EDGES if getattr(spec, name) is not None]
    if given:
        source = whole.sides.edge[sides.of[sides.faces > 0]]
        columns |= {name: np.asarray(getattr(spec, name))[source] for name in given}
    weights = {name: np.asarray(values)[of] for name, values in (spec.weights or {}).items()}
    return replace(
        spec, vertices=vertices[of], triangles=torn.triangles(), edges=sides.edges(), weights=weights,
        thickness=whole.thickness, segments=None, **columns,
    )


def edges_of(spec: SpringGraphSpec) -> np.ndarray:
    """Edges of the whole mesh, (e, 2)."""
    has_edges = spec.edges is not None and len(spec.edges)
    return np.asarray(spec.edges).reshape(-1, 2) if has_edges else unique_pairs(triangle_edges(spec.triangles))


def torn_links(
    spec: SpringGraphSpec, whole: WholeMesh, torn: TornMesh, sides: TornSides
) -> tuple[np.ndarray, np.ndarray]:
    """Links of the torn body, see `mesh.graph.links.build_links`; spec and sides: those of the torn body."""
    if spec.rest_lengths is None and int(spec.rings) == 1:
        return sides.pairs, whole.sides.rest[sides.of]
    pairs = ring_links(sides.pairs, torn.used, int(spec.rings))
    if spec.rest_lengths is not None:
        return given_rest(spec, spec.vertices, pairs, spec.edges)
    pairs = unique_pairs(pairs)
    return pairs, lengths(spec.vertices, pairs)


def torn_parts(vertices: np.ndarray, whole: WholeMesh, torn: TornMesh, sides: TornSides) -> tuple[Parts, Tree]:
    """Pieces of the torn body, and the tree over their triangles; vertices (n, 3) and sides: those of the torn body."""
    label, _rank = components(sides.edges(), torn.used)
    triangles = torn.particle[whole.oriented]
    part, tree = label[triangles[:, 0]], whole.tree
    order = np.argsort(part, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    parts = measure_parts(vertices, triangles[order], part[order], label, sides.rim.copy())
    return parts, replace(tree, order=place[tree.order])


def torn_masses(whole: WholeMesh, torn: TornMesh) -> np.ndarray:
    """Mass of each particle in use, (used,) [kg]: that of its vertex in the whole mesh, split by the area of faces."""
    own, together = np.bincount(torn.triangles().reshape(-1), np.repeat(whole.area, 3), torn.used), whole.around
    of = torn.parent[: torn.used]
    number = np.bincount(of, minlength=torn.vertex_count)
    return whole.mass[of] * np.where(together[of] > 0.0, own / np.maximum(together[of], 1e-300), 1.0 / number[of])
