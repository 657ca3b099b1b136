"""Viscosity from water to tar against the flow between plates; vorticity confinement."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import FluidSpec, WorldSpec, build_world, step_frame
from flotsam.engine.systems.fluid.kinds import for_steps
from flotsam.engine.systems.fluid.solver import IMPLICIT, FluidSolver
from fluid_naive import box, columns, lattice, static_triangles

# Particles across the duct and along it.
SPACING, ACROSS, LONG = 0.02, 10, 22


def slide(viscosity: float, h: float) -> tuple[float, float, float, int]:
    """Fluid of a kinematic viscosity [m²/s] slides through a square duct by its weight until it is steady.

    Returns:
        Largest and mean speed in the middle of the fluid's length times viscosity / (g width²); how much they still
        change; passes of viscosity.
    """
    width, solver = ACROSS * SPACING, FluidSolver(SPACING)
    x = lattice((ACROSS, ACROSS, LONG), SPACING)
    v, inner = np.zeros_like(x), np.abs(x[:, 2] - 0.5 * LONG * SPACING) < 3.0 * SPACING
    vertices, triangles = box((0.0, 0.0, -1.0), (width, width, 1.0))
    walls, own = static_triangles(vertices, triangles[4:]), columns(len(x))
    own.values[1] = viscosity
    own, passes, _is_thin = for_steps(own, float(solver.law.support), h, 1, h)
    # In the corners a lattice is a tenth too dense, and would push the rest along.
    solver.relax(x, own, walls, 60)
    # Slow, so that the fluid moves by less than a spacing until it is steady.
    gravity, count = 0.05 * viscosity / width**2, max(round(0.3 * width**2 / viscosity / h), 30)
    means = []
    for _ in range(count):
        v[:, 2] -= gravity * h
        solver.step(x, v, h, own, passes, walls)
        means.append(-v[inner, 2].mean())
    # The middle of the duct lies between the four columns of particles whose mean this is.
    middle = inner & (np.abs(x[:, :2] - 0.5 * width).max(axis=1) < SPACING)
    scale = viscosity / (gravity * width**2)
    assert 0.001 < scale * means[-1]
    return scale * -v[middle, 2].mean(), scale * means[-1], means[-1] / means[int(0.9 * count)] - 1.0, passes


# Of a square duct, by the series of White, "Viscous Fluid Flow", equation 3-48: largest and mean speed. Four columns
# about the middle have 0.99 of the largest.
LARGEST, MEAN = 0.99 * 0.07367, 0.03514


@pytest.mark.parametrize(
    ("viscosity", "h", "is_implicit"),
    [(0.012, 1 / 240, False), (2.0, 1 / 3000, True), (2.0, 1 / 300, True)], ids=str,
)
def test_t25_fluid_in_a_duct(viscosity: float, h: float, is_implicit: bool, truth) -> None:
    """Steady flow by its weight, from viscosities that XSPH can reach to those that need the implicit solve."""
    largest, mean, change, passes = slide(viscosity, h)
    assert (passes == IMPLICIT) == is_implicit and abs(change) < 0.02
    truth("T25", f"mean flow in a duct, {viscosity} m²/s", mean, MEAN, 0.1)
    truth("T25", f"largest speed in a duct, {viscosity} m²/s", largest, LARGEST, 0.1)


def test_viscosity_does_not_depend_on_the_steps() -> None:
    """Ten times as many steps, the same flow."""
    few, many = slide(2.0, 1 / 300)[:2], slide(2.0, 1 / 3000)[:2]
    assert np.allclose(few, many, rtol=0.05)


def test_t11_a_stiff_fluid_keeps_its_momentum(truth) -> None:
    """Two cubes of tar collide off centre: sum m v is conserved, and they stick together."""
    one = lattice((6, 6, 6), SPACING)
    x = np.concatenate([one, one + [0.125, 0.03, 0.02]])
    v, own, solver = np.zeros_like(x), columns(len(x), viscosity=200.0), FluidSolver(SPACING)
    v[: len(one), 0], own.values[0, len(one) :] = 1.0, 4.0
    mass = 1.0 / own.values[0].astype(float)
    before = mass @ v
    for _ in range(60):
        solver.step(x, v, 1.0 / 480.0, own, IMPLICIT, static_triangles(np.zeros((0, 3)), np.zeros((0, 3), int)))
    assert 0 < solver.thick.iterations < 60
    # The lighter one was carried along.
    assert v[len(one) :, 0].mean() > 0.5
    truth("T11", "momentum of a stiff fluid", (mass @ v - before) / np.abs(before).sum(), 0.0, 1e-5, relative=False)


def eddy(strength: float) -> tuple[float, np.ndarray]:
    """Fraction of its kinetic energy that an eddy in a floating block keeps for four frames; mean velocity [m/s]."""
    vertices, triangles = box((0.0, 0.0, 0.0), (0.4, 0.4, 0.16))
    water = FluidSpec("water", vertices, triangles, spacing=SPACING, vorticity=strength)
    world = build_world(WorldSpec(systems=(water,), gravity=(0.0, 0.0, 0.0), substeps=8))
    apart = world.state.x - world.state.x.mean(axis=0)
    fade = np.exp(-(apart[:, :2] ** 2).sum(axis=1) / 0.1**2)
    world.state.v[:] = 3.0 * fade[:, None] * np.stack([-apart[:, 1], apart[:, 0], 0.0 * fade], axis=1)

    def energy(v: np.ndarray) -> float:
        return float((v.astype(float) ** 2).sum())

    first = energy(world.state.v)
    for _ in range(4):
        frame = step_frame(world)
    return energy(frame.velocities["water"]) / first, frame.velocities["water"].astype(float).mean(axis=0)


def test_vorticity_keeps_an_eddy_up_and_the_momentum_as_it_was() -> None:
    alone, kept = eddy(0.0), eddy(0.2)
    assert kept[0] > 1.05 * alone[0]
    assert np.abs(kept[1]).max() < 1e-5
