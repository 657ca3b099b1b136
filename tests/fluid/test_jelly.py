"""Solids of cells whose vertices are lighter than particles, such as jelly, in a fluid."""

from __future__ import annotations

import numpy as np
from flotsam.engine import ColliderSpec, FluidSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.systems.fluid.met.bodies import are_inside
from fluid_naive import box, tank
from test_lattices import SIDE, cube

SPACING, WIDE, HIGH = 0.05, 1.0, 0.4


def jelly(low: tuple[float, float, float]) -> SpringGraphSpec:
    """A cube of water's density, as soft as the preset."""
    return SpringGraphSpec(
        "jelly", *cube(low), graph="LATTICE", material="SOLID", young=17500.0, poisson=0.45, mass_by="DENSITY",
        density=1000.0, friction=0.4,
    )


def test_a_jelly_on_a_film_lets_nobody_in_and_comes_to_rest() -> None:
    """A jelly falls by HIGH on one layer of particles: nobody is in it, and nothing is faster than what that gives.

    It fell at v = sqrt(2 g HIGH), so no particle leaves faster than 2 v, as from a heavy wall. As a whole it kept 33
    of 437 particles; by its corners without the fluid that they carry it threw water at 12 m/s, and shook at 0.5 m/s.
    """
    solid = jelly((0.3, 0.3, HIGH))
    water = FluidSpec("water", *box((0.01, 0.01, 0.01), (WIDE - 0.01, WIDE - 0.01, 0.06)), spacing=SPACING)
    world = build_world(WorldSpec((water, solid, ColliderSpec("tank", *tank(WIDE, WIDE, 0.8))), substeps=15))
    fastest, speeds = 2.0 * np.sqrt(2.0 * 9.81 * HIGH), []
    for frame in range(48):
        step_frame(world)
        places = world.positions("water").astype(float)
        assert not are_inside(world.positions("jelly"), solid.triangles, places).any()
        assert np.linalg.norm(world.velocities("water"), axis=1).max() < fastest
        if frame >= 36:
            speeds.append(world.velocities("jelly"))
    assert np.sqrt((np.array(speeds) ** 2).sum(axis=2).mean()) < 0.15
    assert world.positions("jelly")[:, 2].max() > 0.9 * SIDE


def test_a_jelly_and_a_fluid_that_meet_keep_their_momentum() -> None:
    """Without gravity a block of fluid hits a jelly at 2 m/s: the sum of both momenta stays, to single precision."""
    solid = jelly((0.3, 0.3, 0.3))
    water = FluidSpec(
        "water", *box((0.35, 0.35, 0.75), (0.65, 0.65, 1.05)), spacing=SPACING, velocity=(0.0, 0.0, -2.0),
    )
    world = build_world(WorldSpec((water, solid), substeps=15, gravity=(0.0, 0.0, 0.0)))
    carried = len(world.positions("water")) * SPACING**3 * 1000.0
    whole = np.array([0.0, 0.0, -2.0 * carried])
    of = np.concatenate([np.arange(b.start, b.stop) for b in world.model.bodies if b.name == "jelly"])
    for _ in range(12):
        step_frame(world)
        moves = world.model.mass[of] @ world.state.v[of]
        flows = SPACING**3 * 1000.0 * world.velocities("water").astype(float).sum(axis=0)
        np.testing.assert_allclose(moves + flows, whole, atol=2e-5 * abs(whole[2]))
    assert moves[2] < 0.2 * whole[2]
