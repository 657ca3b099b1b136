"""A fluid fills its mesh around bodies, and fills bodies in which most of it starts."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import (
    ColliderSpec,
    FluidSpec,
    SpecError,
    SpringGraphSpec,
    VoxelBodySpec,
    WorldSpec,
    build_world,
    change_world,
    step_frame,
)
from flotsam.engine.mesh.voxel.within import are_within
from flotsam.engine.systems.fluid.filling import displaced
from flotsam.engine.systems.fluid.solver import FluidSolver
from flotsam.engine.systems.fluid.wall_table import Triangles
from fluid_naive import BOX, G, box, columns, lattice, tank
from test_lattices import cube

SPACING, LEVEL = 0.05, 0.5


def places_in(low: float, high: float, places: np.ndarray) -> np.ndarray:
    """Which places (n, 3) are in a cube, (n,) bool."""
    return ((places > low) & (places < high)).all(axis=1)


def test_closed_bodies_displace_a_fluid_and_are_not_filled() -> None:
    """Of 1,000 places those in a rigid, a soft and a static cube are left out, exactly; those in an open one stay."""
    sites, pose = lattice((10, 10, 10), 0.1), np.eye(4)
    pose[:3, 3] = 0.1
    rigid = VoxelBodySpec("rigid", *box((0.0, 0.0, 0.0), (0.3, 0.3, 0.3)), pose=pose)
    soft = SpringGraphSpec("soft", *box((0.6, 0.6, 0.6), (0.9, 0.9, 0.9)))
    rock = ColliderSpec("rock", *box((0.5, 0.5, 0.5), (0.6, 0.6, 0.6)))
    pot = ColliderSpec("pot", *tank(0.5, 0.5, 0.5))
    kept = displaced("water", sites, (rigid, soft, rock, pot))
    left_out = places_in(0.1, 0.4, sites) | places_in(0.6, 0.9, sites) | places_in(0.5, 0.6, sites)
    assert left_out.sum() == 27 + 27 + 1
    np.testing.assert_array_equal(kept, sites[~left_out])


@pytest.mark.parametrize(("side", "kept"), [(0.95, 1000), (0.75, 657)])
def test_a_body_in_which_most_of_a_fluid_begins_is_filled(side: float, kept: int) -> None:
    """A jar at a corner of the mesh: with 9³ of 10³ places in it all are kept, with 7³ only those around it."""
    sites = lattice((10, 10, 10), 0.1)
    jar = ColliderSpec("jar", *box((-0.1,) * 3, (side,) * 3))
    assert len(displaced("water", sites, (jar,))) == kept


def test_a_mesh_without_a_free_place_is_refused() -> None:
    sites = lattice((2, 1, 1), 0.1)
    two = [ColliderSpec(name, *box((x, 0.0, 0.0), (x + 0.1, 0.1, 0.1))) for name, x in (("a", 0.0), ("b", 0.1))]
    with pytest.raises(SpecError, match="water: vertices .* in a and b"):
        displaced("water", sites, two)



def test_what_is_parted_before_time_begins_passes_no_wall() -> None:
    """Two layers in one place, 1 mm below a plate: random displacements of 2.5 mm give a direction to separate in.

    These once ignored walls: 39 of 1,949 particles started in a paddle that they lay just beside.
    """
    vertices, triangles = box((-1.0, -1.0, 0.0), (1.0, 1.0, 0.1))
    corners = vertices[triangles].astype(np.float32)
    plate = Triangles(
        corners, corners, np.ones((len(corners), 2), dtype=np.float32), np.zeros(len(corners), dtype=bool)
    )
    x = np.tile(lattice((9, 9, 1), SPACING) - [0.225, 0.225, 0.5 * SPACING + 0.001], (2, 1))
    solver = FluidSolver(SPACING)
    assert solver.settle(x, columns(len(x)), plate)
    assert (x[:, 2] < 0.0).all() and np.ptp(x[:, 2]) > 0.2 * SPACING


def test_what_lies_in_the_fluid_at_the_start_floats_up_and_stays_empty() -> None:
    """A crate and a jelly a fifth as dense as water in a filled tank: no particle is in them, and they rise.

    Barrels, jellies and balls were once filled: a jelly of 27 kg kept 222 particles, shook at 0.7 m/s for ever and took
    750 ms a frame instead of 130.
    """
    crate = VoxelBodySpec("crate", *box((0.15, 0.15, 0.1), (0.35, 0.35, 0.3)), density=200.0)
    jelly = SpringGraphSpec(
        "jelly", *cube((0.5, 0.3, 0.06)), graph="LATTICE", material="SOLID", young=17500.0, poisson=0.45,
        mass_by="DENSITY", density=200.0,
    )
    water = FluidSpec("water", *box((0.01, 0.01, 0.01), (0.99, 0.99, LEVEL)), spacing=SPACING)
    world = build_world(WorldSpec((water, crate, jelly, ColliderSpec("tank", *tank(1.0, 1.0, 1.2))), substeps=15))
    begins = world.positions("crate")[:, 2].mean(), world.positions("jelly")[:, 2].mean()
    for _ in range(18):
        places = world.positions("water").astype(float)
        assert not are_within(world.positions("crate").astype(float), BOX, places).any()
        assert not are_within(world.positions("jelly").astype(float), jelly.triangles, places).any()
        step_frame(world)
        assert np.linalg.norm(world.velocities("water"), axis=1).max() < np.sqrt(2.0 * G * LEVEL)
    assert world.positions("crate")[:, 2].mean() > begins[0] + 0.15
    assert world.positions("jelly")[:, 2].mean() > begins[1] + 0.05


def test_a_fluid_goes_on_where_a_body_has_moved_in_its_mesh() -> None:
    """Live mode rebuilds the world for a changed setting, with the rock where it is now: the water keeps its state.

    Only as many particles were reserved as there were free places, so a world with another number restarted its water.
    """
    water = FluidSpec("water", *box((0.01, 0.01, 0.01), (0.99, 0.99, LEVEL)), spacing=SPACING)
    glass = ColliderSpec("tank", *tank(1.0, 1.0, 1.2))
    rocks = [ColliderSpec("rock", *box((at, 0.3, -0.1), (at + 0.3, 0.6, 0.3))) for at in (0.2, 0.61)]
    specs = [WorldSpec((water, rock, glass), substeps=15) for rock in rocks]
    before = build_world(specs[0])
    for _ in range(3):
        step_frame(before)
    after = change_world(before, specs[1])
    begins, was, now = (world.systems[0].populations[0].ids for world in (build_world(specs[1]), before, after))
    assert len(begins) != len(was)
    np.testing.assert_array_equal(now, was)
    np.testing.assert_array_equal(after.positions("water"), before.positions("water"))
