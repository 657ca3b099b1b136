"""Connects an object with its bake: a file through its modifier, or keyframes of location and rotation."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...engine import Frame
from ...engine.spec.kinds.voxel_body import MOST_DIFFERENCE
from ..capture import CapturedBody
from ..capture.errors import CaptureError
from ..capture.keys import has_keys
from ..capture.sentence import about
from ..names import SETTINGS
from ..write import refuse_output
from ..write.keyframes import keep_keys
from .files import BakeFiles
from .owner import forget_baked, note_baked


def refuse_body(obj: bpy.types.Object, body: CapturedBody) -> None:
    """Raise CaptureError for an object that cannot play its bake, before anything is changed."""
    refuse_output(obj, body.output)


def connect_body(obj: bpy.types.Object, files: BakeFiles, body: CapturedBody) -> None:
    """Let an object play its frames, and store the settings of the bake in it."""
    writer = files.writers[body.name]
    writer.connect(obj)
    note_baked(obj, writer.path, files.index)


def hand_over_keys(objects: Iterable[bpy.types.Object]) -> list[tuple[bpy.types.Object, int, int]]:
    """Hand the keyframes of rigid bodies over to the artist; returns first frame and number of frames of each object.

    The objects are unbaked. An action from before the bake stays in the file. Either all objects change or none.

    Raises:
        CaptureError: an object is linked, or was never baked.
    """
    objects = list(objects)
    for obj in objects:
        if obj.library is not None:
            raise CaptureError(f"{obj.name} is linked from another file; make it local first.")
        if not has_keys(obj):
            raise CaptureError(f"{obj.name} is not baked; enable it in viewports and bake again.")
    return [(obj, *_hand_over(obj)) for obj in objects]


def _hand_over(obj: bpy.types.Object) -> tuple[int, int]:
    baked = getattr(obj, SETTINGS).baked
    first, count, own = baked.first, baked.last - baked.first + 1, baked.action
    keep_keys(obj)
    forget_baked(obj)
    if own is not None and own.users == 0:
        own.use_fake_user = True
    return first, count


def weight_warnings(frame: Frame) -> list[str]:
    """One sentence for all rigid bodies whose voxels differ too much from their meshes; there may be hundreds."""
    errors = {name: found.get("voxel_error", (0.0,))[0] for name, found in frame.diagnostics.items()}
    wrong = sorted((name for name, error in errors.items() if error > MOST_DIFFERENCE), key=errors.get, reverse=True)
    if not wrong:
        return []
    others = f", and those of {len(wrong) - 1} others by no more" if len(wrong) > 1 else ""
    return about(wrong[0], [
        f"The voxels of {wrong[0]} differ from its mesh by {errors[wrong[0]]:.0%} in mass, centre or inertia{others}; "
        "a smaller Voxel Size helps."
    ])
