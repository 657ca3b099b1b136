"""What lies on disk, cheap enough for a panel to ask at every redraw: files are read when they have changed."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import bpy

from ...engine import cache
from ..names import SETTINGS
from ..paths import cache_folder
from ..properties.scene import bake_range
from ..write import FileWriter, writer_playing


def baked_range(obj: bpy.types.Object) -> tuple[int, int] | None:
    """First and last frame that an object plays, None when it has none or its file cannot be read."""
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
    """The bake that lies in the scene's folder, None without one or where it cannot be read."""
    try:
        return _index_in(cache_folder(scene))
    except OSError:
        return None


def record_on_disk(file: Path) -> str:
    """What stands for the bake that wrote a file, empty where that is not known."""
    try:
        index = _index_in(file.parent)
    except OSError:
        return ""
    return "" if index is None else index.records.get(file.name, "")


def points_on_disk(obj: bpy.types.Object) -> int:
    """Vertices in each frame of the mesh that a body plays, 0 when it plays none that can be read."""
    writer = writer_playing(obj)
    file = None if writer is None or writer.output != "MESH" else writer.file(obj)
    if file is None:
        return 0
    try:
        return _points_in(file, *_stamp(file))
    except OSError:
        return 0


def stopped_bodies(scene: bpy.types.Scene) -> set[str]:
    """Names of the bodies of the bake that lies in the scene's folder, none without one."""
    index = index_of(scene)
    return set() if index is None else set(index.bodies)


def why_not_resumed(scene: bpy.types.Scene) -> str | None:
    """Why there is no bake to go on with, None when there is one."""
    try:
        index = _index_in(cache_folder(scene))
    except OSError as error:
        return str(error)
    if index is None or index.finished == 0:
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
    """What differs when a file has been written or put in the place of another."""
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
