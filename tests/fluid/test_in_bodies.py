"""No particle gets into a rigid body: not below one that sinks, nor from a source that one falls through."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import (
    ColliderSpec,
    FluidSpec,
    SpringGraphSpec,
    VoxelBodySpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.mesh.voxel.within import are_within
from flotsam.engine.systems.fluid.law import CLEARANCE
from flotsam.engine.systems.fluid.solver import FluidSolver
from flotsam.engine.systems.fluid.wall_table import Triangles
from flotsam.engine.world.world import World
from fluid_naive import BOX, box, columns, tank
from test_lattices import cube

SPACING, SIDE = 0.05, 0.3


def lost(world: World) -> int:
    """Number of particles in the stone."""
    return int(np.count_nonzero(are_within(world.positions("stone"), BOX, world.positions("water").astype(float))))



@pytest.mark.parametrize(("is_solid", "side"), [(True, -1.0), (False, 1.0)])
def test_what_is_in_a_solid_comes_out_by_the_nearest_face(is_solid: bool, side: float) -> None:
    """A particle 10 mm below the top of a box: it rises to its clearance above it, or a sheet keeps it on its side."""
    vertices, triangles = box((-0.2, -0.2, -0.4), (0.2, 0.2, 0.0))
    corners = vertices[triangles].astype(np.float32)
    walls = Triangles(
        corners, corners, np.ones((len(corners), 2), dtype=np.float32), np.full(len(corners), is_solid),
    )
    solver, x, v = FluidSolver(SPACING), np.array([[0.01, 0.02, -0.01]]), np.zeros((1, 3))
    solver.step(x, v, 1e-3, columns(1), 0, walls)
    np.testing.assert_allclose(x[0], [0.01, 0.02, -side * CLEARANCE * SPACING], atol=1e-6)
    assert np.linalg.norm(v) < 0.1


@pytest.mark.parametrize(("layers", "kept"), [(3, 0.0), (1, 0.04)])
def test_a_jelly_lets_out_what_it_fell_on(layers: int, kept: float) -> None:
    """It responds as a rigid body, so the floor's push takes particles into it; they leave by the nearest face.

    Sheets have two sides, and a jelly was made of sheets: it kept 8 of 1,083 particles in three layers and 51 of 361
    in one. On the floor below its centre nothing drives them sideways: of one layer 2 and 10 stay, in two starts.
    """
    level = 0.01 + layers * SPACING
    solid = SpringGraphSpec(
        "jelly", *cube((0.31, 0.29, level + 0.34)), graph="LATTICE", material="SOLID", young=17500.0, poisson=0.45,
        mass_by="DENSITY", density=1000.0, friction=0.4,
    )
    water = FluidSpec("water", *box((0.01, 0.01, 0.01), (0.99, 0.99, level)), spacing=SPACING)
    world = build_world(WorldSpec((water, solid, ColliderSpec("tank", *tank(1.0, 1.0, 0.8))), substeps=15))
    for number in range(36):
        step_frame(world)
        if number >= 24:
            places = world.positions("water").astype(float)
            found = np.count_nonzero(are_within(world.positions("jelly"), solid.triangles, places))
            assert found <= kept * len(places)


@pytest.mark.parametrize(("layers", "height"), [(5, 0.05), (1, 0.5)])
def test_nobody_is_in_a_stone_that_sinks(layers: int, height: float) -> None:
    """Particles between stone and floor have no place to go to: the stone stops on them, and sinks as they leave.

    The floor once moved particles back while the stone sank on: it kept those below it, 13 and 36 particles, for ever.
    """
    level = layers * SPACING
    low, high = (0.3, 0.29, level + height), (0.6, 0.59, level + height + SIDE)
    stone = VoxelBodySpec("stone", *box(low, high), density=2600.0)
    water = FluidSpec("water", *box((0.0, 0.0, 0.0), (0.9, 0.9, level)), spacing=SPACING)
    world = build_world(WorldSpec((water, stone, ColliderSpec("tank", *tank(0.9, 0.9, 1.2))), substeps=15))
    for number in range(20):
        step_frame(world)
        assert lost(world) == 0
        if number == 13:
            assert world.positions("stone")[:, 2].min() < 2.1 * CLEARANCE * SPACING
    assert np.linalg.norm(world.velocities("stone"), axis=1).max() < 0.1


def test_nobody_is_born_in_a_stone_that_falls_through_a_source() -> None:
    """Places in the stone emit nothing, where 80 of 500 were once born; a source entirely in a body fills it."""
    stone = VoxelBodySpec("stone", *box((-0.15, -0.15, 1.5), (0.15, 0.15, 1.8)), density=2600.0)
    settings = {"spacing": SPACING, "emission": "INFLOW", "velocity": (0.0, 0.0, -2.0), "limit": 500}
    source = FluidSpec("water", *box((-0.1, -0.1, 1.2), (0.1, 0.1, 1.3)), **settings)
    world = build_world(WorldSpec((source, stone)))
    for _ in range(12):
        step_frame(world)
    assert lost(world) == 0 and len(world.positions("water")) > 100
    within = FluidSpec("water", *box((-0.1, -0.1, 1.6), (0.1, 0.1, 1.7)), **settings)
    world = build_world(WorldSpec((within, stone)))
    step_frame(world)
    assert lost(world) > 20
