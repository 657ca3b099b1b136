"""Rigid bodies in Live: displayed by its modifier, pulled with the mouse, recorded as keyframes, kept as a pose."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.live.session import LiveSession
from make_live import run, until
from make_rigid import add_box, add_floor, curves_of, place_at, rigid_scene
from make_scene import sheet, soft, world_positions
from recorded import all_text

DOWN = np.array([0.0, 0.0, -1.0])


@pytest.fixture
def scene(tmp_path: Path) -> bpy.types.Scene:
    return rigid_scene(tmp_path)


def test_a_crate_falls_in_the_view_and_is_back_at_the_end(scene: bpy.types.Scene) -> None:
    crate = add_box("Crate", (0.0, 0.0, 1.0), (0.2, 0.1, 0.0))
    add_floor()
    before = world_positions(crate, 1)
    session = LiveSession(scene)
    try:
        until(session, lambda: session.frame is not None and session.frame.number > 15)
        assert np.mean(world_positions(crate, 1), axis=0)[2] < 0.6
        assert tuple(crate.location) == (0.0, 0.0, 1.0)
    finally:
        session.end()
    assert world_positions(crate, 1) == before and len(crate.modifiers) == 0


def test_a_recording_becomes_keys(scene: bpy.types.Scene) -> None:
    crate = add_box("Crate", (0.0, 0.0, 1.0), (0.2, 0.1, 0.0))
    add_floor()
    session = LiveSession(scene)
    try:
        until(session, lambda: session.recorded > 15)
        shown = np.array(session.frame.transforms["Crate"])
        first, last = session.bake()
    finally:
        session.end()
    assert len(curves_of(crate)[0].keyframe_points) == last - first + 1
    assert place_at(scene, crate, first)[2, 3] == pytest.approx(1.0, abs=1e-6)
    assert place_at(scene, crate, last) == pytest.approx(shown, abs=1e-4)


def test_a_kept_place_is_where_it_starts(scene: bpy.types.Scene) -> None:
    crate = add_box("Crate", (0.0, 0.0, 1.0), (0.2, 0.1, 0.0))
    add_floor()
    mesh = [tuple(vertex.co) for vertex in crate.data.vertices]
    session = LiveSession(scene)
    try:
        until(session, lambda: session.recorded > 10)
        session.pause()
        there = np.array(session.frame.transforms["Crate"])
        session.keep()
    finally:
        session.end()
    bpy.context.view_layer.update()
    assert np.array(crate.matrix_world) == pytest.approx(there, abs=1e-4)
    assert [tuple(vertex.co) for vertex in crate.data.vertices] == mesh


def test_the_mouse_holds_a_crate_where_it_met_it(scene: bpy.types.Scene) -> None:
    """With strength 20 the grabbed point hangs 1 / 20 m below the hand at rest, and the centre below it.

    Damping c = sqrt(k m) makes the first oscillation decay as exp(-sqrt(20 g) t / 2), 1e-8 after 2.5 s. The crate's
    own swing about the grabbed point has no damping, and moves that point by less than 2 cm.
    """
    crate = add_box("Crate", (0.0, 0.0, 1.0))
    session = LiveSession(scene)
    try:
        until(session, lambda: session.frame is not None)
        x = float(session.frame.positions["Crate"][:, 0].mean())
        assert session.take(np.array([x, 0.0, 5.0]), DOWN, True)
        hold = session.hold
        assert hold.body == "Crate" and hold.target == pytest.approx([x, 0.0, 1.25], abs=0.03)
        # Voxels of 0.06 m do not divide 0.5 m evenly.
        assert hold.mass == pytest.approx(500.0 * 0.5**3, rel=0.05)
        session.drag(np.array([x, 0.0, 2.0]))
        run(session, 60)
        held = hold.weights / hold.weights.sum() @ session.frame.positions["Crate"][hold.particles]
        assert held == pytest.approx([x, 0.0, 1.95], abs=0.02)
        assert session.frame.transforms["Crate"][2, 3] < held[2] - 0.2
        session.release()
        run(session, 24)
        assert session.frame.transforms["Crate"][2, 3] < 0.5
    finally:
        session.end()
    assert len(crate.modifiers) == 0


def test_the_mouse_takes_what_is_nearest_soft_or_rigid(scene: bpy.types.Scene) -> None:
    """A sheet lies above one crate and below another; the crates are a metre apart."""
    add_box("High", (0.0, 0.0, 1.0))
    add_box("Low", (1.0, 0.0, 0.0))
    soft(sheet("Sheet", count=9, size=6.0), mass=0.2)
    bpy.data.objects["Sheet"].location.z = 0.5
    scene.gravity = (0.0, 0.0, 0.0)
    session = LiveSession(scene)
    try:
        until(session, lambda: session.frame is not None)
        found = []
        for x in (0.0, 1.0):
            assert session.take(np.array([x, 0.01, 5.0]), DOWN, True)
            found.append(session.hold.body)
        assert found == ["High", "Sheet"]
        assert session.take(np.array([1.0, 0.01, -5.0]), -DOWN, True) and session.hold.body == "Low"
    finally:
        session.end()


def test_a_crate_is_held_before_time_runs(scene: bpy.types.Scene) -> None:
    add_box("Crate", (0.0, 0.0, 1.0), (0.0, 0.0, 0.7))
    session = LiveSession(scene)
    try:
        session.pause()
        until(session, lambda: session.ready)
        assert session.take(np.array([0.1, 0.0, 5.0]), DOWN, False)
        assert session.hold.target == pytest.approx([0.1, 0.0, 1.25], abs=1e-5)
    finally:
        session.end()


def test_who_stays_behind_is_said_in_the_panel(scene: bpy.types.Scene) -> None:
    crate = add_box("Crate", (0.0, 0.0, 1.0))
    lamp = bpy.data.objects.new("Lamp", None)
    scene.collection.objects.link(lamp)
    session = LiveSession(scene)
    try:
        assert session.note == ""
        lamp.parent = crate
        until(session, lambda: session.note != "")
        bpy.context.view_layer.objects.active = crate
        assert "In Live Lamp will stay behind" in all_text("physics")
    finally:
        session.end()
