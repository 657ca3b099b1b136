"""Walls against which bodies press particles."""

from __future__ import annotations

from flotsam.engine import ColliderSpec, FluidSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from fluid_naive import box, tank


def test_a_crate_that_crushes_a_fluid_in_a_corner_lets_nobody_through() -> None:
    """A crate of steel thrown along the floor into water that stands in a corner.

    A particle between the crate and a wall is closer to both than a twentieth of the support. The floor below then lay
    on the crate's plane, within a tolerance, and was no wall.
    """
    crate = VoxelBodySpec(
        "crate", *box((0.06, 0.06, 0.02), (0.24, 0.24, 0.2)), voxel_size=0.03, density=8000.0, velocity=(4.0, 1.2, 0.0),
    )
    water = FluidSpec("water", *box((0.3, 0.0, 0.0), (0.54, 0.36, 0.18)), spacing=0.03)
    world = build_world(WorldSpec(systems=(water, crate, ColliderSpec("tank", *tank(0.54, 0.36, 6.0)))))
    for _ in range(4):
        frame = step_frame(world)
        place = frame.positions["water"]
        assert place.min() > 0.0 and place[:, 0].max() < 0.54 and place[:, 1].max() < 0.36
    assert world.rigid.position[0, 0] > 0.42
