"""Vector sums over neighbours compared with numpy; the smoothing kernel and the fraction of it beyond a wall."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine.compiler.kernels import kernel
from flotsam.engine.solver.neighbors import LANES, BlockNeighbors
from flotsam.engine.solver.vector.fluid import sum_density, sum_motion, sum_shift
from flotsam.engine.systems.fluid.law import cap, cap_slope
from fluid_naive import kernel_integral, naive_density, naive_motion, naive_shift

SUPPORT = 0.1
FAR = 1e15


@kernel
def run_sums(count, rows, speeds, blocks, per_support, density, motion, shifts):
    """All three sums of all blocks."""
    for block in range(count):
        sum_density(rows, blocks, per_support, density, block, block)
        sum_motion(rows, speeds, blocks, per_support, motion, block, block)
        sum_shift(rows, blocks, per_support, shifts, block, block)


@kernel
def wall_fraction(distance, per_support, out):
    out[0] = cap(distance, per_support)
    out[1] = cap_slope(distance, per_support)


@pytest.mark.parametrize("count", [1, 17, 700])
def test_sums_are_those_of_all_pairs(count: int) -> None:
    random = np.random.default_rng(count)
    x = random.uniform(0.0, 0.4, (count, 3)).astype(np.float32)
    v, viscosity, pressure = random.normal(size=(count, 3)), random.uniform(size=count), random.uniform(size=count)
    neighbors = BlockNeighbors(SUPPORT, 0.02, 256)
    neighbors.update(x)
    order, lists, starts = neighbors.grid.order, neighbors.lists, neighbors.lists.columns.start
    rows = np.full((neighbors.row_count, 4), FAR, dtype=np.float32)
    rows[:, 3] = 0.0
    rows[:count, :3], rows[:count, 3] = x[order], pressure[order]
    speeds = np.zeros_like(rows)
    speeds[:count, :3], speeds[:count, 3] = v[order], viscosity[order]
    density, motion, shifts = (np.zeros((8, LANES * lists.count), dtype=np.float32) for _ in range(3))
    run_sums(lists.count, rows, speeds, lists.columns, np.float32(1.0 / SUPPORT), density, motion, shifts)
    places = np.concatenate([LANES * b + np.arange(starts[b + 1] - starts[b]) for b in range(lists.count)])
    references = (
        (density[:5], naive_density(x.astype(float), SUPPORT)),
        (motion[5:], naive_motion(x.astype(float), v, viscosity, SUPPORT)),
        (shifts[:3], naive_shift(x.astype(float), pressure, SUPPORT)),
    )
    for fast, reference in references:
        scale = max(float(np.abs(reference).max()), 1e-9)
        assert np.abs(fast[:, places] - reference[:, order]).max() < 2e-6 * scale


@pytest.mark.parametrize("distance", [0.0, 0.013, 0.05, 0.08, 0.1, 0.2])
def test_a_wall_counts_as_a_half_space_of_the_kernel(distance: float) -> None:
    """The integral over the shells of the kernel beyond a plane, and its slope by finite differences."""
    out = np.zeros(2, dtype=np.float32)
    wall_fraction(np.float32(distance), np.float32(1.0 / SUPPORT), out)
    assert out[0] == pytest.approx(kernel_integral(distance, SUPPORT), abs=2e-5)
    step = 1e-4
    before = max(distance - step, 0.0)
    slope = (kernel_integral(before, SUPPORT) - kernel_integral(distance + step, SUPPORT)) / (distance + step - before)
    assert out[1] == pytest.approx(slope, abs=0.02 / SUPPORT)
