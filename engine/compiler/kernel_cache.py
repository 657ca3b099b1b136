"""The folder that keeps compiled kernels on disk. Imports no numba: the folder must be known before numba is imported.

Blender imports this module at start, so functions import what only they need. Numba notices changes in a kernel's own
file only. Therefore the folder's name contains a hash of all sources of the engine: any change leads to a new folder.
Tuned and plain kernels (see `mode`) have folders of their own.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from . import mode

# All kernels together take 3 MB. A disk with less free space than this counts as full [bytes].
MIN_FREE = 16 * 2**20
# Versions of the engine whose folders are kept: the one in use and one that another Blender may still use.
VERSIONS_KEPT = 2
_PLAIN = "-plain"
# Sets that are contained in other sets: they are complete when all of those are.
_CONTAINED = {"SOFT_ALONE": ("XPBD",)} | {
    f"{whose}_{where}{extra}": ("XPBD", "RIGID") if where == "ALONE" else ("XPBD", "RIGID", "SOFT_IN_WATER")
    for whose in ("RIGID", "BOTH", "APART") for where in ("ALONE", "IN_WATER") for extra in ("", "_OPEN")
}


def source_hash() -> str:
    """Ten hex digits of a hash of every Python source of the engine, file names included."""
    import hashlib

    root = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:10]


def platform_cache_folder() -> Path:
    """Flotsam's folder within the platform's cache folder."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "flotsam"


_requested_folder: str | None = None
_trouble: str | None = None


def ask_folder(folder: str | None) -> None:
    """Set the folder for compiled kernels; has no effect after the first kernel is imported."""
    global _requested_folder
    _requested_folder = folder


def tuned_folder() -> Path:
    """The folder of tuned kernels: in FLOTSAM_KERNEL_CACHE, else in the requested folder, else in the platform's."""
    base = os.environ.get("FLOTSAM_KERNEL_CACHE") or _requested_folder or platform_cache_folder() / "kernels"
    return Path(base) / source_hash()


def folder() -> Path:
    """The folder of kernels for this version of the engine, in the mode of this process."""
    tuned = tuned_folder()
    return tuned if mode.plain_reason(tuned) is None else tuned.with_name(tuned.name + _PLAIN)


def plain_reason() -> str | None:
    """One sentence that says why this process uses plain mode; None in tuned mode."""
    return mode.plain_reason(tuned_folder())


def can_keep() -> bool:
    """Whether kernels can be written to the folder; makes the folder. If not, `trouble` gives the reason."""
    import shutil
    import tempfile

    place = folder()
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place) as probe:
            probe.write(b"room")
        if shutil.disk_usage(place).free < MIN_FREE:
            note_trouble("the disk is full")
            return False
    except OSError as error:
        note_trouble(error.strerror or str(error))
        return False
    return True


def note_trouble(reason: str) -> None:
    """Remember why kernels could not be written."""
    global _trouble
    _trouble = (
        f"Compiled kernels cannot be kept in {folder().parent} ({reason}), so they are compiled anew after every start "
        "of Blender; make room there, or set FLOTSAM_KERNEL_CACHE to a folder that can be written."
    )


def trouble() -> str | None:
    """One sentence when kernels could not be written since the start of the process, else None."""
    return _trouble


def is_complete(kernels: str) -> bool:
    """Whether the folder has all kernels of a set, compiled by this Python and numba from these files."""
    containing = _CONTAINED.get(kernels)
    return _mark(kernels).is_file() or (containing is not None and all(map(is_complete, containing)))


def mark_complete(kernels: str) -> None:
    """Mark a set as complete and remove the folders of old versions. A failed write leaves the set unmarked."""
    import shutil

    try:
        _mark(kernels).touch()
    except OSError as error:
        note_trouble(error.strerror or str(error))
        return
    found = [path for path in folder().parent.iterdir() if re.fullmatch(f"[0-9a-f]{{10}}({_PLAIN})?", path.name)]
    newest_first = sorted(found, key=lambda path: -path.stat().st_mtime)
    versions = dict.fromkeys([source_hash(), *(path.name.removesuffix(_PLAIN) for path in newest_first)])
    kept = list(versions)[:VERSIONS_KEPT]
    for path in newest_first:
        if path.name.removesuffix(_PLAIN) not in kept:
            # On Windows, files that another process has open stay until the next call.
            shutil.rmtree(path, ignore_errors=True)


def _mark(kernels: str) -> Path:
    """The file that marks a set as complete. Numba keys kernels by source path, Python version and numba version."""
    import hashlib

    made_by = f"{kernels}|{Path(__file__).parent.parent}|{sys.implementation.cache_tag}|{mode.numba_version()}"
    return folder() / f"complete-{hashlib.sha256(made_by.encode()).hexdigest()[:10]}"
