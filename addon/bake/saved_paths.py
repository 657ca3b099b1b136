"""Adapts paths to bakes when a .blend is saved elsewhere: Blender converts those of modifiers, but not other strings.

A .blend that is moved together with its cache also plays without this add-on.
"""

from __future__ import annotations

import os
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..names import MODIFIER, SETTINGS, SURFACE_MODIFIER

CLASSES = ()

# Of each adapted object, before the save in progress: name, folders in its nodes, file of its bake.
_original_paths: list[tuple[str, dict[tuple[str, str], str], str]] = []


@persistent
def _before_save(path: str, *_what: Any) -> None:
    _original_paths.clear()
    folder = os.path.dirname(path)
    if not path or not bpy.data.filepath or folder == os.path.dirname(bpy.data.filepath):
        return
    for obj in bpy.data.objects:
        if obj.library is None:
            _adapt_paths(obj, folder)


@persistent
def _after_save(path: str, *_what: Any) -> None:
    """Restore the paths if the open file keeps its own: a copy was saved, or saving failed."""
    if bpy.data.filepath != path:
        for name, folders, file in _original_paths:
            _set_paths(bpy.data.objects[name, None], folders, file)
    _original_paths.clear()


def _adapt_paths(obj: bpy.types.Object, folder: str) -> None:
    own, file = _played_folders(obj), getattr(obj, SETTINGS).baked.path
    if own or file.startswith("//"):
        _original_paths.append((obj.name, own, file))
        adapted = {place: _from_folder(named, folder) + "/" for place, named in own.items()}
        _set_paths(obj, adapted, _from_folder(file, folder))


def _from_folder(path: str, folder: str) -> str:
    """A path of the open .blend, made relative to another folder; absolute paths stay."""
    if not path.startswith("//"):
        return path
    target = bpy.path.abspath(path)
    try:
        return bpy.path.relpath(target, start=folder)
    except ValueError:
        # On Windows there is no relative path to another drive.
        return target


def _set_paths(obj: bpy.types.Object, folders: dict[tuple[str, str], str], file: str) -> None:
    getattr(obj, SETTINGS).baked.path = file
    for (modifier, label), folder in folders.items():
        from ..write.node_groups import set_inputs

        set_inputs(obj.modifiers[modifier], {label: folder})


def _played_folders(obj: bpy.types.Object) -> dict[tuple[str, str], str]:
    """Relative folders in inputs of Geometry Nodes modifiers, by modifier and input; imports numpy only for these."""
    modifiers = [obj.modifiers.get(name) for name in (MODIFIER, SURFACE_MODIFIER)]
    if not any(one is not None and one.type == "NODES" and one.node_group is not None for one in modifiers):
        return {}
    from ..write.node_groups import get_input, plays_our_group
    from ..write.point_nodes import FOLDER
    from ..write.surface_nodes import FINE_FOLDER, finer_folder

    points, surface = modifiers
    own = {
        (MODIFIER, FOLDER): (get_input(points, FOLDER) or "") if plays_our_group(points) else "",
        (SURFACE_MODIFIER, FINE_FOLDER): finer_folder(surface),
    }
    return {place: folder for place, folder in own.items() if folder.startswith("//")}


_HANDLERS = {"save_pre": _before_save, "save_post": _after_save, "save_post_fail": _after_save}


def register() -> None:
    """Add the handlers."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Remove the handlers."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
