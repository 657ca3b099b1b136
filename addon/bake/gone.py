"""Baked files that were deleted here: an undo that brings back who played one must not bring a path to nothing."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterable
from pathlib import Path

import bpy

from ...engine import cache
from ..write import baked_file, writer_playing
from .owner import forget_baked

_deleted: set[Path] = set()


def delete_baked(file: Path, others: Iterable[Path]) -> None:
    """Delete baked frames: a file or folder, and files beside it that belong to it; raises OSError when that fails."""
    if file.is_dir():
        shutil.rmtree(file)
    else:
        file.unlink(missing_ok=True)
    for other in others:
        if other.parent == file.parent:
            other.unlink(missing_ok=True)
    _deleted.add(file)


def forget_in_index(file: Path) -> None:
    """A file is gone: the bake that wrote it cannot go on, and the index tells of the other files only.

    Raises:
        OSError: the index cannot be written.
    """
    folder = file.parent
    try:
        index = cache.read_index(folder)
    except OSError:
        index = None
    if index is not None:
        bodies = {name: entry for name, entry in index.bodies.items() if entry.file != file.name}
        records = {name: record for name, record in index.records.items() if name != file.name}
        index = dataclasses.replace(index, bodies=bodies, records=records, resumable=0)
    if index is not None and index.bodies:
        cache.write_index(folder, index)
    else:
        (folder / cache.INDEX_NAME).unlink(missing_ok=True)
    cache.forget_states(folder)


def delete_left_behind(file: Path | None, others: Iterable[Path], now: Path) -> None:
    """Delete what a body played before it plays a file of another name, as after it was renamed.

    Files elsewhere stay, for another scene or .blend may own them, and those that another object plays.

    Raises:
        OSError: it cannot be deleted.
    """
    if file is None or file == now or file.parent != now.parent or not file.exists():
        return
    if not any(baked_file(obj) == file for obj in bpy.data.objects):
        delete_baked(file, others)


def forget_paths_to_nothing() -> None:
    """Unbake bodies whose file was deleted here and has not come back since, unless they play without it."""
    for obj in bpy.data.objects if _deleted else ():
        writer = writer_playing(obj)
        if obj.library is not None or writer is None or not writer.needs_file or not writer.is_ours(obj):
            continue
        file = writer.file(obj)
        if file in _deleted and not file.exists():
            writer.clear(obj)
            forget_baked(obj)
