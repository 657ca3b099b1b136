"""T3, T5, T17: damping, and material properties that do not depend on time step or mesh resolution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flotsam.engine import SpringGraphSpec, WorldSpec, build_world, step_frame
from shapes import chain, sheet
from swing import swing


@pytest.mark.parametrize("frame_rate", [24.0, 60.0])
@pytest.mark.parametrize("ratio", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("period", [0.25, 1.0])
def test_t3_damped_oscillator(period: float, ratio: float, frame_rate: float) -> None:
    """Logarithmic decrement 2 pi z / sqrt(1 - z²) with z = c / (2 sqrt(k m)).

    An implicit step of length h damps like a dashpot of k h / 2, which the solver subtracts from the requested damping.
    The remaining error is of the order (w h)², with 64 inner steps a substep: tolerance 3 %. Successive oscillations
    are compared by energy, which decreases by twice the decrement per period.
    """
    # Damped oscillation sampled at equal times obeys x[n+1] = 2 r cos(p) x[n] - r² x[n-1]: r and p by least squares.
    x = swing(period, frame_rate, 4.0, ratio)
    (first, second), *_ = np.linalg.lstsq(np.stack([x[1:-1], x[:-2]], axis=1), x[2:], rcond=None)
    shrink = math.sqrt(-second)
    decrement = -math.log(shrink) * 2.0 * math.pi / math.acos(first / (2.0 * shrink))
    assert decrement == pytest.approx(2.0 * math.pi * ratio / math.sqrt(1.0 - ratio * ratio), rel=0.03)


@pytest.mark.parametrize("frame_rate", [24.0, 60.0])
@pytest.mark.parametrize("substeps", [10, 20, 40])
def test_t5_sag_and_stretch_of_a_cable(substeps: int, frame_rate: float) -> None:
    """A slack elastic cable between level ends sags alike at any frame rate and substep: within 2 %.

    The reference is the equilibrium of the same springs, found by Newton's method on their energy.
    """
    count, stiffness, mass = 12, 300.0, 0.6
    vertices, edges = chain(count, 1.0, (1.0, 0.0, 0.0))
    spec = SpringGraphSpec(
        "cable", vertices, edges=edges, graph="EDGES", mass=mass, stiffness=stiffness, pins=[0, count], air_drag=3.0,
        rest_lengths=np.full(count, 1.05 / count),
    )
    world = build_world(WorldSpec(systems=(spec,), frame_rate=frame_rate, substeps=substeps))
    for _ in range(int(6.0 * frame_rate)):
        step_frame(world)
    expected = balanced(count, 1.0, 1.05 / count, stiffness, mass / (count + 1) * 9.81)
    x = world.positions("cable")
    assert x[:, 2].min() == pytest.approx(expected[:, 1].min(), rel=0.02)
    assert np.linalg.norm(np.diff(x, axis=0), axis=1).sum() == pytest.approx(
        np.linalg.norm(np.diff(expected, axis=0), axis=1).sum(), rel=0.002
    )


def balanced(count: int, apart: float, rest: float, stiffness: float, weight: float) -> np.ndarray:
    """Equilibrium of a hanging cable, (count + 1, 2), by shooting for the tension that ends level and in place [m]."""
    def end(horizontal: float) -> np.ndarray:
        lift = 0.5 * weight * (count - 1)
        places = [np.zeros(2)]
        for _ in range(count):
            force = math.hypot(horizontal, lift)
            length = rest + force / stiffness
            places.append(places[-1] + length * np.array([horizontal, -lift]) / force)
            lift -= weight
        return np.array(places)

    low, high = 1e-6, 1e4
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if end(middle)[-1, 0] < apart else (low, middle)
    return end(low)


@pytest.mark.parametrize(("vertices_a_side", "substeps"), [(8, 10), (8, 40), (16, 10), (16, 40), (32, 20)])
def test_t5_a_sheet_stretches_alike_at_any_resolution(vertices_a_side: int, substeps: int) -> None:
    """A square sheet of springs k that hangs from one side lengthens like the continuous one: within 3 %.

    Springs along x, y and both diagonals of squares make a sheet of C11 = C22 = 2 k, C12 = C33 = k. By linear theory
    (solved on the finest mesh) its far side moves by 0.309 w L / k, 0.0303 m, with w its weight; strains of 5 % at the
    root reduce that by 2 %. Finite edges leave 1.4 % at 8 vertices a side and 0.5 % at 16. The number of inner steps is
    large enough to converge.
    """
    vertices, triangles, edges = sheet((1.0, 1.0), (vertices_a_side - 1, vertices_a_side - 1))
    spec = SpringGraphSpec(
        "sheet", vertices, triangles, edges, mass=2.0, mass_by="AREA", stiffness=2000.0, air_drag=6.0,
        pins=np.flatnonzero(vertices[:, 0] == 0.0),
    )
    world = build_world(
        WorldSpec(systems=(spec,), gravity=(98.1, 0.0, 0.0), substeps=substeps,
                  spring_steps=max(64, vertices_a_side**2 // 5))
    )
    for _ in range(60):
        step_frame(world)
    longer = world.positions("sheet")[vertices[:, 0] == 1.0, 0].mean() - 1.0
    assert longer == pytest.approx(0.0296, rel=0.03)


@pytest.mark.parametrize("precision", ["SINGLE", "DOUBLE"])
def test_t17_truss(precision: str) -> None:
    """Forces k (l - l0) in the members of a bridge against the method of joints, within 1 % of the largest.

    Two pinned ends and ten members for five free joints: statically determinate. Deflections are 0.1 % of the members'
    length, which changes the equilibrium by about as much.
    """
    joints = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [0.5, 0, 0.8], [1.5, 0, 0.8], [2.5, 0, 0.8]])
    members = np.array([[0, 1], [2, 3], [4, 5], [5, 6], [0, 4], [4, 1], [1, 5], [5, 2], [2, 6], [6, 3]])
    stiffness, free = 1e5, [1, 2, 4, 5, 6]
    spec = SpringGraphSpec(
        "truss", joints, edges=members, graph="EDGES", mass=7.0, stiffness=stiffness, pins=[0, 3], air_drag=20.0,
        damping=50.0,
    )
    world = build_world(WorldSpec(systems=(spec,), precision=precision))
    for _ in range(160):
        step_frame(world)
    x = world.positions("truss")
    force = stiffness * (lengths_of(x, members) - lengths_of(joints, members))
    balance = np.zeros((2 * len(free), len(members)))
    for row, joint in enumerate(free):
        for member, (a, b) in enumerate(members):
            if joint in (a, b):
                along = joints[a + b - joint] - joints[joint]
                balance[2 * row : 2 * row + 2, member] = along[[0, 2]] / np.linalg.norm(along)
    expected = np.linalg.solve(balance, np.tile([0.0, 9.81], len(free)))
    assert force == pytest.approx(expected, abs=0.01 * np.abs(expected).max())


def lengths_of(x: np.ndarray, members: np.ndarray) -> np.ndarray:
    return np.linalg.norm(x[members[:, 0]] - x[members[:, 1]], axis=1)
