"""Handlers for changes outside of the bake: copies, undo, files opened, meshes edited."""

from __future__ import annotations

import sys
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..names import SETTINGS
from ..properties.touched import touch

CLASSES = ()

# The add-on's package: modules that import numpy are called only if they are already imported.
_ADDON = __package__.rpartition(".")[0]
# Number of objects at the last search for copies.
_objects = 0


@persistent
def _after_load(*_what: Any) -> None:
    from .adopt import adopt_all

    _forget_digests()
    for name in ("said", "expense"):
        if f"{_ADDON}.bake.{name}" in sys.modules:
            sys.modules[f"{_ADDON}.bake.{name}"].forget_all()
    _stamp_all()
    adopt_all()


@persistent
def _after_undo(*_what: Any) -> None:
    _forget_digests()
    _look_for_copies()
    gone = sys.modules.get(f"{_ADDON}.bake.gone")
    if gone is not None:
        gone.unbake_missing_files()


@persistent
def _before_save(*_what: Any) -> None:
    _look_for_copies()


@persistent
def _after_update(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, *_what: Any) -> None:
    """Discard digests of changed meshes."""
    global _objects
    touch()
    if len(bpy.data.objects) != _objects:
        _objects = len(bpy.data.objects)
        _look_for_copies()
    mesh_digest = sys.modules.get(f"{_ADDON}.capture.mesh_digest")
    if mesh_digest is None:
        # No mesh digest has been computed yet.
        return
    for update in depsgraph.updates:
        if isinstance(update.id, bpy.types.Mesh):
            mesh_digest.forget_mesh(update.id.original.session_uid)
        elif isinstance(update.id, bpy.types.Key):
            mesh_digest.forget_mesh(update.id.original.user.session_uid)


def _look_for_copies() -> None:
    """Search for copies; imports numpy only where there is one."""
    if any(getattr(obj, SETTINGS).baked.uid not in (0, obj.session_uid & 0x7FFFFFFF) for obj in bpy.data.objects):
        from .copies import unbake_copies

        unbake_copies()


def _stamp_all() -> None:
    """Store the current session_uid in baked objects: it changes at each load, and a saved file contains no copies."""
    global _objects
    _objects = len(bpy.data.objects)
    for obj in bpy.data.objects:
        baked = getattr(obj, SETTINGS).baked
        if baked.path and obj.library is None:
            baked.uid = obj.session_uid & 0x7FFFFFFF


def _forget_digests() -> None:
    """Discard all digests after Blender has reloaded its data."""
    touch()
    mesh_digest = sys.modules.get(f"{_ADDON}.capture.mesh_digest")
    if mesh_digest is not None:
        mesh_digest.forget_meshes()


_HANDLERS = {
    "load_post": _after_load, "save_pre": _before_save, "undo_post": _after_undo, "redo_post": _after_undo,
    "depsgraph_update_post": _after_update,
}


def register() -> None:
    """Add the handlers; baked objects of an open file are marked as originals."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)
    # At Blender's start no file is open, and access to bpy.data is restricted.
    if hasattr(bpy.data, "objects"):
        _stamp_all()


def unregister() -> None:
    """Remove the handlers."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
