"""Shortcuts for pairs of hulls and for short rotations: they change no result, or none beyond rounding."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.rigid.columns import rigid_contact_columns
from flotsam.engine.solver.rigid.hulls.hull import extent_of
from flotsam.engine.solver.rigid.motion import SERIES, advance_pose, give_velocities
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box


def pile(count: int = 24, shear: float = 0.0, restitution: float = 0.0) -> World:
    """Boxes that fall onto a floor and each other; with a shear they are parallelepipeds."""
    vertices, triangles = box(1.0, 1)
    vertices = vertices * [1.0, 0.8, 0.6] + shear * vertices[:, ::-1] * [1.0, 0.0, 0.0]
    random, bodies = np.random.default_rng(3), []
    for k in range(count):
        pose = np.eye(4)
        basis = np.linalg.qr(random.normal(size=(3, 3)))[0]
        pose[:3, :3], pose[:3, 3] = basis * np.linalg.det(basis), [1.1 * (k % 3), 1.1 * (k // 3 % 2), 1.0 + 0.2 * k]
        bodies.append(VoxelBodySpec(f"box {k}", vertices, triangles, pose=pose, density=500.0, restitution=restitution))
    return build_world(WorldSpec((*bodies, ColliderSpec("floor", FLOOR * 3.0, FLOOR_TRIANGLES)), threads=1))


def test_the_face_that_separated_a_pair_is_asked_first_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bits as when the separating faces of all pairs are forgotten before each narrow phase."""
    world = pile()
    for _ in range(16):
        step_frame(world)
    hulls = world.interactions[0].rigid.hulls
    assert np.count_nonzero(hulls.hulls.separating_face) > 10
    saved, ends, find = world.snapshot(), [], hulls._find

    def find_without(first: int, pressed: bool) -> None:
        hulls.hulls.separating_face[:] = 0
        find(first, pressed)

    for search in (find, find_without):
        monkeypatch.setattr(hulls, "_find", search)
        world.restore(saved)
        for _ in range(4):
            step_frame(world)
        ends.append(world.state.x.copy())
    assert np.array_equal(*ends)


@pytest.mark.parametrize("shear", [0.0, 0.4])
def test_a_box_reaches_as_far_as_its_corners(shear: float) -> None:
    """Its corners lie within m . n - sum |a_k . n| and m . n + sum |a_k . n|; m is its middle, a_k its half axes."""
    world = pile(3, shear)
    step_frame(world)
    shapes = world.interactions[0].rigid.hulls.hulls.shapes
    assert shapes.is_box[:3].all()
    assert not shapes.is_box[3:].any()
    for body in range(3):
        corners = shapes.at[shapes.first_corner[body] : shapes.first_corner[body + 1]]
        middle, *half = shapes.extent[body].reshape(4, 3)
        for n in np.random.default_rng(body).normal(size=(20, 3)):
            reach = sum(abs(n @ axis) for axis in half)
            ends = (corners @ n).min(), (corners @ n).max()
            assert ends == pytest.approx((middle @ n - reach, middle @ n + reach), abs=1e-14)


def test_what_is_no_parallelepiped_has_no_extent() -> None:
    """A frustum has eight corners, and a box with one corner moved by 1e-6 three directions of edges: no boxes."""
    vertices, axes = box(1.0, 1)[0], np.eye(3)
    moved = vertices.copy()
    moved[0, 0] += 1e-6
    assert np.isfinite(extent_of(vertices, axes)).all()
    for corners in (vertices * np.where(vertices[:, 2:] > 0.0, [[0.7, 0.7, 1.0]], 1.0), moved):
        assert np.isnan(extent_of(corners, axes)).all()


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.1, 1.99 * math.sqrt(SERIES), 2.01 * math.sqrt(SERIES), 2.0])
@pytest.mark.parametrize("across", [2.0, 3.0])
def test_short_rotations_are_exact(angle: float, across: float) -> None:
    """A body with equal moments of inertia or not rotates about a principal axis: q = (cos a/2, 0, 0, sin a/2)."""
    inertia, zeros = np.array([[across, across, 2.0]]), np.zeros((1, 3))
    rotation, before = np.zeros((1, 4)), np.array([[1.0, 0.0, 0.0, 0.0]])
    advance_pose(0, 0.5, inertia, zeros, before, zeros, np.array([[0.0, 0.0, 4.0 * angle]]), zeros.copy(), rotation)
    expected = [math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle)]
    assert rotation[0] == pytest.approx(expected, rel=4e-16, abs=2e-16)


def test_contacts_of_a_pair_are_ordered_as_one_by_one() -> None:
    """Shuffled, few contacts are of the same pair as the one before: islands, stages and tasks stay the same."""
    world = pile()
    for _ in range(20):
        step_frame(world)
    rigid = world.interactions[0].rigid
    count, shuffle = rigid.count, np.random.default_rng(1).permutation(rigid.count)
    layouts = []
    for order in (np.arange(count), shuffle):
        table = rigid_contact_columns(count)
        for new, old in zip(table, rigid.columns, strict=True):
            new[:] = old[:count][order]
        rigid.order.put(count, table, world.model.body, world.rigid.columns)
        found, stop = rigid.order.found, rigid.order.found.stage_start[-1]
        tasks = [sorted(order[found.contact[slice(*found.task_start[k : k + 2])]]) for k in range(stop)]
        layouts.append((found.stage_start.tolist(), tasks))
    assert layouts[0] == layouts[1]
    assert len(layouts[0][1]) > 1


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_particles_have_the_velocities_of_their_bodies(restitution: float) -> None:
    """Also if velocities are written once a substep, because nothing has changed since."""
    world = pile(6, restitution=restitution)
    for _ in range(14):
        step_frame(world)
        rigid, state = world.rigid, world.state
        velocities = np.zeros_like(state.v)
        give_velocities(
            rigid.start, rigid.stop, rigid.inertia, rigid.position, rigid.rotation, rigid.velocity,
            rigid.angular_momentum, state.x, velocities,
        )
        assert np.array_equal(velocities[rigid.own], state.v[rigid.own])
