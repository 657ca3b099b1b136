"""Where compiled kernels are kept on disk. Free of numba, so that the folder can be named before it is imported.

Numba notices a change in a kernel's own file only, so the folder's
name carries a hash of all the engine's sources: any change opens a new folder.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path


def source_hash() -> str:
    """Ten hex digits over every Python source of the engine, names included."""
    root = Path(__file__).parent
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


def ask_folder(folder: str | None) -> None:
    """Name the folder for compiled kernels; counts only before the first kernel is imported."""
    global _asked
    _asked = folder


def folder() -> Path:
    """The folder for this version of the engine: FLOTSAM_KERNEL_CACHE, else as asked, else the platform's."""
    base = os.environ.get("FLOTSAM_KERNEL_CACHE") or _asked or platform_cache_folder() / "kernels"
    return Path(base) / source_hash()
