"""Bakes that a file does not know of, because it was not saved since: found again when the file is opened."""

from __future__ import annotations

from pathlib import Path

import bpy

from ...engine import cache
from ...engine.spec import KINDS
from ..capture.errors import CaptureError
from ..names import BODY_KINDS, SETTINGS
from ..paths import cache_folder
from ..write import FILE_WRITERS, baked_file
from .owner import note_baked
from .records import keep_record, record_name


def adopt_all() -> None:
    """Look at every scene of the file that has just been opened."""
    if not bpy.data.filepath:
        return
    for scene in bpy.data.scenes:
        folder = cache_folder(scene)
        try:
            index = cache.read_index(folder)
            if index is not None and index.finished and (index.running or _is_newer(folder)):
                _adopt(scene, folder, index)
        except OSError:
            # What cannot be read is told where the artist asks for it: at Resume.
            continue


def _is_newer(folder: Path) -> bool:
    """Whether the bake came to its end after the file was saved."""
    return (folder / cache.INDEX_NAME).stat().st_mtime_ns > Path(bpy.data.filepath).stat().st_mtime_ns


def _adopt(scene: bpy.types.Scene, folder: Path, index: cache.Index) -> None:
    for name, entry in index.bodies.items():
        obj = bpy.data.objects.get((name, None))
        if obj is None or scene.objects.get(name) != obj or obj.type != "MESH":
            continue
        settings = getattr(obj, SETTINGS)
        if settings.kind not in BODY_KINDS or entry.mesh_points != len(obj.data.vertices):
            # Another object than the one that was baked.
            continue
        frames = (index.frame_start, scene.render.fps / scene.render.fps_base)
        writer = FILE_WRITERS[KINDS[settings.kind].output](None, folder, entry, frames)
        knows_all = baked_file(obj) == folder / entry.file and settings.baked.record == record_name(index)
        if knows_all and writer.follows_growth:
            continue
        try:
            writer.connect(obj)
            note_baked(obj, writer.path, index)
        except CaptureError:
            # It cannot play a bake as it is now, and the next bake says why.
            continue
    keep_record(scene, index)
    if scene == bpy.context.scene:
        # Keys that are new move nothing before the frame is shown.
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
