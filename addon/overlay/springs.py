"""The springs of a body for the overlay: all that the solver has, or the mesh's edges while those are not known."""

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

# What says how a body is strung, beside its mesh.
_SETTINGS = ("graph", "rings", "struts", "stiffness")
_MOST_KEPT = 64

_kept: dict[tuple[Any, ...], BodySprings] = {}


def told(springs: BodySprings | None, rest: np.ndarray, edges: np.ndarray) -> dict[str, np.ndarray]:
    """What a `Subject` says of springs; without them, edges (e, 2) of the mesh as they are at rest (n, 3) [m]."""
    if springs is None:
        return {"edges": edges, "rest_lengths": np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)}
    return {
        "edges": springs.pairs, "rest_lengths": springs.rest, "stiffness": springs.stiffness, "strut": springs.strut,
    }


def springs_of_object(obj: bpy.types.Object, mesh: bpy.types.Mesh, rest: np.ndarray) -> BodySprings | None:
    """Asked of the engine once for each shape and setting; None where there are none, and while that has to wait.

    Args: mesh: that is solved; rest: its vertices at rest, (n, 3) [m] world space.
    """
    settings = getattr(obj, SETTINGS).spring_graph
    chosen = {name: getattr(settings, name) for name in _SETTINGS}
    weights = read_weights(obj, mesh, ("stiffness",))
    edges = read_edges(mesh)
    # Of large meshes the numbers that stand for them are kept, not the bytes.
    arrays = (rest, edges, *weights.values())
    key = (obj.name_full, *chosen.values(), *(hash(array.tobytes()) for array in arrays))
    if key not in _kept:
        triangles = read_triangles(mesh) if mesh.polygons else None
        if triangles is not None and np.linalg.det(world_matrix(obj)[:3, :3]) < 0.0:
            # A mirrored object is turned inside out, and struts would look for its far side outside.
            triangles = np.ascontiguousarray(triangles[:, ::-1])
        found = springs_at_rest(
            SpringGraphSpec(obj.name_full, rest, triangles, edges, weights=weights, **chosen), kernel_cache_folder()
        )
        if found is None:
            return None
        if len(_kept) > _MOST_KEPT:
            _kept.clear()
        _kept[key] = found
    return _kept[key]
