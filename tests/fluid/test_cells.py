"""Cells of a fluid: cells that share a slot of the search's hash table, walls ahead of them, and interpolation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, FluidSpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.neighbors import Grid
from flotsam.engine.systems.fluid.cells import find_cells
from flotsam.engine.systems.fluid.cells.pressure import interpolate
from fluid_naive import box

EDGE = 0.1


def test_cells_that_share_a_place_are_told_apart() -> None:
    """Each particle is in a cell with its own coordinates, and every neighbour cell that has particles is found."""
    random = np.random.default_rng(5)
    pool, drops = random.uniform(0.0, 1.0, (3000, 3)), random.uniform(-40.0, 40.0, (400, 3))
    grid = Grid(EDGE)
    grid.sort(np.concatenate([pool, drops]).astype(np.float32))
    cells, _red = find_cells(grid)
    at = np.floor((grid.columns[:, : grid.count].astype(np.float64) - grid.frame[:3, None]) * grid.frame[3]).T
    size = cells.stop - cells.first
    assert size.sum() == grid.count and (np.sort(np.repeat(cells.first, size)) >= 0).all()
    for a in range(len(size)):
        assert (at[cells.first[a] : cells.stop[a]] == cells.place[a]).all()
    filled = {tuple(place) for place in cells.place}
    assert len(filled) < grid.count
    for a, place in enumerate(cells.place):
        for n, b in enumerate(cells.around[a]):
            there = (place[0] + n % 3 - 1, place[1] + n // 3 % 3 - 1, place[2] + n // 9 - 1)
            assert (b >= 0) == (there in filled) and (b < 0 or tuple(cells.place[b]) == there)


def test_red_cells_come_first_and_both_kinds_in_the_order_of_their_particles() -> None:
    """Together they hold each particle once; without particles there are no cells."""
    for points in (np.random.default_rng(2).uniform(-1.0, 1.0, (2000, 3)), np.full((1, 3), 0.7), np.zeros((0, 3))):
        grid = Grid(EDGE)
        grid.sort(points.astype(np.float32))
        cells, red = find_cells(grid)
        is_black = (cells.place.sum(axis=1) & 1).astype(bool)
        np.testing.assert_array_equal(is_black, np.arange(len(is_black)) >= red)
        for some in (cells.first[:red], cells.first[red:]):
            assert (np.diff(some) > 0).all()
        ranges = np.sort(np.stack([cells.first, cells.stop], axis=1), axis=0)
        np.testing.assert_array_equal(np.append(ranges[:, 0], grid.count), np.append(0, ranges[:, 1]))


@pytest.mark.parametrize("gap", [0.04, 0.06, 0.08])
def test_a_wall_does_not_press_before_the_stream_is_there(gap: float) -> None:
    """A block that flies at a wall 1.3 to 2.1 spacings ahead of its particles keeps its velocity for a millisecond."""
    wall = ColliderSpec("wall", *box((-0.1 - gap, -0.5, -0.5), (-gap, 0.7, 0.7)))
    block = FluidSpec("water", *box((0.0, 0.0, 0.0), (0.3, 0.3, 0.3)), spacing=0.05, velocity=(-5.0, 0.0, 0.0))
    spec = WorldSpec(systems=(block, wall), gravity=(0.0, 0.0, 0.0), frame_rate=1000, substeps=1)
    velocities = step_frame(build_world(spec)).velocities["water"]
    np.testing.assert_allclose(velocities[:, 0], -5.0, atol=1e-3)


class OneCell(NamedTuple):
    """The columns of `cells.table.Cells` that interpolation reads."""

    stencil: np.ndarray
    first: np.ndarray
    stop: np.ndarray
    place: np.ndarray


def test_a_pressure_that_is_linear_in_space_is_read_as_it_is() -> None:
    """Trilinear interpolation between the centres of cells reproduces p = p0 + g . x, to single precision."""
    edge, origin, place = 0.1, np.array([-0.3, 0.2, 1.0]), np.array([[4, 2, 7]], dtype=np.int32)
    slope = np.array([3.0, -5.0, 2.0])
    low = origin + place[0] * edge
    steps = np.stack(np.meshgrid(*[[-1, 0, 1]] * 3, indexing="ij"), axis=-1).reshape(27, 3)[:, ::-1]
    middles = low + (steps + 0.5) * edge
    x = np.random.default_rng(0).uniform(low, low + edge, (40, 3))
    cells = OneCell((1.0 + middles @ slope).astype(np.float32)[None], np.array([0]), np.array([40]), place)
    found = np.zeros(40, dtype=np.float32)
    interpolate(cells, 0, 0, np.array([*origin, 1.0 / edge]), x.T.astype(np.float32), found)
    assert np.ptp(found) > 0.3
    assert found == pytest.approx(1.0 + x @ slope, abs=1e-5)
