"""`BakeError`: a bake cannot go on, in one sentence; finished frames are kept."""

from __future__ import annotations

import errno
from pathlib import Path


class BakeError(OSError):
    """One sentence for the artist: what went wrong, where, the way out."""


def disk_error(error: OSError, folder: Path) -> BakeError:
    """What an error of the disk means for the artist."""
    if isinstance(error, BakeError):
        return error
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return BakeError(f"The disk of {folder} is full; finished frames are kept. Make room and resume the bake.")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.EEXIST, errno.ENOTDIR):
        return no_room(folder)
    if error.errno == errno.ENOENT:
        return BakeError(f"Files of the bake are gone from {folder}; bake again without resuming.")
    if error.errno is None:
        return BakeError(str(error))
    return BakeError(f"{folder} failed: {error.strerror}; finished frames are kept.")


def no_room(folder: Path) -> BakeError:
    """The folder cannot take a bake."""
    return BakeError(f"{folder} cannot be written; choose another Cache Folder in the scene's Flotsam settings.")
