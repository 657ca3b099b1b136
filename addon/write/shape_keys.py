"""Baked frames as absolute shape keys, played by one F-Curve on `eval_time`: a single .blend without a cache."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import bpy
import numpy as np

from ...engine import cache
from ..capture.errors import CaptureError
from ..capture.mesh import transform
from ..capture.stack import flotsam_modifier, modifiers_before
from ..names import ATTRIBUTES_MODIFIER, KEYS_MARK, SPLIT_MODIFIER
from .attributes import attributes_file, carrier_of
from .base import Kept, Writer
from .registry import baked_file

# Spacing of absolute keys on Blender's eval_time axis.
_SPACING = 10.0
_IDENTITY = np.eye(4)


class ShapeKeyWriter(Writer):
    """Writes frames into a mesh. The mesh itself stays unchanged and becomes the first key."""

    output = "SHAPE_KEYS"

    def __init__(self, obj: bpy.types.Object, modifier: bpy.types.Modifier, frame_start: int) -> None:
        """Args: an object without shape keys; the Mesh Cache modifier to replace; frame of the first key."""
        self._obj, self._modifier, self._frame_start = obj, modifier, frame_start
        self.count = 1
        obj.shape_key_add(name=f"{frame_start}", from_mix=False)

    @staticmethod
    def refuse(obj: bpy.types.Object) -> None:
        """See `refuse_shape_keys`."""
        refuse_shape_keys(obj)

    def append(self, kept: Kept, matrix: np.ndarray) -> None:
        """Add a key of positions; those in files are already in object space, so the matrix is the identity."""
        block = self._obj.shape_key_add(name=f"{self._frame_start + self.count}", from_mix=False)
        block.interpolation = "KEY_LINEAR"
        block.points.foreach_set("co", transform(matrix, kept["positions"]).astype(np.float32).reshape(-1))
        self.count += 1

    def connect(self, obj: bpy.types.Object) -> None:
        """Animate linearly from the first key to the last, and disable the modifier."""
        keys = obj.data.shape_keys
        keys.use_relative = False
        keys[KEYS_MARK] = True
        _animate(keys, self._frame_start, self.count)
        self._modifier.show_viewport = self._modifier.show_render = False

    @staticmethod
    def plays(obj: bpy.types.Object) -> bool:
        """Whether its mesh has absolute shape keys."""
        keys = getattr(obj.data, "shape_keys", None)
        return keys is not None and not keys.use_relative

    @staticmethod
    def remove(obj: bpy.types.Object) -> None:
        """Remove all its shape keys."""
        obj.shape_key_clear()


def refuse_shape_keys(obj: bpy.types.Object) -> None:
    """Refuse an object whose mesh cannot take the frames; changes nothing.

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
    """Turn baked files into absolute shape keys; returns objects with their first frame and number of frames.

    The Flotsam modifier is disabled. The mesh itself stays unchanged: it becomes the first key. All or none: if a file
    cannot be read, every mesh stays as it was. Attributes become shape keys of their carrier.

    Raises:
        CaptureError: an object cannot take them, was never baked, or its file fits another mesh.
        OSError: a file cannot be read.
    """
    baked = [(obj, *_checked_file(obj)) for obj in objects]
    done: list[bpy.types.Object] = []
    try:
        found = []
        for obj, file, start in baked:
            done.append(obj)
            found.append((obj, start, _write(obj, flotsam_modifier(obj), file, start)))
            carrier, attributes = carrier_of(obj), attributes_file(obj)
            if carrier is not None and attributes is not None and attributes.exists():
                done.append(carrier)
                _write_carrier(carrier, attributes, start)
        return found
    except OSError:
        for obj in filter(ShapeKeyWriter.plays, done):
            ShapeKeyWriter.remove(obj)
        raise


def _checked_file(obj: bpy.types.Object) -> tuple[Path, int]:
    """The file that an object plays and its first frame, after checking that both fit."""
    refuse_shape_keys(obj)
    file = baked_file(obj)
    if file is None:
        raise CaptureError(f"{obj.name} is not baked; bake first.")
    try:
        header = cache.read_header(file)
    except FileNotFoundError as error:
        raise CaptureError(f"The bake of {obj.name} is not at {file}; bake again.") from error
    if SPLIT_MODIFIER in obj.modifiers:
        raise CaptureError(f"{obj.name} tears, which shape keys cannot show; keep its bake, or switch Tear off.")
    if header.points != len(obj.data.vertices):
        raise CaptureError(
            f"{obj.name} has {len(obj.data.vertices)} vertices and was baked with {header.points}; bake again."
        )
    if header.samples == 0:
        raise CaptureError(f"{obj.name} has no finished frame; bake again.")
    return file, int(flotsam_modifier(obj).frame_start)


def _write(obj: bpy.types.Object, modifier: bpy.types.Modifier, file: Path, frame_start: int) -> int:
    """Write shape keys of one object in place of a modifier; returns their number."""
    writer = ShapeKeyWriter(obj, modifier, frame_start)
    for number in range(1, cache.read_header(file).samples):
        writer.append({"positions": cache.read_sample(file, number)}, _IDENTITY)
    writer.connect(obj)
    return writer.count


def _write_carrier(carrier: bpy.types.Object, file: Path, frame_start: int) -> None:
    """The first values become the carrier's mesh, the others its shape keys."""
    carrier.shape_key_clear()
    carrier.data.vertices.foreach_set("co", cache.read_sample(file, 0).reshape(-1))
    _write(carrier, carrier.modifiers[ATTRIBUTES_MODIFIER], file, frame_start)


def _animate(keys: bpy.types.Key, frame_start: int, samples: int) -> None:
    """Animate eval_time linearly from the first key to the last."""
    for number in {0, samples - 1}:
        keys.eval_time = number * _SPACING
        keys.keyframe_insert("eval_time", frame=frame_start + number)
    for curve in _curves(keys):
        curve.extrapolation = "CONSTANT"
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def _curves(keys: bpy.types.Key) -> list[bpy.types.FCurve]:
    """F-Curves of the shape keys' action, which has layers since Blender 4.4."""
    animation = keys.animation_data
    strips = [strip for layer in animation.action.layers for strip in layer.strips]
    bags = [strip.channelbag(animation.action_slot) for strip in strips]
    return [curve for bag in bags if bag is not None for curve in bag.fcurves]
