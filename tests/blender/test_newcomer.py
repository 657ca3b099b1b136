"""A newcomer's steps from an empty file to a render, with only the Add menu and the tab in the sidebar."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
from flotsam.addon.bake.on_disk import baked_range
from flotsam.addon.live.session import LiveSession
from flotsam.addon.operators.add_body import FLOTSAM_MT_add
from flotsam.addon.panels.live import FLOTSAM_PT_view_live
from flotsam.addon.panels.view import FLOTSAM_PT_view_bake, FLOTSAM_PT_view_body
from flotsam.addon.render import render_still
from make_live import run, until
from make_scene import fresh_scene, world_positions
from recorded import Recorder


def offered() -> set[str]:
    """Operators and menus that the Add menu and the sidebar tab offer now."""
    found: set[str] = set()
    for shown in (FLOTSAM_MT_add, FLOTSAM_PT_view_body, FLOTSAM_PT_view_live, FLOTSAM_PT_view_bake):
        layout = Recorder()
        shown.draw(SimpleNamespace(layout=layout), bpy.context)
        found |= {*layout.buttons, *layout.menus}
    return found


def test_from_an_empty_file_to_a_picture(tmp_path: Path) -> None:
    """Add a ring with a material, Live, grab, bake, play, render; every button is offered when it is pressed."""
    scene = fresh_scene(tmp_path)
    for field in ("frame_start", "frame_end", "range_choice", "substeps"):
        scene.flotsam.property_unset(field)
    scene.frame_end = 30
    bpy.ops.wm.save_mainfile()

    assert "flotsam.add_body" in offered()
    assert bpy.ops.flotsam.add_body(shape="RING", material="balloon", location=(0.0, 0.0, 1.0)) == {"FINISHED"}
    body = bpy.context.object
    assert body.flotsam.spring_graph.restitution > 0.0 and "FLOTSAM_MT_materials" in offered()
    assert bpy.ops.flotsam.apply_preset(preset="rubber_ring") == {"FINISHED"}
    assert bpy.ops.flotsam.add_body(shape="WATER") == {"FINISHED"}

    assert "flotsam.live" in offered()
    session = LiveSession(scene)
    try:
        run(session, 3)
        assert "flotsam.live_control" in offered()
        assert session.take(np.array([0.5, 0.0, 5.0]), np.array([0.0, 0.0, -1.0]), False)
        before = session.frame.positions["Ring"][:, 2].mean()
        session.drag(np.array([0.5, 0.0, 3.0]))
        until(session, lambda: session.frame.positions["Ring"][:, 2].mean() > before + 0.1)
        session.release()
    finally:
        session.end()

    bpy.context.view_layer.objects.active = body
    assert {"flotsam.bake", "screen.animation_play", "render.render"} <= offered()
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    assert baked_range(body) == (1, 30)
    heights = [np.array(world_positions(body, frame))[:, 2].mean() for frame in (1, 8, 30)]
    assert heights[0] > heights[1] and -0.2 < heights[2] < 0.3

    bpy.ops.object.camera_add(location=(0.0, -4.0, 1.0), rotation=(1.4, 0.0, 0.0))
    scene.camera = bpy.context.object
    bpy.ops.object.light_add(type="SUN")
    picture = tmp_path / "ring.png"
    render_still(scene, picture, (64, 36), 2)
    assert picture.stat().st_size > 0
