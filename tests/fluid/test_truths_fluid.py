"""T14, T15 and T25: fluids at rest, and a dam that breaks."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine.systems.fluid.solver import FluidSolver
from fluid_naive import G, columns, flow, lattice, static_triangles, tank

SPACING = 0.02


@pytest.fixture(scope="module")
def basin() -> tuple[FluidSolver, np.ndarray, np.ndarray, float]:
    """A basin of ten by ten particles, twelve high, after ten seconds: solver, x, v, step at the end [s]."""
    x = lattice((10, 10, 12), SPACING)
    v = np.zeros_like(x)
    x += np.random.default_rng(0).uniform(-0.1, 0.1, x.shape) * SPACING
    solver = FluidSolver(SPACING)
    h = flow(solver, x, v, 10.0, static_triangles(*tank(10 * SPACING, 10 * SPACING, 1.0)))
    return solver, x, v, h


def height(x: np.ndarray) -> float:
    """Height of the surface: mean of the uppermost hundred particles plus half a spacing [m]."""
    return float(np.sort(x[:, 2])[-100:].mean()) + 0.5 * SPACING


def test_t25_a_column_keeps_its_volume(basin, truth) -> None:
    """Height at rest is volume over area: 12 spacings, at least 98 % of it after ten seconds."""
    truth("T25", "height of a column at rest", height(basin[1]), 12 * SPACING, 0.02)


def test_t25_compression_at_rest(basin) -> None:
    """Mean at most 1 %, largest at most 3 %."""
    compression = np.maximum(basin[0].error, 0.0)
    assert compression.mean() <= 0.01
    assert compression.max() <= 0.03


def test_t14_density_at_rest(basin, truth) -> None:
    """The mean over all particles at least a support below the surface is within 1 % of the rest density."""
    solver, x, _v, _h = basin
    deep = x[:, 2] < height(x) - 2.0 * float(solver.law.support)
    truth("T14", "density of a fluid at rest", float(1.0 + solver.error[deep].mean()), 1.0, 0.01)


def test_t14_pressure_grows_with_depth(basin, truth) -> None:
    """p = rho g depth. A pressure p acts through h² p / rho in a step h, so its slope over depth is g h²."""
    solver, x, _v, h = basin
    inner = (x[:, 2] > 2.0 * SPACING) & (x[:, 2] < height(x) - 3.0 * SPACING)
    slope = np.polyfit(height(x) - x[inner, 2], solver.kept[inner], 1)[0]
    truth("T14", "pressure over depth", slope / h**2, G, 0.05)


def test_t14_surface_is_flat_and_nothing_creeps(basin) -> None:
    """Heights of columns of two by two spacings differ by less than a spacing; speeds stay below a spacing a second."""
    _solver, x, v, _h = basin
    cell = (x[:, :2] / (2.0 * SPACING)).astype(int).clip(0, 4)
    tops = np.array([x[(cell == [i, j]).all(axis=1), 2].max() for i in range(5) for j in range(5)])
    assert np.ptp(tops) < SPACING
    assert np.sqrt((v**2).sum(axis=1).mean()) < SPACING
    assert np.linalg.norm(v.mean(axis=0)) < 0.1 * SPACING


def test_t15_dam_break_of_martin_and_moyce(truth) -> None:
    """Front of a column of water, a = 2¼ in wide and twice as high (n² = 2), over T = t sqrt(2 g / a).

    J. C. Martin and W. J. Moyce 1952, figure 3. The front is where the sheet is one particle thick. The first points
    are omitted, because the gate of the experiment takes time to open.
    """
    a, across, wide = 0.05715, 12, 6
    spacing = a / across
    x = lattice((across, wide, 2 * across), spacing)
    v, solver = np.zeros_like(x), FluidSolver(spacing)
    walls, own = static_triangles(*tank(8.0 * a, wide * spacing, 1.0)), columns(len(x))
    times, fronts = [], []
    for number in range(48):
        flow(solver, x, v, 1.0 / 240.0, walls, own=own)
        layers = np.bincount((x[:, 0] / spacing).astype(int), minlength=9 * across) / wide
        times.append((number + 1) / 240.0 * np.sqrt(2.0 * G / a))
        fronts.append((np.flatnonzero(layers >= 1.0)[-1] + 1) * spacing / a)
    measured = np.interp([1.997, 2.547, 3.345], times, fronts)
    truth("T15", "front of a dam break", measured, [2.292, 2.995, 4.134], 0.1)
