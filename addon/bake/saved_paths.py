"""Adapts folders of points when a .blend is saved elsewhere: Blender converts file paths, but not strings in nodes.

Without this add-on, a file moved together with its cache still plays.
"""

from __future__ import annotations

import os
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..names import GROUP_MARK, MODIFIER

CLASSES = ()

# Object names and their folders before the save in progress.
_before: list[tuple[str, str]] = []


@persistent
def _before_save(path: str, *_what: Any) -> None:
    _before.clear()
    folder = os.path.dirname(path)
    if not path or not bpy.data.filepath or folder == os.path.dirname(bpy.data.filepath):
        return
    for obj in bpy.data.objects:
        if obj.library is None and _plays_points(obj):
            _turn(obj, folder)


@persistent
def _after_save(path: str, *_what: Any) -> None:
    """Restore the folders if the open file keeps its path: a copy was saved, or saving failed."""
    if bpy.data.filepath != path:
        for name, folder in _before:
            _set_folder(bpy.data.objects[name, None], folder)
    _before.clear()


def _turn(obj: bpy.types.Object, folder: str) -> None:
    from ..write.node_groups import get_input
    from ..write.point_nodes import FOLDER

    own = get_input(obj.modifiers[MODIFIER], FOLDER) or ""
    if not own.startswith("//"):
        return
    _before.append((obj.name, own))
    target = bpy.path.abspath(own)
    try:
        _set_folder(obj, bpy.path.relpath(target, start=folder) + "/")
    except ValueError:
        # On Windows there is no relative path to another drive.
        _set_folder(obj, target)


def _set_folder(obj: bpy.types.Object, folder: str) -> None:
    from ..write.node_groups import set_inputs
    from ..write.point_nodes import FOLDER

    set_inputs(obj.modifiers[MODIFIER], {FOLDER: folder})


def _plays_points(obj: bpy.types.Object) -> bool:
    """As `PointsWriter.plays`, without importing numpy at the first save."""
    modifier = obj.modifiers.get(MODIFIER)
    if modifier is None or modifier.type != "NODES" or modifier.node_group is None:
        return False
    return GROUP_MARK in modifier.node_group


_HANDLERS = {"save_pre": _before_save, "save_post": _after_save, "save_post_fail": _after_save}


def register() -> None:
    """Add the handlers."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Remove the handlers."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
