"""Tells the artist's data from a bake's: shape keys, and animation and placement of rigid bodies, kept for later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy

from ..names import KEYS_MARK, SETTINGS


def has_keys(obj: bpy.types.Object) -> bool:
    """Whether an object plays keyframes of a bake; a duplicate of it plays its own copy of them."""
    animation = obj.animation_data
    return animation is not None and animation.action is not None and KEYS_MARK in animation.action


# Actions of bakes that `unkeyed` has unlinked from their objects until its end.
_unlinked_actions: list[bpy.types.Action] = []


def remove_unused(action: bpy.types.Action) -> None:
    """Remove the keyframes of a bake unless an object plays them, now or at the end of `unkeyed`.

    Searches for users instead of reading their count, which was too low in Blender 5.2 after an undo.
    """
    if action not in _unlinked_actions and not bpy.data.user_map(subset=[action])[action]:
        bpy.data.actions.remove(action)


def own_shape_keys(data: bpy.types.ID | None) -> bpy.types.Key | None:
    """Shape keys of a mesh that the artist made; None if they are frames of a bake."""
    keys = getattr(data, "shape_keys", None)
    return None if keys is None or KEYS_MARK in keys else keys


def rotation_path(mode: str) -> str:
    """Name of the rotation property in a rotation mode."""
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode, "rotation_euler")


def remember_own(obj: bpy.types.Object) -> None:
    """Store the artist's action, rotation mode, location and rotation of an object."""
    baked, animation = getattr(obj, SETTINGS).baked, obj.animation_data
    action = None if animation is None else animation.action
    baked.action = action
    baked.slot = "" if action is None or animation.action_slot is None else animation.action_slot.identifier
    baked.rotation_mode = obj.rotation_mode
    baked.location = obj.location
    own = getattr(obj, rotation_path(obj.rotation_mode))
    baked.rotation = (*own, 0.0)[:4]


def give_own_back(obj: bpy.types.Object) -> None:
    """Restore an object's action, location and rotation from before the bake; the caller removes the keyframes."""
    baked, animation = getattr(obj, SETTINGS).baked, obj.animation_data
    animation.action = baked.action
    if baked.action is not None:
        animation.action_slot = baked.action.slots.get(baked.slot)
    obj.rotation_mode = baked.rotation_mode
    obj.location = baked.location
    path = rotation_path(baked.rotation_mode)
    setattr(obj, path, baked.rotation[: len(getattr(obj, path))])


@contextmanager
def unkeyed(objects: Iterable[bpy.types.Object]) -> Iterator[None]:
    """Context in which baked objects have the artist's action and placement; the keyframes come back at the end.

    The caller must update the dependency graph inside. After it, Blender updates at the next redraw.
    """
    baked = [
        (obj, obj.animation_data.action, obj.animation_data.action_slot, obj.rotation_mode)
        for obj in objects if has_keys(obj)
    ]
    _unlinked_actions.extend(action for _obj, action, _slot, _mode in baked)
    try:
        for obj, _action, _slot, _mode in baked:
            give_own_back(obj)
        yield
    finally:
        del _unlinked_actions[len(_unlinked_actions) - len(baked) :]
        for obj, action, slot, mode in baked:
            obj.rotation_mode = mode
            obj.animation_data.action = action
            obj.animation_data.action_slot = slot
