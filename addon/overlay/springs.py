"""The springs of a body for the overlay: those of the solver, or the mesh's edges until the springs are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...engine import SpringGraphSpec
from ..capture.mesh import read_edges, read_triangles, read_weights, world_matrix
from ..names import SETTINGS
from ..paths import kernel_cache_folder
from ..solver.springs import springs_at_rest

if TYPE_CHECKING:
    from ...engine.systems.spring_graph.links import BodySprings

# Settings that determine the springs, besides the mesh.
_SETTINGS = ("graph", "rings", "struts", "stiffness", "reach", "max_links")
_MOST_CACHED = 64

_cached: dict[tuple[Any, ...], BodySprings] = {}


def spring_fields(springs: BodySprings | None, rest: np.ndarray, edges: np.ndarray) -> dict[str, np.ndarray | None]:
    """Spring fields of a `Subject`; if springs are unknown, mesh edges (e, 2) with lengths at rest (n, 3) [m]."""
    if springs is None:
        return {"edges": edges, "rest_lengths": np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)}
    return {
        "edges": springs.pairs, "rest_lengths": springs.rest, "stiffness": springs.stiffness, "strut": springs.strut,
    }


def springs_of_object(obj: bpy.types.Object, mesh: bpy.types.Mesh, rest: np.ndarray) -> BodySprings | None:
    """Springs from the engine, computed once per shape and settings; None if there are none, or not yet available.

    Args: mesh: the mesh that is solved; rest: its vertices at rest, (n, 3) [m] world space.
    """
    settings = getattr(obj, SETTINGS).spring_graph
    chosen = {name: getattr(settings, name) for name in _SETTINGS}
    weights = read_weights(obj, mesh, ("stiffness",))
    edges = read_edges(mesh)
    # The key contains hashes instead of the bytes, to save memory for large meshes.
    arrays = (rest, edges, *weights.values())
    key = (obj.name_full, *chosen.values(), *(hash(array.tobytes()) for array in arrays))
    if key not in _cached:
        triangles = read_triangles(mesh) if mesh.polygons else None
        if triangles is not None and np.linalg.det(world_matrix(obj)[:3, :3]) < 0.0:
            # Mirroring inverts the surface, and struts would search for the opposite side outside.
            triangles = np.ascontiguousarray(triangles[:, ::-1])
        found = springs_at_rest(
            SpringGraphSpec(obj.name_full, rest, triangles, edges, weights=weights, **chosen), kernel_cache_folder()
        )
        if found is None:
            return None
        if len(_cached) > _MOST_CACHED:
            _cached.clear()
        _cached[key] = found
    return _cached[key]
