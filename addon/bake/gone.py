"""Remembers deleted bake files, so that an undo does not bring back objects that play a missing file."""

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
    """Delete baked frames: a file or folder, and files beside it that belong to it; raises OSError on failure."""
    if file.is_dir():
        shutil.rmtree(file)
    else:
        file.unlink(missing_ok=True)
    for other in others:
        if other.parent == file.parent:
            other.unlink(missing_ok=True)
    _deleted.add(file)


def forget_in_index(file: Path) -> None:
    """Remove a deleted file from the index; the bake that wrote it can no longer be resumed.

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


def delete_left_behind(file: Path | None, others: Iterable[Path], new_file: Path) -> None:
    """Delete the file that a body played before, if its new file has another name, as after renaming the body.

    Files in other folders stay, because another scene or .blend may use them, and files that another object plays.

    Raises:
        OSError: it cannot be deleted.
    """
    if file is None or file == new_file or file.parent != new_file.parent or not file.exists():
        return
    if not any(baked_file(obj) == file for obj in bpy.data.objects):
        delete_baked(file, others)


def unbake_missing_files() -> None:
    """Unbake bodies whose file was deleted in this session and is still missing, unless they play without it."""
    # Listed first: clearing removes helper objects, which would break the iteration over `bpy.data.objects`.
    stale = [obj for obj in bpy.data.objects if _plays_deleted_file(obj)] if _deleted else []
    for obj in stale:
        writer_playing(obj).clear(obj)
        forget_baked(obj)


def _plays_deleted_file(obj: bpy.types.Object) -> bool:
    writer = writer_playing(obj)
    if obj.library is not None or writer is None or not writer.needs_file or not writer.is_ours(obj):
        return False
    file = writer.file(obj)
    return file in _deleted and not file.exists()
