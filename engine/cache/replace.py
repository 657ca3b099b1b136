"""Write several files at once: all of them are replaced, or none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


def replace_files(contents: Mapping[Path, bytes]) -> None:
    """Give files new contents; folders that are missing are made.

    A reader that has an old file open keeps what it sees.

    Raises:
        OSError: the disk is full or cannot be written; files that were there are untouched.
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
