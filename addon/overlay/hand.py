"""Draws in every 3D view the spring between the mouse and the held body, or circles where the mouse calls flocks."""

from __future__ import annotations

from typing import Any

import bpy

from ..live import state

# Windings of the drawn spring, and points per winding.
_WINDINGS, _POINTS = 12, 8
_WIDTH_PIXELS = 2.0
_COLOR, _FRIGHT = (1.0, 0.75, 0.2, 1.0), (1.0, 0.25, 0.2, 1.0)
# Radius of the circles around a place that calls flocks, as a fraction of its distance from the viewpoint.
_RADIUS = 0.02

_handle: Any = None


def begin() -> None:
    """Start drawing."""
    global _handle
    if _handle is None:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def end() -> None:
    """Stop drawing."""
    global _handle
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None


def coil(start: Any, stop: Any, radius: float) -> Any:
    """Points (p, 3) of a coil between two points (3,)."""
    import numpy as np

    vector = np.asarray(stop, dtype=np.float64) - start
    length = float(np.linalg.norm(vector))
    along = np.linspace(0.0, 1.0, _WINDINGS * _POINTS + 1)
    if length < 1e-9:
        return np.asarray(start) + np.zeros((len(along), 3))
    aside = np.cross(vector, np.eye(3)[np.argmin(np.abs(vector))])
    aside /= np.linalg.norm(aside)
    above = np.cross(vector / length, aside)
    angle = 2.0 * np.pi * _WINDINGS * along[:, None]
    # Straight at both ends, so that the attachment points are visible.
    thick = radius * np.clip(np.minimum(along, 1.0 - along)[:, None] / 0.1, 0.0, 1.0)
    return start + along[:, None] * vector + thick * (np.cos(angle) * aside + np.sin(angle) * above)


def circles(middle: Any, radius: float) -> Any:
    """Points (p, 3) of three circles around a point (3,) as one line; each circle passes the start of the next one."""
    import numpy as np

    angle = np.linspace(0.0, 2.0 * np.pi, 4 * _POINTS + 1)
    around = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=1)
    upright = np.stack([np.cos(angle), np.zeros_like(angle), np.sin(angle)], axis=1)
    # A quarter circle from +X to +Y leads to the start of the last circle, which has no point on the X axis.
    quarter = around[: _POINTS + 1]
    across = np.stack([np.zeros_like(angle), np.cos(angle), np.sin(angle)], axis=1)
    return np.asarray(middle) + radius * np.concatenate([around, upright, quarter, across])


def _draw() -> None:
    session = state.current()
    if session is None or session.hold is None or session.frame is None:
        return
    import gpu
    import numpy as np
    from gpu_extras.batch import batch_for_shader

    from ..live.lure import Lure

    hold, color = session.hold, _COLOR
    if isinstance(hold, Lure):
        eye = bpy.context.region_data.view_matrix.inverted().translation
        points = circles(hold.target, _RADIUS * float(np.linalg.norm(hold.target - np.array(eye))))
        color = _FRIGHT if hold.frightens else _COLOR
    else:
        start = hold.middle(session.frame)
        if start is None:
            return
        points = coil(start, hold.target, 0.05 * float(np.linalg.norm(hold.target - start)))
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", _WIDTH_PIXELS)
    shader.uniform_float("color", color)
    gpu.state.depth_test_set("NONE")
    batch_for_shader(shader, "LINE_STRIP", {"pos": points.astype(np.float32)}).draw(shader)
