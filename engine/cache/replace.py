"""Replaces several files at once: all of them, or none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


def replace_files(contents: Mapping[Path, bytes]) -> None:
    """Replace the contents of files; creates missing folders.

    A reader with an old file open keeps its content.

    Raises:
        OSError: the disk is full or cannot be written; existing files are unchanged.
    """
    fresh = {path: path.with_name(path.name + ".new") for path in contents}
    made: list[Path] = []
    try:
        for folder in dict.fromkeys(path.parent for path in contents):
            if not folder.exists():
                folder.mkdir(parents=True)
                made.append(folder)
        for path, content in contents.items():
            fresh[path].write_bytes(content)
        for path, written in fresh.items():
            os.replace(written, path)
    except BaseException:
        for written in fresh.values():
            with suppress(OSError):
                written.unlink()
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()
        raise
