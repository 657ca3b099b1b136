"""Convex rigid bodies have particles at their corners only, unless something needs all vertices of the mesh."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import (
    ColliderSpec,
    Controls,
    Grab,
    SpringDashpot,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box

CORNERS, VERTICES = 8, 56
FINE = box(1.0, 3)


def corners_of_fine() -> tuple[np.ndarray, np.ndarray]:
    """The corners of the fine box in its own order, with two triangles a face."""
    corners = FINE[0][(np.abs(FINE[0]) > 0.49).all(axis=1)]
    vertices, triangles = box(1.0, 1)
    place = np.array([int(np.abs(corners - v).sum(axis=1).argmin()) for v in vertices])
    return corners, place[triangles]


def pile(mesh: tuple[np.ndarray, np.ndarray]) -> World:
    """Twenty boxes of a mesh, randomly rotated, above a floor."""
    random = np.random.default_rng(3)
    boxes = []
    for k in range(20):
        pose = np.eye(4)
        rotation = np.linalg.qr(random.normal(size=(3, 3)))[0]
        pose[:3, :3] = rotation * np.linalg.det(rotation)
        pose[:3, 3] = 1.4 * (k % 2), 1.4 * (k // 2 % 2), 1.2 + 1.8 * (k // 4)
        boxes.append(VoxelBodySpec(f"box {k}", *mesh, pose=pose, voxel_size=0.25))
    return build_world(WorldSpec((*boxes, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES))))


def test_a_finely_cut_box_goes_as_its_corners_do() -> None:
    """Vertices inside flat faces touch nothing: piles of boxes with 8 and 56 vertices have the same poses, bit for bit.

    All 56 vertices are where the pose puts them, within single precision.
    """
    fine, coarse = pile(FINE), pile(corners_of_fine())
    for _ in range(30):
        one, other = step_frame(fine), step_frame(coarse)
    assert fine.interactions[0].rigid.count > 20
    for name, pose in one.transforms.items():
        assert np.array_equal(pose, other.transforms[name])
        shown = one.positions[name]
        assert shown.shape == one.velocities[name].shape == (VERTICES, 3)
        assert np.abs(shown - (FINE[0] @ pose[:3, :3].T + pose[:3, 3])).max() < 1e-5


def test_velocities_of_all_vertices_are_those_of_the_body() -> None:
    """A box with angular velocity w and velocity v reports v + w x r at each vertex, including inner ones."""
    speed, rate = np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 2.0])
    spec = VoxelBodySpec("box", *FINE, voxel_size=0.25, velocity=speed, angular_velocity=rate)
    frame = step_frame(build_world(WorldSpec((spec,), gravity=(0.0, 0.0, 0.0))))
    aside = frame.positions["box"] - frame.transforms["box"][:3, 3]
    assert np.abs(frame.velocities["box"] - (speed + np.cross(rate, aside))).max() < 1e-5


def test_one_shape_is_kept_once() -> None:
    """Twenty boxes share the vertices of one shape; each has eight particles."""
    rigid = pile(FINE).rigid
    assert len(rigid.mesh) == VERTICES
    assert (rigid.stop - rigid.start == CORNERS).all()
    assert (rigid.mesh_stop - rigid.mesh_start == VERTICES).all()


@pytest.mark.parametrize("asked", ["water", "dashpots"])
def test_who_is_asked_for_all_vertices_has_them_as_particles(asked: str) -> None:
    """Water acts on the true mesh, and springs and dashpots act at each vertex."""
    spec = VoxelBodySpec("box", *FINE, voxel_size=0.25)
    wet = (WaterSpec("sea"),) if asked == "water" else ()
    rules = () if asked == "water" else (SpringDashpot("*", "*"),)
    rigid = build_world(WorldSpec((spec, *wet), rules)).rigid
    assert rigid.stop[0] - rigid.start[0] == VERTICES


def test_the_hand_holds_vertices_that_are_no_particles() -> None:
    """Held by the inner vertices of its top with stiffness k, a box of weight W hangs W / k below the hand."""
    vertices, triangles = FINE
    inner = np.flatnonzero((vertices[:, 2] > 0.49) & (np.abs(vertices[:, :2]) < 0.4).all(axis=1))
    world = build_world(WorldSpec((VoxelBodySpec("box", vertices, triangles, voxel_size=0.25, mass=1.0),)))
    stiffness = 200.0
    grab = Grab("box", inner, np.ones(len(inner)), np.array([0.0, 0.0, 0.5]), stiffness, 20.0)
    for _ in range(120):
        frame = step_frame(world, Controls(grab=grab))
    sag = 0.5 - float(frame.positions["box"][inner, 2].mean())
    assert sag == pytest.approx(9.81 / stiffness, rel=1e-3)
