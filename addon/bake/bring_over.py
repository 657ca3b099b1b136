"""Copies a stopped bake to the cache folder of the open .blend to continue there: *Save As* leaves frames behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ...engine import cache

# Bytes copied in a slice.
_CHUNK = 1 << 24


def bring_over(source: Path, folder: Path, index: cache.Index) -> Iterator[None]:
    """Copy frames and state of a bake, then write its index, in slices; does nothing if both folders are the same.

    The bake in `source` stays as it is, because another .blend plays it. If this is stopped or fails, all copies are
    removed.

    Args:
        index: of the bake to continue, to be written to `folder`.

    Raises:
        OSError: a file cannot be read, or the disk is full.
    """
    if source == folder:
        return
    copies: list[Path] = []
    try:
        for file in _files_of(source, index):
            copies.append(folder / file.relative_to(source))
            yield from _copy(file, copies[-1])
        cache.write_index(folder, index)
    except BaseException:
        for copy in copies:
            with suppress(OSError):
                copy.unlink()
        raise


def _files_of(source: Path, index: cache.Index) -> list[Path]:
    """All files of a bake except its index."""
    found = [source / index.state_file]
    for entry in index.bodies.values():
        frames = source / entry.file
        found += sorted(frames.iterdir()) if frames.is_dir() else [frames]
        if entry.attributes:
            found.append(source / entry.attributes_file)
    return found


def _copy(file: Path, copy: Path) -> Iterator[None]:
    """Copy a file in slices; creates missing folders."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    with file.open("rb") as read, copy.open("wb") as written:
        while chunk := read.read(_CHUNK):
            written.write(chunk)
            yield
