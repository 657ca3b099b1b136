"""The overlay on the GPU: lines in the 3D view and a legend; rebuilt only when its signature changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.app.handlers import persistent

from ..names import SETTINGS
from ..properties.overlay import SHOWN

if TYPE_CHECKING:
    from .picture import Picture

CLASSES = ()

_WIDTHS = {"springs": 1.8, "struts": 1.0, "spheres": 1.2, "pins": 2.0, "velocities": 1.6, "ties": 2.4, "fields": 1.4,
           "pin_forces": 2.4}
# Fraction of the viewing distance by which lines move towards the viewpoint, in front of the faces they lie on.
_NEARER = 0.004

_handles: list[Any] = []
_changes = 0
_drawn: tuple[Any, Picture | None, list[tuple[str, Any]]] = (None, None, [])
# Struts as last drawn: picture, view matrix and batch.
_struts: tuple[Picture | None, Any, Any] = (None, None, None)


def _draw_lines() -> None:
    context = bpy.context
    if not _is_visible(context):
        return
    import gpu
    from mathutils import Matrix

    _refresh(context)
    shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
    scale = context.preferences.system.ui_scale
    shader.bind()
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_mask_set(False)
    view = gpu.matrix.get_model_view_matrix()
    if context.region_data.is_perspective:
        nearer = Matrix.Diagonal((1.0 - _NEARER,) * 3 + (1.0,))
    else:
        nearer = Matrix.Translation((0.0, 0.0, _NEARER * context.region_data.view_distance))
    with gpu.matrix.push_pop():
        # Moving along the view ray changes nothing on screen, but faces no longer hide the lines on them.
        gpu.matrix.load_matrix(nearer @ view)
        for name, batch in (*_drawn[2], *_strut_batches(view)):
            shader.uniform_float("lineWidth", _WIDTHS[name] * scale)
            gpu.state.depth_test_set("LESS_EQUAL" if name == "springs" else "ALWAYS")
            batch.draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.depth_mask_set(True)
    gpu.state.blend_set("NONE")


def _draw_legend() -> None:
    context = bpy.context
    if not _is_visible(context):
        return
    picture = _drawn[1]
    if picture is not None and (picture.limit > 0.0 or picture.loads):
        from .legend import draw_legend

        draw_legend(context, picture)


def _is_visible(context: bpy.types.Context) -> bool:
    """Whether anything should be drawn in this view."""
    if context.space_data is None or not context.space_data.overlay.show_overlays or context.region_data is None:
        return False
    chosen = getattr(context.scene, SETTINGS).overlay
    return any(getattr(chosen, name) for name in SHOWN)


def _refresh(context: bpy.types.Context) -> None:
    """Compute and upload what changed; views with the same content share it."""
    global _drawn
    from . import fields, ties
    from .subjects import chosen_names, display_settings, signature, subjects

    found = signature(context.scene, context.view_layer, _changes)
    if found == _drawn[0]:
        return
    import gpu
    from gpu_extras.batch import batch_for_shader

    from .picture import paint

    scene, depsgraph = context.scene, context.evaluated_depsgraph_get()
    display, seen = display_settings(scene), chosen_names(scene, context.view_layer)
    drawn_ties = ties.ties(scene, depsgraph, seen) if display.ties else None
    drawn_fields = fields.field_arrows(scene, context.view_layer, depsgraph, seen) if display.fields else None
    picture = paint(subjects(scene, context.view_layer, depsgraph), display, drawn_ties, drawn_fields)
    shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
    batches = [
        (name, batch_for_shader(shader, "LINES", {"pos": lines.points, "color": lines.colors}))
        for name, lines in picture.layers.items() if name != "struts"
    ]
    _drawn = (found, picture, batches)


def _strut_batches(view: Any) -> list[tuple[str, Any]]:
    """The struts, faded with depth so that the near side stands out; rebuilt when the view rotates."""
    global _struts
    picture = _drawn[1]
    if picture is None or "struts" not in picture.layers:
        return []
    seen = tuple(value for row in view for value in row)
    if _struts[0] is not picture or _struts[1] != seen:
        import gpu
        import numpy as np
        from gpu_extras.batch import batch_for_shader

        from .picture import faded

        lines = picture.layers["struts"]
        colors = faded(lines, np.array(seen).reshape(4, 4))
        shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
        _struts = (picture, seen, batch_for_shader(shader, "LINES", {"pos": lines.points, "color": colors}))
    return [("struts", _struts[2])]


@persistent
def _changed(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Count changes of meshes."""
    global _changes
    if any(update.is_updated_geometry for update in depsgraph.updates):
        _changes += 1


def register() -> None:
    """Start drawing in all 3D views."""
    for draw, when in ((_draw_lines, "POST_VIEW"), (_draw_legend, "POST_PIXEL")):
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", when))
    bpy.app.handlers.depsgraph_update_post.append(_changed)


def unregister() -> None:
    """Stop drawing."""
    global _drawn, _struts
    bpy.app.handlers.depsgraph_update_post.remove(_changed)
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    _drawn, _struts = (None, None, []), (None, None, None)
