"""Rigid bodies in Live: shown by the modifier of the session, not taken hold of, recorded as keys, kept as a place."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.live.session import LiveSession
from make_live import until
from make_rigid import add_box, add_floor, curves_of, place_at, rigid_scene
from make_scene import world_positions


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
        assert not session.take(np.array([0.0, 0.0, 5.0]), np.array([0.0, 0.0, -1.0]), True)
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
