"""`BakeError`: says in one sentence why a bake cannot continue; finished frames are kept."""

from __future__ import annotations

import errno
from pathlib import Path

from ...engine import cache
from . import state


class BakeError(OSError):
    """One sentence for the artist: what failed, where, and what to do."""


def disk_error(error: OSError, folder: Path, index: cache.Index | None = None) -> BakeError:
    """Translate a disk error into a sentence for the artist.

    Args:
        error: from the file system.
        folder: of the bake.
        index: the bake as it is on disk now; None before its first frame, when the previous bake is still intact.
    """
    if isinstance(error, BakeError):
        return error
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return BakeError(f"The disk of {folder} is full; {_kept(index, 'Make room')}")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.EEXIST, errno.ENOTDIR):
        return not_writable(folder)
    if error.errno == errno.ENOENT:
        return BakeError(f"Files of the bake are gone from {folder}; bake again without resuming.")
    if error.errno is None:
        return BakeError(str(error))
    return BakeError(f"{folder} failed: {error.strerror}; {_kept(index, 'Check the disk')}")


def _kept(index: cache.Index | None, remedy: str) -> str:
    """What is kept, and how to continue."""
    if index is None or index.finished == 0:
        return f"what was baked before stays. {remedy} and bake again."
    if index.resumable == 0:
        return f"frames up to {index.last_frame} are kept. {remedy} and bake again."
    resume_frame = index.frame_start + index.resumable - 1
    return f"frames up to {index.last_frame} are kept. {remedy} and resume, which goes on after frame {resume_frame}."


def not_writable(folder: Path) -> BakeError:
    """The error for a folder that cannot be written."""
    return BakeError(f"{folder} cannot be written; choose another Cache Folder in the scene's Flotsam settings.")


def refuse_a_second_bake() -> None:
    """Raise BakeError while a bake runs."""
    if state.current() is not None:
        raise BakeError("Another bake is running; wait for it or stop it with Esc.")
