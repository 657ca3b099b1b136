"""How bodies move during a substep of a fluid, in closed form: `met.paths`; and when particles are separated."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine.solver.rigid.columns import BodyColumns
from flotsam.engine.systems.fluid.met.bodies import MetColumns
from flotsam.engine.systems.fluid.met.contacts import DEFORMABLE
from flotsam.engine.systems.fluid.met.paths import (
    advance_bodies,
    angular_velocity_of,
    apply_to_soft,
    begin_points,
    begin_rigid,
    begin_soft,
    bound_paths,
    give_points,
    set_triangles,
    smallest_eigenvalue,
)
from flotsam.engine.systems.fluid.solver import CROWDED, FEW, FEWEST, MOST_CROWDED, FluidSolver
from flotsam.engine.systems.fluid.wall_table import Triangles

H, FALL = 0.01, np.array([0.0, 0.0, -0.0981])
# Corners of a cube of 2 m, of which each weighs a kilogram: its inertia is 8 (1 + 1) about each axis.
CUBE = np.array([[x, y, z] for z in (-1.0, 1.0) for y in (-1.0, 1.0) for x in (-1.0, 1.0)])
ONES = np.ones(len(CUBE))


def met(points: int = 0, rigid: int = 0) -> MetColumns:
    """Columns of points, all corners of one triangle, and of bodies with rigid response, all at zero."""
    three, six = np.zeros((points, 3)), np.zeros((rigid, 6))
    return MetColumns(
        np.arange(3)[None] % max(points, 1), np.zeros(1, dtype=np.int64), np.zeros(points),
        *(three.copy() for _ in range(3)), np.zeros(points), np.ones(rigid), np.tile(np.eye(3), (rigid, 1, 1)),
        *(np.zeros(rigid) for _ in range(2)), six.copy(), np.zeros((rigid, 3)), *(six.copy() for _ in range(3)),
        np.zeros(rigid),
    )


def test_points_begin_where_the_fluid_met_them_last() -> None:
    """They move to x in h; one that was put elsewhere starts at x_prev. Rigid response excludes gravity."""
    ids, body_index = np.array([2, 0, 1]), np.array([DEFORMABLE, 4, DEFORMABLE])
    before = np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    x, seen = before + [0.0, 0.5, 0.0], before[ids] + [0.0, 0.0, 0.1]
    seen[2] += 0.3
    at, speed = np.zeros((3, 3)), np.zeros((3, 3))
    begin_points(ids, body_index, x, before, H, FALL, 0.2, seen, at, speed)
    np.testing.assert_allclose(at, [[3.0, 0.0, 0.1], [1.0, 0.0, 0.1], [2.0, 0.0, 0.0]])
    np.testing.assert_allclose(speed, [[0.0, 50.0, -10.0], [0.0, 50.0, -10.0 + 0.0981], [0.0, 50.0, 0.0]])


def test_a_rigid_body_begins_with_its_motion_and_its_inertia() -> None:
    """A quarter turn about Z swaps its axes X and Y; its angular velocity is L / I, its velocity excludes gravity."""
    half = np.sqrt(0.5)
    pose, q, at_rest = np.array([[1.0, 2.0, 3.0]]), np.array([[half, 0.0, 0.0, half]]), np.zeros((1, 3))
    bodies = BodyColumns(
        np.array([2.0]), np.array([[1.0, 4.0, 5.0]]), pose, q, np.array([[7.0, 0.0, 0.0]]),
        np.array([[8.0, 3.0, 10.0]]), pose.copy(), q.copy(), *(at_rest.copy() for _ in range(4)), np.array([3.0]),
    )
    begun = met(rigid=1)
    begin_rigid(bodies, FALL, begun)
    np.testing.assert_allclose(begun.inertia[0], np.diag([4.0, 1.0, 5.0]), atol=1e-12)
    np.testing.assert_allclose(begun.rate[0], [7.0, 0.0, 0.0981, 2.0, 3.0, 2.0], atol=1e-12)
    np.testing.assert_allclose(begun.centre[0], pose[0])
    # The farthest point, 3 m away, has the largest inverse mass, about the axis of the least inertia.
    assert begun.max_inv_mass[0] == pytest.approx(1.0 / 2.0 + 9.0 / 1.0)


def test_a_soft_body_begins_as_a_stiff_one_of_the_same_momenta() -> None:
    """A cube that moves and rotates: M = 8, I = 16, and its corners are the square root of 3 away."""
    middle, velocity, rate = np.array([5.0, 0.0, 0.0]), np.array([1.0, 2.0, 3.0]), np.array([0.3, -0.2, 0.1])
    begun = met(rigid=2)
    begin_soft(1, 0, 8, ONES, middle + CUBE, velocity + np.cross(rate, CUBE), FALL, begun)
    np.testing.assert_allclose(begun.inertia[1], 16.0 * np.eye(3), atol=1e-12)
    np.testing.assert_allclose(begun.rate[1], [*(velocity - FALL), *rate], atol=1e-12)
    np.testing.assert_allclose(begun.centre[1], middle)
    assert (begun.mass[1], begun.reach[1]) == pytest.approx((8.0, np.sqrt(3.0)))
    assert begun.max_inv_mass[1] == pytest.approx(1.0 / 8.0 + 3.0 / 16.0)
    assert begun.mass[0] == 1.0 and not begun.rate[0].any()


@pytest.mark.parametrize("values", [(1.0, 2.0, 3.0), (2.0, 2.0, 5.0), (4.0, 4.0, 4.0), (0.0, 3.0, 3.0)])
def test_inertia_has_its_least_value_and_its_inverse(values: tuple[float, float, float]) -> None:
    """Q diag(values) Q^T; about an axis without inertia, as that of a rod, nothing rotates."""
    axes = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0] if values[0] else np.eye(3)
    inertia = axes @ np.diag(values) @ axes.T
    assert smallest_eigenvalue(inertia) == pytest.approx(min(values), abs=1e-7)
    angular_momentum = axes @ (np.array(values) * [0.5, -1.0, 2.0])
    np.testing.assert_allclose(
        angular_velocity_of(inertia, *angular_momentum), axes @ [0.5 if values[0] else 0.0, -1.0, 2.0], atol=1e-12
    )


def test_triangles_and_their_box_hold_the_ways_of_their_corners() -> None:
    origin, at = np.array([1.0, 0.0, 0.0]), np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 3.0, 0.0]])
    begun, box = met(points=3), np.zeros((2, 3))
    begun.speed[:] = [[0.0, 0.0, 4.0], [0.0, -100.0, 0.0], [0.0, 0.0, 0.0]]
    ends = (np.zeros((1, 3, 3), dtype=np.float32) for _ in range(2))
    triangles = Triangles(*ends, np.ones((1, 2), dtype=np.float32), np.zeros(1, dtype=bool))
    set_triangles(H, origin, at, begun, triangles)
    np.testing.assert_allclose(triangles.start[0], at - origin)
    np.testing.assert_allclose(triangles.end[0], at - origin + H * begun.speed, rtol=1e-6)
    bound_paths(H, origin, at, begun.speed, box)
    np.testing.assert_allclose(box, [[0.0, -1.0, 0.0], [1.0, 3.0, 0.04]])
    bound_paths(H, origin, at[:0], begun.speed[:0], box)
    assert (box[0] == np.inf).all() and (box[1] == -np.inf).all()


def test_a_whole_body_goes_on_by_its_changes_and_by_drag() -> None:
    """With 2 kg and inertia 4 drag adds (1, 0, 0) m/s and 0.5 rad/s; its point at (0, 1, 0) then moves by both."""
    begun, body_index = met(points=2, rigid=1), np.array([0, DEFORMABLE])
    at = np.array([[0.0, 1.0, 0.0], [9.0, 0.0, 0.0]])
    begun.mass[0], begun.inertia[0] = 2.0, 4.0 * np.eye(3)
    begun.drag_impulse[0], begun.change[0, 1], begun.speed[1] = [2.0, 0.0, 0.0, 0.0, 0.0, 2.0], 3.0, [0.0, 0.0, 1.0]
    drag = begun.drag_impulse[0].copy()
    advance_bodies(H, body_index, at, begun)
    np.testing.assert_allclose(begun.rate[0], [1.0, 3.0, 0.0, 0.0, 0.0, 0.5])
    np.testing.assert_allclose(begun.speed, [[1.0 - 0.5, 3.0, 0.0], [0.0, 0.0, 1.0]])
    np.testing.assert_allclose(at, [[H * 0.5, 1.0 + H * 3.0, 0.0], [9.0, 0.0, H]])
    np.testing.assert_allclose(begun.centre[0], [H, 3.0 * H, 0.0])
    np.testing.assert_allclose(begun.body_impulse[0], drag)
    assert not begun.drag_impulse.any()


def test_impulses_arrive_whole() -> None:
    """At corners by their own masses; at a soft body as momentum and angular momentum of all its particles."""
    begun, x, v = met(points=1, rigid=1), np.zeros((3, 3)), np.zeros((3, 3))
    begun.inv_mass[0], begun.impulse[0] = 0.5, [0.0, 4.0, 0.0]
    give_points(np.array([1]), H, begun, x, v)
    np.testing.assert_allclose(v, [[0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(x, H * v)
    before, v = CUBE + [3.0, 0.0, 0.0], np.zeros((8, 3))
    x = before.copy()
    begin_soft(0, 0, 8, ONES, before, v, FALL, begun)
    begun.body_impulse[0] = [8.0, -4.0, 2.0, 1.6, 3.2, -4.8]
    apply_to_soft(0, 0, 8, H, (ONES, ONES, begun), before, x, v)
    np.testing.assert_allclose([*v.sum(axis=0), *np.cross(CUBE, v).sum(axis=0)], begun.body_impulse[0])
    np.testing.assert_allclose(x, before + H * v)
    x, v = before.copy(), np.zeros((8, 3))
    apply_to_soft(0, 0, 8, H, (ONES, np.where(np.arange(8) == 5, 0.0, 1.0), begun), before, x, v)
    assert not v[5].any() and v[4].any()


@pytest.mark.parametrize("count", [2000, 30_000])
def test_particles_are_parted_where_many_are_too_dense_or_some_very(count: int) -> None:
    """One in a thousand may be denser than 1.25, one in ten thousand than 1.5: separating a few costs steps of all."""
    solver, few, fewest = FluidSolver(0.05), int(FEW * count), int(FEWEST * count)
    for dense, value, expected in (
        (0, 0.0, False), (few, CROWDED + 0.01, False), (few + 1, CROWDED + 0.01, True),
        (few + 1, CROWDED - 0.01, False), (fewest + 1, MOST_CROWDED - 0.01, False),
        (fewest, MOST_CROWDED + 0.01, False), (fewest + 1, MOST_CROWDED + 0.01, True),
    ):
        solver.error = np.zeros(count, dtype=np.float32)
        solver.error[:dense] = value
        assert solver.is_crowded() == expected
    solver.error = np.zeros(0, dtype=np.float32)
    assert not solver.is_crowded()
