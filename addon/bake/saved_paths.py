"""Adapts paths to bakes when a .blend is saved elsewhere: Blender converts those of modifiers, but not other strings.

Without this add-on, a file moved together with its cache still plays.
"""

from __future__ import annotations

import os
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..names import GROUP_MARK, MODIFIER, SETTINGS

CLASSES = ()

# Object names, with the folder in their nodes and the file of their bake, before the save in progress.
_before: list[tuple[str, str, str]] = []


@persistent
def _before_save(path: str, *_what: Any) -> None:
    _before.clear()
    folder = os.path.dirname(path)
    if not path or not bpy.data.filepath or folder == os.path.dirname(bpy.data.filepath):
        return
    for obj in bpy.data.objects:
        if obj.library is None:
            _turn(obj, folder)


@persistent
def _after_save(path: str, *_what: Any) -> None:
    """Restore the paths if the open file keeps its own: a copy was saved, or saving failed."""
    if bpy.data.filepath != path:
        for name, folder, file in _before:
            _set_paths(bpy.data.objects[name, None], folder, file)
    _before.clear()


def _turn(obj: bpy.types.Object, folder: str) -> None:
    own, file = _played_folder(obj), getattr(obj, SETTINGS).baked.path
    if own.startswith("//") or file.startswith("//"):
        _before.append((obj.name, own, file))
        _set_paths(obj, _from_folder(own, folder) + "/" if own.startswith("//") else own, _from_folder(file, folder))


def _from_folder(path: str, folder: str) -> str:
    """A path of the open file as a file in another folder names it; absolute paths stay."""
    if not path.startswith("//"):
        return path
    target = bpy.path.abspath(path)
    try:
        return bpy.path.relpath(target, start=folder)
    except ValueError:
        # On Windows there is no relative path to another drive.
        return target


def _set_paths(obj: bpy.types.Object, folder: str, file: str) -> None:
    getattr(obj, SETTINGS).baked.path = file
    if folder:
        from ..write.node_groups import set_inputs
        from ..write.point_nodes import FOLDER

        set_inputs(obj.modifiers[MODIFIER], {FOLDER: folder})


def _played_folder(obj: bpy.types.Object) -> str:
    """The folder of points in an object's nodes, empty without; imports numpy only where there is one."""
    modifier = obj.modifiers.get(MODIFIER)
    if modifier is None or modifier.type != "NODES" or modifier.node_group is None:
        return ""
    if GROUP_MARK not in modifier.node_group:
        return ""
    from ..write.node_groups import get_input
    from ..write.point_nodes import FOLDER

    return get_input(modifier, FOLDER) or ""


_HANDLERS = {"save_pre": _before_save, "save_post": _after_save, "save_post_fail": _after_save}


def register() -> None:
    """Add the handlers."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Remove the handlers."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
