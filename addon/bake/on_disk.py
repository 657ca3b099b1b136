"""State of bakes on disk, fast enough for a panel at every redraw: files are read only when they have changed."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import bpy

from ...engine import cache
from ..names import SETTINGS
from ..paths import cache_folder, plain
from ..properties.scene import bake_range
from ..write import FileWriter, baked_file, writer_playing


def baked_range(obj: bpy.types.Object) -> tuple[int, int] | None:
    """First and last frame that an object plays; None without a bake, or if its file cannot be read."""
    writer = writer_playing(obj)
    file = None if writer is None else writer.file(obj)
    if file is None:
        return None
    if not writer.needs_file:
        baked = getattr(obj, SETTINGS).baked
        return baked.first, baked.last
    try:
        return _range_in(writer, file, *_stamp(file))
    except OSError:
        return None


def index_of(scene: bpy.types.Scene) -> cache.Index | None:
    """Index of the bake in the scene's folder; None without one, or if it cannot be read."""
    try:
        return _index_in(cache_folder(scene))
    except OSError:
        return None


def record_on_disk(file: Path) -> str:
    """Record name of the bake that wrote a file, empty if unknown."""
    try:
        index = _index_in(file.parent)
    except OSError:
        return ""
    return "" if index is None else index.records.get(file.name, "")


def points_on_disk(obj: bpy.types.Object) -> int:
    """Number of vertices in the mesh that a body plays, 0 if it plays none that can be read."""
    writer = writer_playing(obj)
    file = None if writer is None or writer.output != "MESH" else writer.file(obj)
    if file is None:
        return 0
    try:
        return _points_in(file, *_stamp(file))
    except OSError:
        return 0


def folder_to_resume(scene: bpy.types.Scene) -> Path:
    """Folder of the bake that Resume continues.

    It is the scene's own if it contains a bake. After *Save As*, bodies play a bake in another folder: then that one.

    Raises:
        OSError: the index in the scene's own folder cannot be read.
    """
    own = cache_folder(scene)
    index = _index_in(own)
    if index is not None and index.finished > 0:
        return own
    baked = [obj for obj in scene.objects if obj.library is None and baked_range(obj) is not None]
    played = {plain(str(baked_file(obj).parent)) for obj in baked}
    return played.pop() if len(played) == 1 else own


def stopped_bodies(scene: bpy.types.Scene) -> set[str]:
    """Names of the bodies of the bake that Resume continues; empty without one."""
    try:
        index = _index_in(folder_to_resume(scene))
    except OSError:
        return set()
    return set() if index is None else set(index.bodies)


def why_not_resumed(scene: bpy.types.Scene) -> str | None:
    """Why no bake can be resumed; None when one can."""
    try:
        index = _index_in(folder_to_resume(scene))
    except OSError as error:
        return str(error)
    if index is None or index.finished == 0:
        if any(baked_range(obj) is not None for obj in scene.objects):
            return "Bodies play bakes of several folders, or one that has no saved state; press Bake"
        return "No bake was stopped on its way; press Bake"
    if index.resumable == 0:
        return "The bake before was stopped too early to go on; press Bake"
    settings = getattr(scene, SETTINGS)
    start, end = bake_range(settings)
    if index.frame_start != start:
        return f"The bake before starts at frame {index.frame_start}; set Start to it, or press Bake"
    if index.last_frame >= end:
        return f"Frames up to {index.last_frame} are baked; set a later End to go on"
    return None


def _stamp(file: Path) -> tuple[int, ...]:
    """Values that change whenever a file is written or replaced by another."""
    seen = file.stat()
    return seen.st_mtime_ns, seen.st_size, seen.st_ino


@lru_cache(maxsize=64)
def _range_in(writer: type[FileWriter], file: Path, *_stamped: int) -> tuple[int, int] | None:
    frames = writer.frames_in(file)
    return (frames[0], frames[-1]) if frames else None


@lru_cache(maxsize=64)
def _points_in(file: Path, *_stamped: int) -> int:
    return cache.read_header(file).points


def _index_in(folder: Path) -> cache.Index | None:
    try:
        return _index_read(folder, *_stamp(folder / cache.INDEX_NAME))
    except FileNotFoundError:
        return None


@lru_cache(maxsize=16)
def _index_read(folder: Path, *_stamped: int) -> cache.Index | None:
    return cache.read_index(folder)
