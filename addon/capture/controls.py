"""Frame → Controls: positions of pins and colliders, and keyed settings."""

from __future__ import annotations

from contextlib import AbstractContextManager

import bpy
import numpy as np

from ...engine import Controls
from .captured import Captured, CapturedBody, CapturedCollider
from .errors import CaptureError
from .flock_aims import places_of
from .keyed import keyed_values
from .mesh import inverse, is_flat, read_positions, refuse_changed_count, transform, world_matrix
from .nozzle import nozzle_pose
from .outside import outside_controls
from .rigid import parent_matrix, split
from .soft_pins import holder_name, holder_places
from .stack import bare


def capture_controls(captured: Captured, scene: bpy.types.Scene, frame: int) -> Controls:
    """External input at a frame; changes the scene's frame only if something may have moved.

    Raises:
        CaptureError: an object is gone, has changed its vertex count, or is a collider scaled to zero or below.
    """
    if not captured.is_visited:
        return Controls()
    with _without_flotsam_modifiers(captured):
        scene.frame_set(frame)
        return _controls(captured, scene)


def controls_now(captured: Captured, scene: bpy.types.Scene) -> Controls:
    """External input at the current frame of the scene.

    Raises:
        CaptureError: as `capture_controls`.
    """
    with _without_flotsam_modifiers(captured):
        return _controls(captured, scene)


def _without_flotsam_modifiers(captured: Captured) -> AbstractContextManager[None]:
    """Context without Flotsam's modifiers on bodies whose mesh before these modifiers may change."""
    return bare(baked_object(body.name) for body in captured.bodies if body.deforms or body.count_may_change)


def _controls(captured: Captured, scene: bpy.types.Scene) -> Controls:
    visited = [body for body in captured.bodies if body.needs_visits]
    objects = {body.name: baked_object(body.name) for body in visited}
    collider_objects = {collider.name: _object_by_name(collider.name) for collider in captured.colliders}
    depsgraph = depsgraph_of(scene)
    depsgraph.update()
    for body in visited:
        if body.count_may_change:
            refuse_changed_count(objects[body.name], depsgraph, body.points)
    frame = scene.frame_current
    pins = {
        body.name: _places(body, body.kinematic, objects[body.name], depsgraph)
        for body in visited if len(body.kinematic)
    }
    poses = {
        body.name: split(world_matrix(objects[body.name].evaluated_get(depsgraph)))[0]
        for body in visited if body.rigid is not None and body.rigid.is_kinematic
    }
    poses |= {
        body.name: nozzle_pose(_object_by_name(body.nozzle), body.name, depsgraph)
        for body in visited if body.nozzle_moves
    }
    values = {
        name: keyed_values(_object_by_name(name), fields, depsgraph) for name, fields in captured.keyed.items()
    }
    colliders = {
        collider.name: _collider_target(collider, collider_objects[collider.name], depsgraph, frame)
        for collider in captured.colliders if not collider.has_waves
    }
    water = {
        sea.name: _surface(sea, collider_objects[sea.name], depsgraph, frame)
        for sea in captured.colliders if sea.has_waves
    }
    colliders |= {
        holder_name(body.name): holder_places(
            _places(body, body.soft_pins.vertices, objects[body.name], depsgraph)
        )
        for body in visited if body.soft_pins is not None
    }
    flocks = {
        body.name: places_of(body.aims, body.name, depsgraph)
        for body in visited if body.aims is not None and body.aims.moves
    }
    outside, outside_values = outside_controls(captured.outside, scene, depsgraph)
    return Controls(
        pins=pins, poses=poses, colliders=colliders, water=water, flocks=flocks,
        values=values | outside_values, **outside,
    )


def local_matrices(captured: Captured, scene: bpy.types.Scene) -> dict[str, np.ndarray]:
    """World-to-object matrix (4, 4) float64 of every body at the current frame, by name.

    For bodies that are baked to keyframes it maps to the space of their matrix_basis, that of the parent.

    Raises:
        CaptureError: an object is gone, or its scale has become zero.
    """
    depsgraph = depsgraph_of(scene) if any(body.moves for body in captured.bodies) else None
    matrices = {}
    for body in captured.bodies:
        matrix = body.matrix
        if body.moves:
            evaluated = baked_object(body.name).evaluated_get(depsgraph)
            matrix = parent_matrix(evaluated) if body.as_keys else world_matrix(evaluated)
        _refuse_flat(body.name, matrix, scene.frame_current)
        matrices[body.name] = inverse(matrix)
    return matrices


def _refuse_flat(name: str, matrix: np.ndarray, frame: int) -> None:
    if is_flat(matrix):
        raise CaptureError(f"{name} is scaled to zero at frame {frame}; keep its scale away from 0.")


def baked_object(name: str) -> bpy.types.Object:
    """The local object of that name; raises CaptureError if it was deleted or renamed."""
    return _require(bpy.data.objects.get((name, None)), name)


def _object_by_name(name: str) -> bpy.types.Object:
    """The object of that full name, including linked ones; raises CaptureError if it is gone."""
    local = bpy.data.objects.get((name, None))
    return _require(local or next((obj for obj in bpy.data.objects if obj.name_full == name), None), name)


def _require(obj: bpy.types.Object | None, name: str) -> bpy.types.Object:
    if obj is None:
        raise CaptureError(f"{name} was deleted or renamed meanwhile; start again.")
    return obj


def depsgraph_of(scene: bpy.types.Scene) -> bpy.types.Depsgraph:
    """The up-to-date dependency graph of the scene's active view layer."""
    context = bpy.context
    if context.scene == scene:
        return context.evaluated_depsgraph_get()
    with context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
        return bpy.context.evaluated_depsgraph_get()


def _places(
    body: CapturedBody, vertices: np.ndarray, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> np.ndarray:
    """Target positions of vertices (p,) of an object [m], (p, 3) float64 in world space."""
    local = read_positions(obj, depsgraph, body.points) if body.deforms else body.local
    return transform(world_matrix(obj.evaluated_get(depsgraph)), local[vertices])


def _checked_matrix(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, frame: int) -> np.ndarray:
    """matrix_world (4, 4) of an object; raises CaptureError if it is not finite, or scaled to zero."""
    matrix = world_matrix(obj.evaluated_get(depsgraph))
    if not np.isfinite(matrix).all():
        raise CaptureError(f"{obj.name} has no finite place in the world; check its location, rotation and scale.")
    _refuse_flat(obj.name, matrix, frame)
    return matrix


def _surface(
    sea: CapturedCollider, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, frame: int
) -> np.ndarray:
    """Vertices of the surface of a water with waves [m], (n, 3)."""
    matrix = _checked_matrix(obj, depsgraph, frame)
    return transform(matrix, read_positions(obj, depsgraph, len(sea.local)) if sea.deforms else sea.local)


def _collider_target(
    collider: CapturedCollider, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, frame: int
) -> np.ndarray:
    """Pose (4, 4) of a collider relative to its start; or its vertices [m], (n, 3), if it is deformed."""
    matrix = _checked_matrix(obj, depsgraph, frame)
    if np.linalg.det(matrix[:3, :3]) * np.linalg.det(collider.matrix[:3, :3]) < 0.0:
        raise CaptureError(
            f"{obj.name} is turned inside out by a scale below 0 at frame {frame}; keep the signs that it starts with."
        )
    if collider.deforms:
        local = read_positions(obj, depsgraph, len(collider.local))
        if not np.array_equal(local, collider.local):
            return transform(matrix, local)
    return matrix @ inverse(collider.matrix)
