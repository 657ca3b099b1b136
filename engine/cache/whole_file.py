"""Atomic file writes: after a power cut or a kill a reader finds the old content or the new, never a part."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: bytes | memoryview) -> None:
    """Write to a temporary file beside `path`, flush it to disk, and rename it over `path`.

    Raises:
        OSError: the file cannot be written; an existing one is unchanged.
    """
    fresh = path.with_name(path.name + ".new")
    try:
        with fresh.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_files(paths: Iterable[Path]) -> None:
    """Flush the content of files to disk; raises OSError when one does not exist or the disk fails."""
    for path in paths:
        with path.open("r+b") as file:
            os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk where the system supports it; Windows does not and need not."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
