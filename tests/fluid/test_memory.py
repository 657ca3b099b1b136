"""Memory of a fluid's world."""

from __future__ import annotations

import gc
import tracemalloc

from flotsam.engine import ColliderSpec, FluidSpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World
from fluid_naive import box, tank

SIDE, SPACING = 27, 0.03


def stepped() -> World:
    """A cube of fluid that breaks in a tank, after two frames."""
    water = FluidSpec("water", *box((0.0, 0.0, 0.0), (SIDE * SPACING,) * 3), spacing=SPACING)
    world = build_world(WorldSpec((water, ColliderSpec("tank", *tank(3.0, SIDE * SPACING, 3.0)))))
    for _ in range(2):
        step_frame(world)
    return world


def test_a_particle_of_a_fluid_takes_no_more_memory() -> None:
    """19,683 particles hold 666 bytes each, some 70 of them for the tank.

    100,000 hold 593 each, where 600 are required: one more column of three numbers is too many.
    """
    stepped()
    gc.collect()
    tracemalloc.start()
    world = stepped()
    gc.collect()
    bytes_each = tracemalloc.get_traced_memory()[0] / SIDE**3
    tracemalloc.stop()
    assert len(world.positions("water")) == SIDE**3
    assert bytes_each < 685.0
