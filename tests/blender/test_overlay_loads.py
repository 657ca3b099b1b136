"""Forces and torque on pins: arrows and the legend's numbers, in Live and of a bake."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.live import state
from flotsam.addon.live.session import LiveSession
from flotsam.addon.overlay.legend import words
from flotsam.addon.overlay.loads import TORQUE, TOTAL
from flotsam.addon.overlay.picture import DisplaySettings, Picture, Subject, paint
from flotsam.addon.overlay.subjects import subjects
from make_live import run
from make_scene import fresh_scene, mesh_object, soft


def beam(**fields: object) -> Subject:
    """Two pins a metre apart; at one of them a spring of 100 N/m hangs down that is stretched from 1 m to 1.2 m."""
    positions = np.array([[0.0, 0, 0], [1, 0, 0], [1, 0, -1.2]])
    return Subject(
        "Beam", positions, np.array([[0, 1], [1, 2]]), np.array([1.0, 1.0]), np.array([0, 1]),
        stiffness=np.array([500.0, 100.0]), **fields,
    )


def test_arrows_are_as_long_as_forces_and_the_torque_is_about_the_middle() -> None:
    """20 N pull one pin down: 10 N m about the middle of both, drawn as the 20 N that they would be at half a metre."""
    picture = paint([beam()], DisplaySettings(pin_forces=True, force_length=0.05))
    (load,) = picture.loads
    assert load.forces == pytest.approx(np.array([[0, 0, 0], [0, 0, -20.0]]))
    assert load.force == pytest.approx((0, 0, -20.0)) and load.torque == pytest.approx((0, 10.0, 0))
    lines = picture.layers["pin_forces"]
    starts, tips = lines.points[::6], lines.points[1::6]
    assert starts == pytest.approx(np.array([[1, 0, 0]] + 3 * [[0.5, 0, 0]]), abs=1e-6)
    expected = np.array([[0, 0, -1.0], [0, 0, -1.0], [0, 1.0, 0], [0, 0.85, 0]])
    assert tips - starts == pytest.approx(expected, abs=1e-5)
    colors = lines.colors[::6]
    assert np.allclose(colors[1], TOTAL) and np.allclose(colors[2:], TORQUE)


def test_by_itself_the_strongest_arrow_is_half_as_long_as_its_body() -> None:
    lines = paint([beam()], DisplaySettings(pin_forces=True)).layers["pin_forces"]
    assert np.linalg.norm(lines.points[1::6] - lines.points[::6], axis=1).max() == pytest.approx(0.6)


def test_what_the_solver_tells_counts_before_what_springs_seem_to_pull() -> None:
    load = np.array([[0.0, 0, 3.0], [0, 0, 1.0]])
    assert paint([beam(pin_forces=load)], DisplaySettings(pin_forces=True)).loads[0].force == pytest.approx((0, 0, 4.0))
    unknown = Subject(**{**beam().__dict__, "stiffness": None})
    assert paint([unknown], DisplaySettings(pin_forces=True)).loads == ()


def test_the_legend_tells_force_and_torque_without_a_bar() -> None:
    loads = paint([beam()], DisplaySettings(pin_forces=True)).loads
    assert words(Picture(loads=loads)) == ([], ["Pins of Beam: 20 N, 10 N·m"])
    assert len(words(Picture(loads=6 * loads))[1]) == 5


@pytest.fixture
def lamp(tmp_path: Path) -> Iterator[bpy.types.Object]:
    """A lamp of 2 kg on two cords."""
    fresh_scene(tmp_path, (1, 30))
    obj = soft(mesh_object("Lamp", [(-1, 0, 1), (1, 0, 1), (0, 0, 0)], edges=[(0, 2), (1, 2)]))
    settings = obj.flotsam.spring_graph
    settings.graph, settings.mass, settings.stiffness, settings.air_drag = "EDGES", 6.0, 1e4, 10.0
    obj.vertex_groups.new(name="pins").add([0, 1], 1.0, "REPLACE")
    yield obj
    if state.current() is not None:
        state.current().end()


def shown() -> Picture:
    context = bpy.context
    bodies = subjects(context.scene, context.view_layer, context.evaluated_depsgraph_get())
    return paint(bodies, DisplaySettings(pin_forces=True))


def test_a_lamp_hangs_on_its_pins_in_live_and_in_a_bake(lamp: bpy.types.Object) -> None:
    scene = bpy.context.scene
    bake_blocking(scene)
    scene.frame_set(30)
    (load,) = shown().loads
    assert load.force == pytest.approx((0.0, 0.0, -2.0 * 9.81), abs=0.4)
    session = LiveSession(scene)
    run(session, 30)
    (load,) = shown().loads
    assert load.force == pytest.approx((0.0, 0.0, -2.0 * 9.81), abs=0.4) and load.torque == pytest.approx(0.0, abs=0.1)
