"""Blender's own rigid bodies: which can become colliders of Flotsam, and warnings about the others."""

from __future__ import annotations

import bpy

from ..names import NO_KIND, SETTINGS


def can_be_collider(obj: bpy.types.Object) -> bool:
    """Whether an object is a passive or animated rigid body of Blender, and has no Flotsam kind yet."""
    own = obj.rigid_body
    unsimulated = own is not None and (own.type == "PASSIVE" or own.kinematic or not own.enabled)
    return unsimulated and obj.type == "MESH" and len(obj.data.polygons) > 0 and getattr(obj, SETTINGS).kind == NO_KIND


def is_solved_by_blender(obj: bpy.types.Object) -> bool:
    """Whether Blender simulates it as a rigid body."""
    own = obj.rigid_body
    return own is not None and own.type == "ACTIVE" and own.enabled and not own.kinematic


def rigid_body_warnings(scene: bpy.types.Scene) -> list[str]:
    """Warnings: Flotsam does not move Blender's active rigid bodies, and ignores others that are no colliders yet."""
    world = scene.rigidbody_world
    if world is None or not world.enabled or world.collection is None:
        return []
    in_scene = [obj for obj in world.collection.all_objects if scene.objects.get(obj.name) == obj]
    found = []
    active = [obj.name for obj in in_scene if is_solved_by_blender(obj)]
    if active:
        found.append(
            f"{_names(active)}: Blender's own rigid bodies are not coupled, so nothing of Flotsam pushes them; make "
            "them rigid bodies of Flotsam to let them meet."
        )
    unknown = [obj.name for obj in in_scene if can_be_collider(obj)]
    if unknown:
        found.append(
            f"{_names(unknown)}: passive or animated rigid bodies of Blender's are not met; press Rigid Bodies to "
            "Colliders in the Scene tab to let them be."
        )
    return found


def _names(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
