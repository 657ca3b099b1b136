"""Paths: the package's own files, the user's folder, the cache of a .blend."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from pathlib import Path

import bpy

from ..engine.compiler.kernel_cache import platform_cache_folder
from .names import CACHE_FOLDER

# "flotsam", or "bl_ext.<repository>.flotsam" when installed as an extension.
PACKAGE = __package__.rpartition(".")[0]

# File names are limited to 255 bytes; a number and two endings are added to ours.
_LONGEST_STEM = 200


def presets_folder(*parts: str) -> Path:
    """A folder or file among the presets that ship with the add-on."""
    return Path(__file__).parent.parent.joinpath("presets", *parts)


def user_folder(*parts: str, create: bool = False) -> Path:
    """A user folder that survives upgrades of the add-on; outside an extension, the platform's cache folder.

    Raises:
        OSError: the folder could not be created.
    """
    if PACKAGE.startswith("bl_ext."):
        folder = Path(bpy.utils.extension_path_user(PACKAGE)).joinpath(*parts)
    else:
        folder = platform_cache_folder().joinpath(*parts)
    if create:
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def kernel_cache_folder() -> str:
    """Folder of compiled kernels, for `engine.prepare`."""
    return str(user_folder("kernels"))


def cache_folder(scene: bpy.types.Scene) -> Path:
    """The folder for a scene's baked frames; it may not exist yet.

    The folder that the artist chose contains a folder for each .blend, which contains a folder for each scene. An
    unsaved file has no "//", so its frames go to the user's folder, in a folder for each session.
    """
    chosen = os.path.expanduser(scene.flotsam.cache_folder or CACHE_FOLDER)
    if not chosen.startswith("//") and not Path(chosen).is_absolute():
        # A relative path would depend on the working directory.
        chosen = "//" + chosen
    if bpy.data.filepath:
        return _blend_folder(chosen, bpy.data.filepath) / _scene_part(scene)
    session = Path(bpy.app.tempdir).name
    base = user_folder("unsaved") if chosen.startswith("//") else Path(chosen) / "unsaved"
    return base / session / _scene_part(scene)


@lru_cache(maxsize=64)
def _blend_folder(chosen: str, file: str) -> Path:
    """The folder for the frames of all scenes of a saved .blend; cached, because panels need it at every redraw."""
    blend = Path(file)
    base = plain(bpy.path.abspath(chosen))
    own = blend.stem
    if not base.is_relative_to(blend.parent):
        # Two projects may use the same folder and file name.
        own += "-" + _digest(str(blend))
    return base / own


@lru_cache(maxsize=256)
def plain(path: str) -> Path:
    """A path without "..", so that equal paths compare equal."""
    return Path(os.path.normpath(path))


def file_stem(name: str) -> str:
    """A name converted to a valid file name, in any language and of any length."""
    stem = bpy.path.clean_name(name) or "unnamed"
    if len(stem.encode()) > _LONGEST_STEM:
        stem = stem.encode()[:_LONGEST_STEM].decode(errors="ignore") + "-" + _digest(name)
    return stem


def _scene_part(scene: bpy.types.Scene) -> str:
    stem = file_stem(scene.name)
    alike = [other for other in bpy.data.scenes if file_stem(other.name).casefold() == stem.casefold()]
    return stem if len(alike) <= 1 else f"{stem}-{_digest(scene.name)}"


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(errors="surrogateescape"), digest_size=3).hexdigest()
