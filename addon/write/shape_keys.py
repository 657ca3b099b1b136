"""Baked frames as absolute shape keys, played by one curve on `eval_time`: one file, no cache beside it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import bpy
import numpy as np

from ...engine import cache
from ..capture.errors import CaptureError
from ..capture.stack import flotsam_modifier, modifiers_before
from .mesh_cache import baked_file

# Blender puts absolute keys this far apart on the axis of eval_time.
_SPACING = 10.0


def refuse_shape_keys(obj: bpy.types.Object) -> None:
    """Refuse objects whose mesh cannot take the frames; nothing has been changed.

    Raises:
        CaptureError: mesh shared or linked, shape keys already there, modifiers before Flotsam, or Edit Mode.
    """
    mesh = obj.data
    if obj.type != "MESH":
        raise CaptureError(f"{obj.name} is no mesh; only meshes have shape keys.")
    if obj.mode == "EDIT":
        raise CaptureError(f"{obj.name} is in Edit Mode; leave Edit Mode first.")
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


def write_shape_keys(objects: Iterable[bpy.types.Object]) -> list[tuple[bpy.types.Object, int, int]]:
    """Turn baked files into absolute shape keys; for each object its first frame and how many there are.

    The Flotsam modifier is switched off. The mesh itself stays as it is: it becomes the first key. All or
    none: every mesh and file is looked at before the first mesh is changed.

    Raises:
        CaptureError: an object cannot take them, was never baked, or its file fits another mesh.
        OSError: a file cannot be read.
    """
    baked = [(obj, *_whole_file(obj)) for obj in objects]
    return [(obj, start, _write(obj, file, start)) for obj, file, start in baked]


def _whole_file(obj: bpy.types.Object) -> tuple[Path, int]:
    """The file an object plays and its first frame, when both fit."""
    refuse_shape_keys(obj)
    file = baked_file(obj)
    if file is None:
        raise CaptureError(f"{obj.name} is not baked; bake first.")
    try:
        header = cache.read_header(file)
    except FileNotFoundError as error:
        raise CaptureError(f"The bake of {obj.name} is not at {file}; bake again.") from error
    if header.points != len(obj.data.vertices):
        raise CaptureError(
            f"{obj.name} has {len(obj.data.vertices)} vertices and was baked with {header.points}; bake again."
        )
    if header.samples == 0:
        raise CaptureError(f"{obj.name} has no finished frame; bake again.")
    return file, int(flotsam_modifier(obj).frame_start)


def _write(obj: bpy.types.Object, file: Path, frame_start: int) -> int:
    """Shape keys of one object; returns how many."""
    samples = cache.read_header(file).samples
    obj.shape_key_add(name=f"{frame_start}", from_mix=False)
    for number in range(1, samples):
        positions = cache.read_sample(file, number)
        block = obj.shape_key_add(name=f"{frame_start + number}", from_mix=False)
        block.interpolation = "KEY_LINEAR"
        block.points.foreach_set("co", np.ascontiguousarray(positions).reshape(-1))
    keys = obj.data.shape_keys
    keys.use_relative = False
    _animate(keys, frame_start, samples)
    modifier = flotsam_modifier(obj)
    modifier.show_viewport = modifier.show_render = False
    return samples


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
