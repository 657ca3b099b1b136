"""Draws the voxels or cells of bodies whose preview is on, in every 3D view. Nothing of it is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ..names import SETTINGS
from ..properties.kinds import traits_of

if TYPE_CHECKING:
    from .voxels import Preview

# One shade for each axis, so that steps between voxels are visible.
_SHADES = ((0.95, 0.62, 0.22, 0.55), (0.80, 0.48, 0.14, 0.55), (1.0, 0.80, 0.45, 0.55))

_handle: Any = None
# Previews by object name.
_shown: dict[str, Preview] = {}
_batches: dict[str, Any] = {}


def show(obj: bpy.types.Object, found: Preview) -> None:
    """Start drawing a preview."""
    global _handle
    _shown[obj.name_full] = found
    _batches.pop(obj.name_full, None)
    if _handle is None and not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def hide(obj: bpy.types.Object) -> None:
    """Stop drawing an object's preview."""
    _shown.pop(obj.name_full, None)
    _batches.pop(obj.name_full, None)


def hide_all() -> None:
    """Stop drawing all previews."""
    global _handle
    _shown.clear()
    _batches.clear()
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None


def preview_of(obj: bpy.types.Object) -> Preview | None:
    """The preview drawn for an object, None without one."""
    return _shown.get(obj.name_full)


def is_filled(obj: bpy.types.Object) -> bool:
    """Whether voxels or cells fill the body: it is rigid, or a lattice carries it."""
    traits = traits_of(obj)
    return traits.is_rigid or (traits.is_springy and getattr(obj, SETTINGS).spring_graph.graph == "LATTICE")


def _draw() -> None:
    import gpu

    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.blend_set("ALPHA")
    shader = gpu.shader.from_builtin("FLAT_COLOR")
    for name, found in _shown.items():
        obj = bpy.data.objects.get(name)
        if obj is None or not is_filled(obj) or not obj.visible_get():
            continue
        if name not in _batches:
            _batches[name] = _batch(shader, found)
        with gpu.matrix.push_pop():
            gpu.matrix.multiply_matrix(obj.matrix_world)
            _batches[name].draw(shader)
    gpu.state.blend_set("NONE")
    gpu.state.depth_test_set("NONE")


def _batch(shader: Any, found: Preview) -> Any:
    import numpy as np
    from gpu_extras.batch import batch_for_shader

    colours = np.array(_SHADES, dtype=np.float32)[found.axes]
    return batch_for_shader(shader, "TRIS", {"pos": found.corners, "color": colours})
