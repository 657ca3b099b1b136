"""`Controls.water`: a height field moves the surface of level water."""

from __future__ import annotations

import numpy as np
import pytest
import sea
import shapes
from conftest import Truth
from flotsam.engine import (
    Controls,
    HeightField,
    SpecError,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.fields.water.waves import Waves, field_shape
from sea import AMPLITUDE, LENGTH, PERIOD, RATE


def swell_field(time: float) -> HeightField:
    """The swell as a height field around the origin, with the velocities of deep water (Airy)."""
    along = 0.5 * (np.arange(201) - 100.0)
    phase = 2.0 * np.pi * (along / LENGTH - time / PERIOD)
    heights = np.repeat(AMPLITUDE * np.sin(phase)[:, None], 41, axis=1)
    orbit = 2.0 * np.pi / PERIOD * AMPLITUDE
    flow = np.stack([orbit * np.sin(phase), np.zeros(201), -orbit * np.cos(phase)], axis=-1)
    return HeightField((-50.0, -10.0), 0.5, heights, np.repeat(flow[:, None], 41, axis=1))


def test_t28_a_height_field_carries_a_crate_with_its_velocities(truth: Truth) -> None:
    """`Controls.water` gives level water a surface: amplitude within 5 %, and the crate goes to and fro with the water.

    In deep water particles move in circles of the amplitude; the crate moves along X as far as the water, to 15 %.
    """
    crate, sides = shapes.box(0.5, 2)
    world = build_world(WorldSpec(systems=(
        VoxelBodySpec("body", crate, sides, density=600.0), WaterSpec("sea", drag=2.0),
    )))
    middles = []
    for frame in range(8 * 24):
        step_frame(world, Controls(water={"sea": swell_field((frame + 1) / RATE)}))
        middles.append(world.positions("body").mean(axis=0))
    last = np.array(middles)[-4 * 24 :]
    truth("T28", "amplitude of a crate on a height field", np.ptp(last[:, 2]) / 2.0, AMPLITUDE, 0.05)
    steady = last[:, 0] - np.polyval(np.polyfit(np.arange(len(last)), last[:, 0], 1), np.arange(len(last)))
    assert np.ptp(steady) / 2.0 == pytest.approx(AMPLITUDE, rel=0.15)


def test_a_height_field_is_the_mesh_of_its_cells_and_goes_on_after_a_snapshot() -> None:
    field = swell_field(0.3)
    height, stream = Waves(field_shape("sea", field), RATE).over(np.array([[0.25, 0.1, 0.0], [-49.0, 9.0, 1.0]]))
    assert height == pytest.approx([0.5 * (field.heights[100, 20] + field.heights[101, 20]), field.heights[2, 38]])
    assert stream[1] == pytest.approx(field.velocities[2, 38])
    crate, sides = shapes.box(0.5, 2)
    spec = WorldSpec(systems=(VoxelBodySpec("body", crate, sides, density=600.0), WaterSpec("sea")))
    places = []
    for at in (None, 5):
        world = build_world(spec)
        for frame in range(10):
            if frame == at:
                kept, world = world.snapshot(), build_world(spec)
                world.restore(kept)
            step_frame(world, Controls(water={"sea": swell_field(frame / RATE)} if frame != 7 else {}))
        places.append(world.positions("body"))
    assert np.array_equal(*places)


def test_what_is_no_height_field_is_refused_with_a_sentence() -> None:
    sheet, faces = sea.grid(2.0, 2)
    wavy = build_world(WorldSpec(systems=(WaterSpec("sea", surface="MESH", vertices=sheet, triangles=faces),)))
    level = build_world(WorldSpec(systems=(WaterSpec("pond"),)))
    flat = np.zeros((3, 2))
    with pytest.raises(SpecError, match="vertices, as its surface is MESH"):
        step_frame(wavy, Controls(water={"sea": HeightField((0.0, 0.0), 1.0, flat)}))
    for field, said in (
        (HeightField((0.0, 0.0), 1.0, flat[:1]), "heights"), (HeightField((0.0, 0.0), 1.0, flat + np.nan), "heights"),
        (HeightField((0.0, 0.0), 0.0, flat), "cell"), (HeightField((0.0,), 1.0, flat), "origin"),
        (HeightField((0.0, 0.0), 1.0, flat, np.zeros((2, 2, 3))), "velocities"),
        (HeightField((0.0, 0.0), "wide", flat), "cell"), (HeightField((0.0, 0.0), 1.0, [[0.0, 1.0], [2.0]]), "heights"),
        (HeightField((0.0, 0.0), 1.0, flat + 1e10), "heights"), (HeightField(None, 1.0, flat), "origin"),
    ):
        with pytest.raises(SpecError, match=f"{said} in controls"):
            step_frame(level, Controls(water={"pond": field}))
