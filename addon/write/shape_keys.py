"""Baked frames as absolute shape keys, played by one curve on `eval_time`: one file, no cache beside it."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from ...engine import cache
from ..capture.errors import CaptureError
from ..capture.stack import flotsam_modifier, modifiers_before

# Blender puts absolute keys this far apart on the axis of eval_time.
_SPACING = 10.0


def refuse_shape_keys(obj: bpy.types.Object) -> None:
    """Refuse objects whose mesh cannot take the frames; nothing has been changed.

    Raises:
        CaptureError: mesh shared or linked, shape keys already there, or modifiers before Flotsam.
    """
    mesh = obj.data
    if obj.type != "MESH":
        raise CaptureError(f"{obj.name} is no mesh; only meshes have shape keys.")
    if mesh.library is not None or mesh.override_library is not None:
        raise CaptureError(f"The mesh of {obj.name} is linked and cannot take shape keys; make it local first.")
    if mesh.users - int(mesh.use_fake_user) > 1:
        raise CaptureError(
            f"{obj.name} shares its mesh with other objects; make it single-user first "
            "(Object > Relations > Make Single User)."
        )
    if mesh.shape_keys is not None:
        raise CaptureError(f"{obj.name} already has shape keys; remove them first, or keep the baked cache.")
    before = modifiers_before(obj)
    if before:
        raise CaptureError(
            f"{obj.name} has {before[0].name} before Flotsam, which shape keys cannot follow; "
            "apply it, move it after Flotsam, or keep the baked cache."
        )


def write_shape_keys(obj: bpy.types.Object, file: Path, frame_start: int) -> int:
    """Turn a baked file into absolute shape keys; returns how many. The Flotsam modifier is switched off.

    The mesh itself stays as it is: it becomes the first key.

    Raises:
        CaptureError: the object cannot take them, or the file fits another mesh.
        OSError: the file cannot be read.
    """
    refuse_shape_keys(obj)
    header = cache.read_header(file)
    if header.points != len(obj.data.vertices):
        raise CaptureError(
            f"{obj.name} has {len(obj.data.vertices)} vertices and was baked with {header.points}; bake again."
        )
    if header.samples == 0:
        raise CaptureError(f"{obj.name} has no finished frame; bake again.")
    # Everything is read before anything is changed, so that a damaged file leaves the mesh alone.
    samples = [cache.read_sample(file, number) for number in range(1, header.samples)]
    obj.shape_key_add(name=f"{frame_start}", from_mix=False)
    for number, positions in enumerate(samples, start=1):
        block = obj.shape_key_add(name=f"{frame_start + number}", from_mix=False)
        block.interpolation = "KEY_LINEAR"
        block.points.foreach_set("co", np.ascontiguousarray(positions).reshape(-1))
    keys = obj.data.shape_keys
    keys.use_relative = False
    _animate(keys, frame_start, header.samples)
    modifier = flotsam_modifier(obj)
    if modifier is not None:
        modifier.show_viewport = False
        modifier.show_render = False
    return header.samples


def _animate(keys: bpy.types.Key, frame_start: int, samples: int) -> None:
    """One straight curve from the first key to the last."""
    for number in {0, samples - 1}:
        keys.eval_time = number * _SPACING
        keys.keyframe_insert("eval_time", frame=frame_start + number)
    for curve in _curves(keys):
        curve.extrapolation = "CONSTANT"
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def _curves(keys: bpy.types.Key) -> list[bpy.types.FCurve]:
    """Curves of a block's action, which has layers since Blender 4.4."""
    animation = keys.animation_data
    strips = [strip for layer in animation.action.layers for strip in layer.strips]
    bags = [strip.channelbag(animation.action_slot) for strip in strips]
    return [curve for bag in bags if bag is not None for curve in bag.fcurves]
