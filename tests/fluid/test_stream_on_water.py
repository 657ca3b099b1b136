"""A stream of particles that falls on what floats on a *Water*: both give it mass for the substep, and take it away."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import FluidSpec, SpringGraphSpec, WaterSpec, WorldSpec, build_world, step_frame
from fluid_naive import box
from test_rafts import ring


@pytest.mark.parametrize("middle", [0.0, 0.336])
def test_a_ring_under_a_stream_keeps_its_mass_and_floats(middle: float) -> None:
    """It had the water's added mass for good, 1,380 kg in place of 1.26, as water restored its mass before the fluid.

    The stream falls through its middle, or on one side. What joins the water is gone.
    """
    vertices, faces = ring([0.0, 0.0, 0.2])
    world = build_world(WorldSpec(systems=(
        SpringGraphSpec("ring", vertices, faces, pressure=2000.0, stiffness=5000.0, mass=1.3),
        FluidSpec(
            "stream", *box((middle - 0.15, -0.15, 1.4), (middle + 0.15, 0.15, 1.7)), spacing=0.1, emission="INFLOW",
            limit=400, joins_water=True,
        ),
        WaterSpec("sea", drag=0.3),
    )))
    of_ring = slice(world.body("ring").start, world.body("ring").stop)
    own = world.model.mass[of_ring].copy()
    for _ in range(36):
        step_frame(world)
        assert np.array_equal(world.model.mass[of_ring], own)
        assert np.array_equal(world.model.inv_mass[of_ring], 1.0 / own)
    assert -0.4 < world.positions("ring")[:, 2].mean() < 0.1, "the stream presses it under"
    for _ in range(60):
        step_frame(world)
    assert world.positions("ring")[:, 2].mean() == pytest.approx(0.1, abs=0.1), "it comes up"
