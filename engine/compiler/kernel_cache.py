"""Where compiled kernels are kept on disk. Free of numba, so that the folder can be named before it is imported.

Blender imports this at start, so what it needs only when kernels are wanted is imported then.

Numba notices a change in a kernel's own file only, so the folder's
name carries a hash of all the engine's sources: any change opens a new folder.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

# All kernels together take 3 MB; a disk with less room than this is as good as full.
LEAST_ROOM = 16 * 2**20
# The folder in use and the one before it, which an older add-on in another Blender may still use.
FOLDERS_KEPT = 2


def source_hash() -> str:
    """Ten hex digits over every Python source of the engine, names included."""
    import hashlib

    root = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:10]


def platform_cache_folder() -> Path:
    """Where the platform keeps what can be made again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "flotsam"


_asked: str | None = None
_trouble: str | None = None


def ask_folder(folder: str | None) -> None:
    """Name the folder for compiled kernels; counts only before the first kernel is imported."""
    global _asked
    _asked = folder


def folder() -> Path:
    """The folder for this version of the engine: FLOTSAM_KERNEL_CACHE, else as asked, else the platform's."""
    base = os.environ.get("FLOTSAM_KERNEL_CACHE") or _asked or platform_cache_folder() / "kernels"
    return Path(base) / source_hash()


def can_keep() -> bool:
    """Whether the folder takes kernels; makes it. If not, `trouble` says why."""
    import shutil
    import tempfile

    place = folder()
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place) as probe:
            probe.write(b"room")
        if shutil.disk_usage(place).free < LEAST_ROOM:
            note_trouble("the disk is full")
            return False
    except OSError as error:
        note_trouble(error.strerror or str(error))
        return False
    return True


def note_trouble(reason: str) -> None:
    """Remember why kernels could not be kept."""
    global _trouble
    _trouble = (
        f"Compiled kernels cannot be kept in {folder().parent} ({reason}), so they are compiled anew after every start "
        "of Blender; make room there, or set FLOTSAM_KERNEL_CACHE to a folder that can be written."
    )


def trouble() -> str | None:
    """One sentence when kernels could not be kept since the start of the process, else None."""
    return _trouble


def is_complete(kernels: str) -> bool:
    """Whether all kernels of a set lie in the folder, compiled by this Python and numba from these files."""
    return _mark(kernels).is_file()


def mark_complete(kernels: str) -> None:
    """Say so, and remove the folders of older versions; without a way to write, the next start looks again."""
    import shutil

    try:
        _mark(kernels).touch()
    except OSError as error:
        note_trouble(error.strerror or str(error))
        return
    of_versions = [path for path in folder().parent.iterdir() if re.fullmatch(r"[0-9a-f]{10}", path.name)]
    others = sorted((path for path in of_versions if path != folder()), key=lambda path: -path.stat().st_mtime)
    for old in others[FOLDERS_KEPT - 1 :]:
        # What another process has open on Windows stays until the next time.
        shutil.rmtree(old, ignore_errors=True)


def _mark(kernels: str) -> Path:
    """The file that says so. Numba tells kernels apart by the path of their source, by Python and by itself."""
    import hashlib

    # Takes longer to import than all of the add-on's panels, and is wanted only when kernels are.
    from importlib.metadata import PackageNotFoundError, version

    try:
        numba = version("numba")
    except PackageNotFoundError:
        numba = "unknown"
    made_by = f"{kernels}|{Path(__file__).parent.parent}|{sys.implementation.cache_tag}|{numba}"
    return folder() / f"complete-{hashlib.sha256(made_by.encode()).hexdigest()[:10]}"
