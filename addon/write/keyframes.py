"""Frames of rigid bodies as keyframes of location and rotation: one action per object, which Blender plays by itself.

The artist's own action, if any, stays in the file, and a copy of it continues up to the first baked frame. A baked
object uses quaternions, so that interpolation between two frames is right too, unless its artist has keyed the
rotation. `capture.keys` restores all of that.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion

from ...engine import Frame, cache
from ..capture import CapturedBody, placed
from ..capture.errors import CaptureError
from ..capture.keys import give_own_back, has_keys, remember_own, remove_unused, rotation_path
from ..capture.mesh import transform
from ..names import KEYS_MARK, SETTINGS
from ..paths import plain
from .base import Kept, Pc2Writer

_LINEAR = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items["LINEAR"].value


class KeyframeWriter(Pc2Writer):
    """Writes a rigid body: the corners of its matrix_basis to a file, and keyframes of them to an action."""

    output = "TRANSFORM"
    needs_file = False
    follows_growth = False

    @staticmethod
    def refuse(obj: bpy.types.Object) -> None:
        """See `refuse_keys`."""
        refuse_keys(obj)

    @staticmethod
    def take(frame: Frame, body: CapturedBody) -> Kept:
        """The corners of its matrix_world, (4, 3)."""
        return {"positions": placed(frame, body.name, body.rigid)}

    def append(self, kept: Kept, matrix: np.ndarray) -> None:
        """The corners in its parent's space."""
        local = transform(matrix, kept["positions"])
        # Far from the origin, single precision would lose the axes' digits.
        local[1:] -= local[0]
        cache.append_sample(self.path, local)

    def connect(self, obj: bpy.types.Object) -> None:
        """Write keyframes of all finished frames."""
        write_keys(obj, self.path, self.frame_start)

    def catch_up(self, obj: bpy.types.Object) -> None:
        """Add keyframes of new frames."""
        extend_keys(obj, self.path, self.frame_start)

    @staticmethod
    def plays(obj: bpy.types.Object) -> bool:
        """Whether it has keyframes from a bake."""
        return has_keys(obj)

    @staticmethod
    def file(obj: bpy.types.Object) -> Path | None:
        """The file that its keyframes come from."""
        return plain(bpy.path.abspath(getattr(obj, SETTINGS).baked.path, library=obj.library))

    @staticmethod
    def remove(obj: bpy.types.Object) -> None:
        """See `remove_keys`."""
        remove_keys(obj)


def write_keys(obj: bpy.types.Object, file: Path, frame_start: int) -> None:
    """Make an object play the frames of a file, replacing those of an earlier bake.

    Raises:
        CaptureError: its rotation is keyed as Axis Angle, which cannot be interpolated linearly.
        OSError: the file cannot be read.
    """
    matrices = _read(file)
    earlier = obj.animation_data.action if has_keys(obj) else None
    if earlier is not None:
        give_own_back(obj)
    remember_own(obj)
    animation = obj.animation_data or obj.animation_data_create()
    own = animation.action
    action = own.copy() if own is not None else bpy.data.actions.new(obj.name)
    action[KEYS_MARK] = True
    identifier = getattr(obj, SETTINGS).baked.slot
    slot = action.slots.get(identifier) or action.slots.new(id_type="OBJECT", name=obj.name)
    curves = _curves(action, slot)
    if not any(curves.find(rotation_path(obj.rotation_mode), index=k) for k in range(4)):
        obj.rotation_mode = "QUATERNION"
    path = rotation_path(obj.rotation_mode)
    _write(curves, "location", _locations(obj, matrices), frame_start)
    _write(curves, path, _rotations(obj, matrices, _before(curves, obj, path, frame_start)), frame_start)
    animation.action, animation.action_slot = action, slot
    # Removed only now, so that the new action has another address. With the same one, undo takes the object for
    # unchanged and lets it keep a pointer to an action that it frees; Blender 5.2 crashed.
    if earlier is not None:
        remove_unused(earlier)
    action.name = f"{obj.name} Flotsam"
    baked = getattr(obj, SETTINGS).baked
    baked.first, baked.last = frame_start, frame_start + len(matrices) - 1


def extend_keys(obj: bpy.types.Object, file: Path, frame_start: int) -> None:
    """Add keyframes for frames added to a file since; rewrite all if the existing ones are from another file.

    Keyframes of earlier bakes must be removed first: the start of a bake calls `write_keys`.

    Raises:
        CaptureError, OSError: as `write_keys`.
    """
    baked = getattr(obj, SETTINGS).baked
    done = baked.last - baked.first + 1
    if not has_keys(obj) or baked.first != frame_start or cache.read_header(file).samples < done:
        write_keys(obj, file, frame_start)
        return
    matrices = _read(file, done)
    if len(matrices) == 0:
        return
    animation = obj.animation_data
    curves, path = _curves(animation.action, animation.action_slot), rotation_path(obj.rotation_mode)
    before = _before(curves, obj, path, baked.last)
    _append(curves, "location", _locations(obj, matrices), baked.last + 1)
    _append(curves, path, _rotations(obj, matrices, before), baked.last + 1)
    baked.last += len(matrices)


def refuse_keys(obj: bpy.types.Object) -> None:
    """Raise CaptureError, which names a remedy, for an object whose own keyframes cannot continue into baked ones."""
    own = getattr(obj, SETTINGS).baked.action if has_keys(obj) else getattr(obj.animation_data, "action", None)
    mode = getattr(obj, SETTINGS).baked.rotation_mode if has_keys(obj) else obj.rotation_mode
    if own is not None and mode == "AXIS_ANGLE":
        raise CaptureError(f"{obj.name} is animated and turns by Axis Angle; choose another Rotation Mode for it.")
    if obj.animation_data is not None and obj.animation_data.use_tweak_mode:
        raise CaptureError(f"{obj.name} has an NLA strip in Tweak Mode; leave Tweak Mode first (Tab).")


def remove_keys(obj: bpy.types.Object) -> None:
    """Remove the keyframes of a bake, if any, and restore what the artist had."""
    if not has_keys(obj):
        return
    animation = obj.animation_data
    action = animation.action
    give_own_back(obj)
    remove_unused(action)
    if animation.action is None and not animation.nla_tracks and not animation.drivers:
        obj.animation_data_clear()


def keep_keys(obj: bpy.types.Object) -> None:
    """Turn the keyframes of a bake into the artist's own; the caller clears the record of the bake."""
    animation = obj.animation_data
    action = animation.action
    if action.library is not None or action.users - int(action.use_fake_user) > 1:
        # Another object plays them as the result of its own bake.
        identifier = animation.action_slot.identifier
        action = action.copy()
        animation.action = action
        animation.action_slot = action.slots.get(identifier)
    del action[KEYS_MARK]


def _read(file: Path, first: int = 0) -> np.ndarray:
    """matrix_basis of each frame in a file from index `first` on, (frames, 4, 4) float64."""
    header = cache.read_header(file)
    count = header.samples - first
    flat = np.fromfile(file, dtype="<f4", offset=header.offset(first), count=count * header.points * 3)
    found = np.tile(np.eye(4), (count, 1, 1))
    rows = flat.reshape(count, header.points, 3).astype(np.float64)
    found[:, :3, 3], found[:, :3, :3] = rows[:, 0], rows[:, 1:].transpose(0, 2, 1)
    return found


def _curves(action: bpy.types.Action, slot: bpy.types.ActionSlot) -> Any:
    """The F-Curves of a slot, in the action's only layer and strip."""
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True).fcurves


def _locations(obj: bpy.types.Object, matrices: np.ndarray) -> np.ndarray:
    """Locations (frames, 3), without the object's delta."""
    return matrices[:, :3, 3] - np.array(obj.delta_location)


def _rotations(obj: bpy.types.Object, matrices: np.ndarray, before: list[float]) -> np.ndarray:
    """Rotations (frames, 3 or 4) in the object's rotation mode, without its delta, each nearest to the previous one."""
    # A negative scale mirrors its axis, and is not keyed.
    axes = matrices[:, :3, :3] * np.sign(np.array(obj.scale) * np.array(obj.delta_scale))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    mode, found = obj.rotation_mode, []
    if mode == "QUATERNION":
        inverse_delta, last = obj.delta_rotation_quaternion.inverted(), Quaternion(before)
    else:
        inverse_delta, last = Euler(obj.delta_rotation_euler, mode).to_quaternion().inverted(), Euler(before, mode)
    for matrix in axes.tolist():
        rotation = inverse_delta @ Matrix(matrix).to_quaternion()
        if mode == "QUATERNION":
            rotation.make_compatible(last)
        else:
            rotation = rotation.to_euler(mode, last)
        found.append(tuple(rotation))
        last = rotation
    return np.array(found)


def _before(curves: Any, obj: bpy.types.Object, path: str, frame: int) -> list[float]:
    """Values of the artist's own F-Curves at a frame, or the object's values where there are none."""
    own = [curves.find(path, index=k) for k in range(len(getattr(obj, path)))]
    values = zip(own, getattr(obj, path), strict=True)
    return [value if curve is None else curve.evaluate(frame) for curve, value in values]


def _write(curves: Any, path: str, values: np.ndarray, frame_start: int) -> None:
    """Write an F-Curve for each column of (frames, n) values; before `frame_start` it follows the artist's own one."""
    for index, column in enumerate(values.T):
        own = curves.find(path, index=index)
        head = np.empty((0, 2))
        if own is not None:
            frames = range(int(np.floor(own.range()[0])), frame_start)
            head = np.array([(frame, own.evaluate(frame)) for frame in frames]).reshape(-1, 2)
            curves.remove(own)
        keys = np.column_stack((frame_start + np.arange(len(column)), column))
        _fill(curves.new(path, index=index), np.vstack((head, keys)))


def _append(curves: Any, path: str, values: np.ndarray, frame: int) -> None:
    """Append keys for each column of (frames, n) values to its curve, from a frame on."""
    for index, column in enumerate(values.T.tolist()):
        points = curves.find(path, index=index).keyframe_points
        done = len(points)
        points.add(len(column))
        for number, value in enumerate(column):
            point = points[done + number]
            point.co, point.interpolation = (frame + number, value), "LINEAR"


def _fill(curve: bpy.types.FCurve, keys: np.ndarray) -> None:
    """Fill an F-Curve with linearly interpolated keys (n, 2) of frame and value."""
    points = curve.keyframe_points
    points.add(len(keys))
    points.foreach_set("co", keys.astype(np.float32).ravel())
    points.foreach_set("interpolation", np.full(len(keys), _LINEAR, dtype=np.int32))
    curve.update()
