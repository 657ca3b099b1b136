"""Finds bakes that the opened .blend does not refer to, because it was not saved after them."""

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
    """Search the cache folders of all scenes of the file that was just opened."""
    if not bpy.data.filepath:
        return
    for scene in bpy.data.scenes:
        folder = cache_folder(scene)
        try:
            index = cache.read_index(folder)
            if index is not None and index.finished and (index.running or _is_newer(folder)):
                _adopt(scene, folder, index)
        except OSError:
            # Unreadable files are reported where the artist needs them: at Resume.
            continue


def _is_newer(folder: Path) -> bool:
    """Whether the bake ended after the file was saved."""
    return (folder / cache.INDEX_NAME).stat().st_mtime_ns > Path(bpy.data.filepath).stat().st_mtime_ns


def _adopt(scene: bpy.types.Scene, folder: Path, index: cache.Index) -> None:
    for name, entry in index.bodies.items():
        obj = bpy.data.objects.get((name, None))
        if obj is None or scene.objects.get(name) != obj or obj.type != "MESH":
            continue
        settings = getattr(obj, SETTINGS)
        if settings.kind not in BODY_KINDS or entry.mesh_points != len(obj.data.vertices):
            # This is not the object that was baked.
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
            # The object cannot play this bake in its present state; the next bake reports why.
            continue
    keep_record(scene, index)
    if scene == bpy.context.scene:
        # New keyframes take effect only when the frame is set.
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
