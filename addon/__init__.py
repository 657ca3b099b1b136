"""Flotsam inside Blender: one ordered list of modules, each with the classes it adds.

Neither this module nor the listed ones import numpy or numba before the first bake.
"""

from __future__ import annotations

import atexit
from importlib import import_module
from types import ModuleType

import bpy

from ..engine import end_threads

# In order of registration: settings before panels that show them, a panel before its sub-panels.
MODULES = (
    "properties.kinds",
    "properties.outside",
    "properties.object",
    "properties.interactions",
    "properties.attachments",
    "properties.joints",
    "properties.overlay",
    "properties.scene",
    "live.handlers",
    "bake.handlers",
    "bake.saved_paths",
    "overlay.viewport",
    "overlay.timeline",
    "operators.add",
    "operators.add_body",
    "operators.live",
    "operators.live_control",
    "operators.rest_shape",
    "operators.bake",
    "operators.bake_selected",
    "operators.bake_control",
    "operators.resume",
    "operators.bake_to_shape_keys",
    "operators.bake_to_keyframes",
    "operators.remove",
    "operators.clear_cache",
    "operators.match_levels",
    "operators.select",
    "operators.show_stress",
    "operators.add_scene",
    "operators.apply_preset",
    "operators.save_material",
    "operators.copy_to_selected",
    "operators.add_surface",
    "operators.bake_surface",
    "operators.add_instances",
    "operators.edit_interactions",
    "operators.compile",
    "operators.pin",
    "operators.rigid_to_colliders",
    "operators.attach",
    "operators.remove_row",
    "operators.join",
    "operators.voxel_preview",
    "panels.add_button",
    "panels.materials",
    "panels.object",
    "panels.live",
    "panels.cache",
    "panels.parameters",
    "panels.weights",
    "panels.quality",
    "panels.scene",
    "panels.outside",
    "panels.interactions",
    "panels.attachments",
    "panels.joints",
    "panels.overlay",
    "panels.view",
    "manual",
    "cli.command",
)

_registered: list[type] = []
_extended: list[ModuleType] = []


def register() -> None:
    """Register all classes and run the modules' register functions; on failure undo everything and report why."""
    try:
        for name in MODULES:
            _register_module(import_module(f".{name}", __package__))
    except BaseException:
        unregister()
        raise
    if bpy.app.module:
        # Blender 4.5 as a Python module crashes or hangs at exit if classes are still registered.
        atexit.register(unregister)


def _register_module(module: ModuleType) -> None:
    for bl_class in module.CLASSES:
        bpy.utils.register_class(bl_class)
        _registered.append(bl_class)
    if hasattr(module, "register"):
        module.register()
        _extended.append(module)


def unregister() -> None:
    """Undo `register`, in reverse order."""
    atexit.unregister(unregister)
    while _extended:
        _extended.pop().unregister()
    while _registered:
        bpy.utils.unregister_class(_registered.pop())
    end_threads()
