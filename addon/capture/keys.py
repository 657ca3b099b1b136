"""What is the artist's and what the bake's: animation and place of rigid bodies, stored and restored; shape keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy

from ..names import KEYS_MARK, SETTINGS


def has_keys(obj: bpy.types.Object) -> bool:
    """Whether an object plays keyframes of a bake; a duplicate plays its own copy of them."""
    animation = obj.animation_data
    return animation is not None and animation.action is not None and KEYS_MARK in animation.action


# Actions of objects that stand where their artist left them, see `unkeyed`.
_set_aside: list[bpy.types.Action] = []


def remove_unused(action: bpy.types.Action) -> None:
    """Remove the keyframes of a bake unless an object plays them, now or at the end of `unkeyed`.

    Looks for the users themselves: Blender 5.2 reported a count that was too low after an undo.
    """
    if action not in _set_aside and not bpy.data.user_map(subset=[action])[action]:
        bpy.data.actions.remove(action)


def own_shape_keys(data: bpy.types.ID | None) -> bpy.types.Key | None:
    """Shape keys of a mesh that are its artist's, not the frames of a bake."""
    keys = getattr(data, "shape_keys", None)
    return None if keys is None or KEYS_MARK in keys else keys


def rotation_path(mode: str) -> str:
    """Name of the rotation property in a rotation mode."""
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode, "rotation_euler")


def remember_own(obj: bpy.types.Object) -> None:
    """Store an object's own action, rotation mode and place."""
    baked, animation = getattr(obj, SETTINGS).baked, obj.animation_data
    action = None if animation is None else animation.action
    baked.action = action
    baked.slot = "" if action is None or animation.action_slot is None else animation.action_slot.identifier
    baked.rotation_mode = obj.rotation_mode
    baked.location = obj.location
    own = getattr(obj, rotation_path(obj.rotation_mode))
    baked.rotation = (*own, 0.0)[:4]


def give_own_back(obj: bpy.types.Object) -> None:
    """Restore an object's action and place from before the bake; the caller removes the keyframes."""
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
    """Context in which baked objects stand where their artist left them; keyframes are restored at the end.

    The caller must update the dependency graph inside. After it, Blender updates at the next redraw.
    """
    baked = [
        (obj, obj.animation_data.action, obj.animation_data.action_slot, obj.rotation_mode)
        for obj in objects if has_keys(obj)
    ]
    _set_aside.extend(action for _obj, action, _slot, _mode in baked)
    try:
        for obj, _action, _slot, _mode in baked:
            give_own_back(obj)
        yield
    finally:
        del _set_aside[len(_set_aside) - len(baked) :]
        for obj, action, slot, mode in baked:
            obj.rotation_mode = mode
            obj.animation_data.action = action
            obj.animation_data.action_slot = slot
