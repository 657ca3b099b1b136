"""Time of a frame in Live: solving, writing and evaluation in sequence; without window and drawing."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import bpy
import numpy as np
import pytest
from flotsam.addon.capture import capture_world, controls_now, local_matrices
from flotsam.addon.live.live_preview import LivePreview
from flotsam.addon.live.recording import as_shown
from flotsam.addon.scenes import build_scene
from flotsam.addon.scenes import shapes as add_body
from flotsam.engine import build_world, prepare, step_frame
from make_cloth import cloth_frame_time, torus_and_floor
from make_scene import fresh_scene, ground
from test_scene_speed import CLOTH_SECONDS, PACE, PRESET

pytestmark = pytest.mark.alone

# Kinds of processors differ in how fast they run Cloth and this solver: the same code reached 24.0 frames a second, so
# scaled, on the machine on which the limit was set, and 22.2 on an idle one that takes 1.25 times as long for Cloth.
OTHER_KIND = 0.9
AROUND, ACROSS = 260, 86
FEWEST_SPRINGS = 100_000
FRAMES = 100


def rapids() -> None:
    """The scene of the demo."""
    build_scene(PRESET, bpy.context.scene)


def fine_ring() -> None:
    """A ring from the Add menu with 100,000 springs that falls 10 cm onto the ground and rests."""
    ground()
    around, across = add_body._AROUND, add_body._ACROSS
    add_body._AROUND, add_body._ACROSS = AROUND, ACROSS
    try:
        bpy.ops.flotsam.add_body(shape="RING", location=(0.0, 0.0, 0.27))
    finally:
        add_body._AROUND, add_body._ACROSS = around, across


def mean_frame() -> float:
    """Mean time of a frame of the open scene in Live: the solver, then the display [s]."""
    scene = bpy.context.scene
    captured = capture_world(scene, bpy.context.evaluated_depsgraph_get(), by_hand=True)
    world, show = build_world(captured.spec), LivePreview()
    if len(captured.bodies) == 1:
        assert world.systems[0].springs.count >= FEWEST_SPRINGS
    try:
        show.begin(captured.bodies)
        step_frame(world)
        began = time.perf_counter()
        for _ in range(FRAMES):
            frame = step_frame(world, controls_now(captured, scene))
            show.write(as_shown(frame, captured), local_matrices(captured, scene))
            bpy.context.view_layer.update()
        return (time.perf_counter() - began) / FRAMES
    finally:
        show.end()


@pytest.mark.slow
@pytest.mark.parametrize("make", [rapids, fine_ring], ids=["demo", "100,000 springs"])
def test_live_keeps_24_frames_a_second(make: Callable[[], None]) -> None:
    """On a slower machine scaled by its time for Cloth, 18.5 ms here, see `OTHER_KIND`; best of three rounds.

    See also `test_scene_speed`.
    """
    prepare()
    paces = []
    for _ in range(3):
        torus, _floor = torus_and_floor()
        bpy.context.view_layer.update()
        before = cloth_frame_time(torus)
        fresh_scene()
        make()
        bpy.context.view_layer.update()
        rate = 1.0 / mean_frame()
        torus, _floor = torus_and_floor()
        bpy.context.view_layer.update()
        slower = max(statistics.mean((before, cloth_frame_time(torus))) / CLOTH_SECONDS, 1.0)
        paces.append(rate * slower / (OTHER_KIND if slower > 1.0 / OTHER_KIND else 1.0))
        print(f"{rate:.1f} frames a second, a machine {slower:.2f} times as slow")
        if paces[-1] >= PACE:
            break
    assert np.max(paces) >= PACE
