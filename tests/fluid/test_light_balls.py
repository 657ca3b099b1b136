"""Light closed bodies respond to a fluid at their corners: deformation presses no particle into them."""

from __future__ import annotations

import numpy as np
from flotsam.engine import ColliderSpec, FluidSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.mesh.voxel.within import are_within
from fluid_naive import box, tank
from test_balloons import ball
from test_rafts import ring

SPACING, WIDE = 0.05, 1.2


def pool(layers: int) -> tuple[FluidSpec, ColliderSpec]:
    """Layers of particles on the floor of a tank."""
    high = layers * SPACING + 0.01
    water = FluidSpec("water", *box((0.01, 0.01, 0.01), (WIDE - 0.01, WIDE - 0.01, high)), spacing=SPACING)
    return water, ColliderSpec("tank", *tank(WIDE, WIDE, 0.8))


def test_a_crate_that_crushes_a_ball_on_a_film_drives_no_water_into_it() -> None:
    """A crate of 4.7 kg falls on a beach ball of 30 g in one layer of water.

    The ball moved as a rigid body whenever the crate released it, and its skin, without the water that it carried,
    snapped through that water: it threw water at 10 to 43 m/s and kept some. The crate falls from 0.6 m, so nothing is
    faster than an impact at 3.5 m/s makes it.
    """
    vertices, triangles = ball(0.175, 12)
    skin = SpringGraphSpec(
        "ball", vertices + (0.6, 0.6, 0.3), triangles, mass=0.03, stiffness=2000.0, damping=0.02, pressure=500.0,
        friction=0.4,
    )
    crate = VoxelBodySpec("crate", *box((0.475, 0.475, 0.6), (0.725, 0.725, 0.85)), density=300.0)
    water, walls = pool(1)
    world = build_world(WorldSpec((skin, crate, water, walls), substeps=12))
    for _ in range(30):
        step_frame(world)
        place = world.positions("water").astype(float)
        assert not are_within(world.positions("ball"), triangles, place).any()
        assert np.linalg.norm(world.velocities("water"), axis=1).max() < 5.0


def test_a_light_ring_floats_at_its_depth() -> None:
    """A ring of 0.36 kg displaces as much water: level and depth by volumes, to a third of a spacing.

    A third, because the water keeps a quarter of a spacing off the tank and off the ring. As a rigid body it floated
    half a spacing too high.
    """
    vertices, triangles = ring([0.6, 0.6, 0.37])
    hull = SpringGraphSpec(
        "ring", vertices, triangles, mass=0.36, stiffness=3000.0, damping=0.02, pressure=400.0, friction=0.4,
    )
    water, walls = pool(4)
    world = build_world(WorldSpec((hull, water, walls), substeps=12))
    lowest = []
    for frame in range(48):
        step_frame(world)
        if frame >= 36:
            lowest.append(float(world.positions("ring")[:, 2].mean()))
    level = len(world.positions("water")) * SPACING**3 / WIDE**2
    # A segment of depth d of the tube, 2/3 d times its chord 2 sqrt(2 r d), around the ring.
    depth = (0.36e-3 / (2.0 * np.pi * 0.336 * 4.0 / 3.0 * np.sqrt(2.0 * 0.114))) ** (2.0 / 3.0)
    speed = np.sqrt((world.velocities("ring") ** 2).sum(axis=1).mean())
    assert abs(np.mean(lowest) - 0.114 - (level - depth)) < SPACING / 3.0
    assert speed < 0.05
