"""Viscosity from water to tar against the flow between plates; vorticity confinement."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import FluidSpec, WorldSpec, build_world, step_frame
from flotsam.engine.systems.fluid.columns import for_steps
from flotsam.engine.systems.fluid.solver import IMPLICIT, FluidSolver
from fluid_naive import box, columns, lattice, still

SPACING, ACROSS = 0.02, 10


def slide(viscosity: float, h: float) -> tuple[np.ndarray, float, int]:
    """Fluid of a kinematic viscosity [m²/s] slides between plates until it is steady.

    Returns:
        Speeds of the layers between the plates in the middle of the fluid's length (ACROSS,) over the closed form's
        largest, g width² / (8 viscosity); the change in the last tenth; passes of viscosity.
    """
    width, solver = ACROSS * SPACING, FluidSolver(SPACING)
    x = lattice((5, ACROSS, 18), SPACING)
    v, layer = np.zeros_like(x), (x[:, 1] / SPACING).astype(int)
    plates = np.array([
        [-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [-9.0, width, -9.0], [9.0, width, -9.0], [0.0, width, 9.0]
    ])
    walls = still(plates, np.array([[0, 1, 2], [3, 4, 5]]))
    own = columns(len(x))
    own[1] = viscosity
    own, passes, _is_thin = for_steps(own, float(solver.law.support), h, 1)
    # Slow, so that the ends hardly bend in the time that it takes.
    largest = 0.02
    gravity, seconds = 8.0 * viscosity * largest / width**2, 0.6 * width**2 / viscosity
    inner = np.abs(x[:, 2] - 9.0 * SPACING) < 3.0 * SPACING
    found = []
    for _ in range(round(seconds / h)):
        v[:, 2] -= gravity * h
        solver.step(x, v, h, own, passes, walls)
        found.append(-v[inner, 2].mean())
    profile = np.array([-v[inner & (layer == k), 2].mean() for k in range(ACROSS)]) / largest
    return profile, float(found[-1] / found[int(0.9 * len(found))] - 1.0), passes


@pytest.mark.parametrize(
    ("viscosity", "h", "is_implicit"), [(0.02, 1 / 240, False), (0.2, 1 / 240, True), (20.0, 1 / 2400, True)], ids=str
)
def test_t25_fluid_between_plates(viscosity: float, h: float, is_implicit: bool, truth) -> None:
    """Steady flow by its weight: speed over the largest is 4 y (1 - y), y the distance over the width."""
    profile, change, passes = slide(viscosity, h)
    y = (np.arange(ACROSS) + 0.5) / ACROSS
    assert (passes == IMPLICIT) == is_implicit and abs(change) < 0.02
    closed = 4.0 * y * (1.0 - y)
    truth("T25", f"mean flow between plates, {viscosity} m²/s", float(profile.mean()), float(closed.mean()), 0.1)
    truth("T25", f"largest speed between plates, {viscosity} m²/s", float(profile.max()), float(closed.max()), 0.1)
    truth("T25", f"profile between plates, {viscosity} m²/s", profile, closed, 0.1, relative=False)


def test_viscosity_does_not_depend_on_the_steps() -> None:
    """Ten times as many steps, the same flow."""
    few, many = slide(2.0, 1 / 240)[0], slide(2.0, 1 / 2400)[0]
    assert np.abs(few - many).max() < 0.03


def test_t11_a_stiff_fluid_keeps_its_momentum(truth) -> None:
    """Two cubes of tar collide off centre: sum m v stays, and they stick together."""
    one = lattice((6, 6, 6), SPACING)
    x = np.concatenate([one, one + [0.125, 0.03, 0.02]])
    v, own, solver = np.zeros_like(x), columns(len(x), share=200.0), FluidSolver(SPACING)
    v[: len(one), 0], own[0, len(one) :] = 1.0, 4.0
    mass = 1.0 / own[0].astype(float)
    before = mass @ v
    for _ in range(60):
        solver.step(x, v, 1.0 / 480.0, own, IMPLICIT, still(np.zeros((0, 3)), np.zeros((0, 3), int)))
    assert 0 < solver.thick.iterations < 60
    # The lighter one came along.
    assert v[len(one) :, 0].mean() > 0.5
    truth("T11", "momentum of a stiff fluid", (mass @ v - before) / np.abs(before).sum(), 0.0, 1e-5, relative=False)


def eddy(strength: float) -> tuple[float, np.ndarray]:
    """Moment of momentum left of an eddy in a block that floats, over the first; and the mean velocity [m/s]."""
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
