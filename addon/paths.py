"""Where things lie on disk: the package's own files, the user's folder, the baked frames of a .blend."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..engine.kernel_cache import platform_cache_folder
from .names import CACHE_FOLDER

# "flotsam", or "bl_ext.<repository>.flotsam" when installed as an extension.
PACKAGE = __package__.rpartition(".")[0]


def presets_folder(*parts: str) -> Path:
    """A folder or file among the presets that ship with the add-on."""
    return Path(__file__).parent.parent.joinpath("presets", *parts)


def user_folder(*parts: str, create: bool = False) -> Path:
    """A folder of ours that outlives an upgrade of the add-on; outside an extension, the platform's cache folder.

    Raises:
        OSError: it was to be created and could not be.
    """
    if PACKAGE.startswith("bl_ext."):
        folder = Path(bpy.utils.extension_path_user(PACKAGE)).joinpath(*parts)
    else:
        folder = platform_cache_folder().joinpath(*parts)
    if create:
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def kernel_cache_folder() -> str:
    """Where compiled kernels are kept, for `engine.prepare`."""
    return str(user_folder("kernels"))


def cache_folder(scene: bpy.types.Scene) -> Path:
    """The folder for baked frames of the open .blend; it may not exist yet.

    Each .blend has a folder of its own inside the one the artist named. A file that was never saved has no
    "//", so its frames go to the user's folder; each session there has its own.
    """
    asked = scene.flotsam.cache_folder or CACHE_FOLDER
    if bpy.data.filepath:
        return Path(bpy.path.abspath(asked)) / Path(bpy.data.filepath).stem
    session = Path(bpy.app.tempdir).name
    if asked.startswith("//"):
        return user_folder("unsaved", session)
    return Path(asked) / "unsaved" / session
