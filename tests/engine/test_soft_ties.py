"""Soft bodies tied to rigid ones (ropes on crates): extension, rigid length, momentum."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import (
    Attachment,
    ColliderSpec,
    Ignore,
    SpringGraphSpec,
    VoxelBodySpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.solver.rigid.sides import apply_inverse_inertia, invert_inertia
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, chain, sheet, sphere, torus

CUBE, SIDES = box(0.4, 1)
CORNER = int(np.argmax(CUBE.sum(axis=1)))


def hung(stiffness: float | None, heavy: float = 5.0, **fields: object) -> World:
    """A pinned rope of 8 links and 0.4 kg whose end is tied to a corner of a crate, 0.25 m below it."""
    vertices, edges = chain(8, 1.0, (0.0, 0.0, -1.0))
    rope = SpringGraphSpec(
        "rope", vertices, edges=edges, graph="EDGES", mass=0.4, stiffness=1e6, pins=[0], air_drag=2.0
    )
    crate = VoxelBodySpec("crate", CUBE - CUBE[CORNER] - (0.0, 0.0, 1.25), SIDES, voxel_size=0.05, mass=heavy)
    tied = Attachment("rope", "crate", [8], [CORNER], stiffness=stiffness, **fields)
    return build_world(WorldSpec((rope, crate), attachments=(tied,)))


@pytest.mark.parametrize("stiffness", [500.0, 5000.0])
def test_t4_a_crate_hangs_on_a_spring_on_a_rope(stiffness: float, truth: Truth) -> None:
    """Only the spring carries the crate: its extension is m g / k, averaged over the crate's oscillation."""
    world, stretched = hung(stiffness, damping=2.0 * (5.0 * stiffness) ** 0.5), []
    for frame in range(480):
        step_frame(world)
        if frame >= 240:
            separation = world.positions("rope")[8] - world.positions("crate")[CORNER]
            stretched.append(np.linalg.norm(separation) - 0.25)
    truth("T4", f"crate on a spring of {stiffness:.0f} N/m on a rope", np.mean(stretched), 5.0 * 9.81 / stiffness, 0.05)


def energy(world: World) -> float:
    """Kinetic and potential energy of rope and crate [J]; the rope's links store almost none."""
    rigid, x, v = world.rigid, world.positions("rope"), world.velocities("rope")
    heavy, inverse = rigid.mass[0], np.zeros((1, 6))
    invert_inertia(rigid.rotation, rigid.inertia, inverse)
    omega = np.array(apply_inverse_inertia(inverse, 0, *rigid.angular_momentum[0]))
    moving = 0.4 / 9 * (v**2).sum() + heavy * (rigid.velocity[0] ** 2).sum() + rigid.angular_momentum[0] @ omega
    return 0.5 * moving + 9.81 * (0.4 / 9 * x[:, 2].sum() + heavy * rigid.position[0, 2])


@pytest.mark.parametrize("heavy", [0.0004, 0.5, 400.0])
def test_a_fast_tie_carries_a_crate(heavy: float) -> None:
    """It keeps its 0.25 m within 5e-5, from a thousandth to a thousand times the rope's mass, and gains no energy."""
    world = hung(None, heavy)
    energy_before, scale = energy(world), 9.81 * (heavy + 0.4)
    for _ in range(72):
        step_frame(world)
        separation = np.linalg.norm(world.positions("rope")[8] - world.positions("crate")[CORNER])
        assert abs(separation - 0.25) < 1.25e-5
        assert energy(world) <= energy_before + 1e-4 * scale


@pytest.mark.parametrize("precision", ["SINGLE", "DOUBLE"])
@pytest.mark.parametrize("stiffness", [None, 300.0])
def test_t11_a_ring_tied_to_a_crate_keeps_momenta(stiffness: float | None, precision: str, truth: Truth) -> None:
    """Without external forces sum m v and sum x × m v + L of both stay within 1e-9 while they pull each other."""
    vertices, triangles, edges = torus(0.5, 0.15, 20, 10)
    ring = SpringGraphSpec(
        "ring", vertices, triangles, edges, rings=2, struts=1, pressure=300.0, stiffness=500.0,
        velocity=np.cross([0.5, 1.0, 3.0], vertices) + [0.3, -0.2, 0.1],
    )
    crate = VoxelBodySpec("crate", CUBE + (1.2, 0.1, 0.0), SIDES, voxel_size=0.05, mass=3.0)
    tied = Attachment("ring", "crate", [0, 1, 2], [0, 1, 2], stiffness=stiffness, damping=0.5)
    world = build_world(WorldSpec(
        (ring, crate), (Ignore(),), gravity=(0.0, 0.0, 0.0), attachments=(tied,), precision=precision
    ))

    def momenta() -> np.ndarray:
        x, v, rigid = world.positions("ring"), world.velocities("ring"), world.rigid
        hard = rigid.mass[0] * rigid.velocity[0]
        return np.concatenate([
            v.sum(axis=0) / len(x) + hard, np.cross(x, v).sum(axis=0) / len(x) + np.cross(rigid.position[0], hard)
            + rigid.angular_momentum[0],
        ])

    before = momenta()
    for _ in range(48):
        step_frame(world)
    after = momenta()
    assert np.linalg.norm(world.rigid.velocity[0]) > 0.05
    for what, part in (("momentum", slice(0, 3)), ("angular momentum", slice(3, 6))):
        size = np.linalg.norm(before[part])
        truth("T11", f"{what} of a ring tied to a crate, {precision}, {stiffness}", after[part] / size,
              before[part] / size, 1e-9, relative=False)


@pytest.mark.parametrize("count", [3, 25])
def test_many_ties_to_one_vertex_fall_and_land_with_it(count: int) -> None:
    """Rigid ties from a ball of 13 kg to one vertex of a mat of 20 g: both fall at g t, and land on a floor.

    When they were always solved in one direction, the errors of three ties rotated among them and grew with the
    velocities that ties add: a vertex reached 1,700 m/s in the third frame of free fall.
    """
    points, triangles, edges = sheet((0.4, 0.4), (6, 6))
    vertices, faces = sphere(0.15, 2)
    mat = SpringGraphSpec("mat", points + [-0.2, -0.2, 0.3], triangles, edges, stiffness=1000.0, mass=0.02)
    ball = VoxelBodySpec("ball", vertices + [0.03, 0.02, 0.51], faces, mass=13.0)
    middle = int(np.argmin(np.linalg.norm(mat.vertices - [0.0, 0.0, 0.3], axis=1)))
    near = np.argsort(np.linalg.norm(ball.vertices - mat.vertices[middle], axis=1))[:count]
    ties = Attachment("ball", "mat", tuple(near.tolist()), (middle,) * count)
    world = build_world(WorldSpec(
        systems=(mat, ball, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES)), attachments=(ties,), substeps=20,
    ))
    for frame in range(1, 5):
        step_frame(world)
        np.testing.assert_allclose(world.velocities("mat")[:, 2], -9.81 * frame / 24.0, atol=1e-3)
    for _ in range(30):
        step_frame(world)
        assert np.abs(world.velocities("mat")).max() < 5.0
