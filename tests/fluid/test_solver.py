"""A fluid alone: pair forces conserve momentum; degenerate arrangements."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine.compiler.kernels import threads
from flotsam.engine.systems.fluid.solver import FluidSolver
from fluid_naive import NOTHING, columns, flow, lattice, static_triangles, tank

SPACING = 0.02


def crash(*, light: float = 1.0, share: float = 0.1, pull: float = 0.0) -> tuple[np.ndarray, ...]:
    """Two cubes that collide off centre at 4 m/s, one of another density: x, v, mass, columns."""
    one = lattice((8, 8, 8), SPACING)
    x = np.concatenate([one, one + [0.17, 0.05, 0.03]])
    v = np.zeros_like(x)
    v[: len(one), 0], v[len(one) :, 0] = 2.0, -2.0
    own = columns(len(x), viscosity=share, tension=pull)
    own.values[0, len(one) :] = light
    return x, v, 1.0 / own.values[0].astype(float), own


@pytest.mark.parametrize("law", [{"share": 0.0}, {"share": 0.3}, {"pull": 0.2}, {"light": 4.0}], ids=str)
def test_t11_a_fluid_keeps_momentum(law: dict[str, float], truth) -> None:
    """sum m v of particles in contact with each other only is constant over a hundred steps in single precision."""
    x, v, mass, own = crash(**law)
    size, before = (mass * np.linalg.norm(v, axis=1)).sum(), (mass[:, None] * v).sum(axis=0)
    flow(FluidSolver(SPACING), x, v, 0.1, NOTHING, own=own, gravity=0.0)
    assert np.abs(v[:512, 0] - 2.0).max() > 0.5
    truth("T11", f"momentum of a fluid, {law}", ((mass[:, None] * v).sum(axis=0) - before) / size, 0.0, 1e-5,
          relative=False)


@pytest.mark.parametrize("light", [1.0, 4.0])
def test_t11_pressure_keeps_angular_momentum(light: float, truth) -> None:
    """Pressure on particles at rest has no moment: sum m x × v = 0 after one step; single precision.

    Over a run, velocities and pressures act at positions that differ by a step, as in every scheme that solves for
    positions: an error of the order of h.
    """
    x = np.random.default_rng(2).uniform(0.0, 0.12, (400, 3))
    v, own = np.zeros_like(x), columns(len(x), viscosity=0.0)
    own.values[0, 200:] = light
    mass = 1.0 / own.values[0].astype(float)
    FluidSolver(SPACING).step(x, v, 1.0 / 240.0, own, 0, NOTHING)
    moment = np.cross(x, mass[:, None] * v)
    assert np.linalg.norm(v, axis=1).max() > 0.01
    truth("T11", "angular momentum of pressure", moment.sum(axis=0) / np.abs(moment).sum(), 0.0, 1e-5, relative=False)


def test_parting_what_overlaps_lets_surface_tension_rest() -> None:
    """In a cube with one pair too close only particles near it move: with tension acting, all moved together."""
    x, solver = lattice((8, 8, 8), SPACING), FluidSolver(SPACING)
    x[0] = x[1] + [0.2 * SPACING, 0.0, 0.0]
    before = x.copy()
    solver.relax(x, columns(len(x), tension=0.01), NOTHING, 2)
    far = np.linalg.norm(before - before[1], axis=1) > 4.0 * SPACING
    assert np.abs(x - before)[far].max() < 0.01 * SPACING < 0.05 * SPACING < np.abs(x - before).max()


def test_surface_tension_makes_a_cube_round() -> None:
    """Corners of a cube are 1.73 times as far from the centre as its faces; on a ball all points are equally far."""
    x = lattice((10, 10, 10), SPACING)
    v = np.zeros_like(x)

    def roundness() -> float:
        far = np.linalg.norm(x - x.mean(axis=0), axis=1)
        return float(np.sort(far)[-20:].mean() / np.cbrt(3.0 * len(x) / (4.0 * np.pi)) / SPACING)

    before = roundness()
    flow(FluidSolver(SPACING), x, v, 0.5, NOTHING, own=columns(len(x), viscosity=0.2, tension=0.1), gravity=0.0)
    assert before > 1.18
    assert roundness() < 1.05


def test_the_same_bits_for_any_number_of_threads() -> None:
    found = []
    for count in (1, 2):
        x, v, _mass, own = crash()
        with threads(count):
            flow(FluidSolver(SPACING), x, v, 0.05, static_triangles(*tank(0.4, 0.3, 0.4)), own=own)
        found.append((x, v))
    assert np.array_equal(found[0][0], found[1][0]) and np.array_equal(found[0][1], found[1][1])


@pytest.mark.parametrize("count", [0, 1, 2])
def test_hardly_any_particles(count: int) -> None:
    """They fall freely: v = -g t."""
    x = lattice((count, 1, 1), SPACING) + [0.0, 0.0, 1.0]
    v = np.zeros_like(x)
    flow(FluidSolver(SPACING), x, v, 0.1, NOTHING)
    assert np.allclose(v, [0.0, 0.0, -0.981])


def test_a_thousand_particles_in_one_place_part_without_speed() -> None:
    """A ball of a thousand spacings³ has a radius of 6.2 spacings."""
    x = np.random.default_rng(0).normal(0.0, 1e-3, (1000, 3))
    solver = FluidSolver(SPACING)
    solver.relax(x, columns(len(x)), NOTHING, 200)
    assert np.isfinite(x).all()
    assert np.maximum(solver.error, 0.0).mean() < 0.1
    assert np.linalg.norm(x - x.mean(axis=0), axis=1).max() < 12.0 * SPACING


def test_nobody_leaves_a_closed_room_that_is_shaken() -> None:
    x = lattice((9, 9, 5), SPACING) + [0.01, 0.01, 0.01]
    v = np.zeros_like(x)
    random, solver = np.random.default_rng(3), FluidSolver(SPACING)
    basin = static_triangles(*tank(0.2, 0.2, 0.2))
    lid = static_triangles(np.array([[-1.0, -1.0, 0.2], [2.0, -1.0, 0.2], [0.0, 3.0, 0.2]]), np.array([[0, 1, 2]]))
    walls = type(basin)(*(np.concatenate(both) for both in zip(basin, lid, strict=True)))
    for _ in range(10):
        v += random.normal(0.0, 6.0, 3)
        flow(solver, x, v, 0.05, walls)
    assert (x > 0.0).all() and (x < 0.2).all()
