"""Piles come to rest."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.rotation import rotation_of
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, sheet, torus


def deepest(world: World) -> float:
    """Largest penetration of contacts, as a fraction of the rest separation."""
    buffer, count = world.contact_buffer, world.contact_buffer.count
    places = world.state.x[buffer.contact[:count]]
    separation = np.einsum("me,mek,mk->m", buffer.weight[:count], places, buffer.normal[:count])
    return float(((buffer.rest_separation[:count] - separation) / buffer.rest_separation[:count]).max(initial=0.0))


def test_three_rings_on_a_floor_come_to_rest() -> None:
    """At rest after eight seconds; without sleep one ring kept rocking, and a vertex vibrated at 0.1 m/s.

    Four starts that differ by a tenth of a millimetre all have 0.1 mm/s by then, and 1.6 to 3.6 mm/s a second earlier.
    """
    vertices, triangles, edges = torus(0.5, 0.15, 48, 24)
    rings = tuple(
        SpringGraphSpec(
            f"ring {k}", vertices + [0.1 * k, 0.05 * k, 0.2 + 0.4 * k], triangles, edges, rings=2, struts=1,
            stiffness=2000.0, pressure=3000.0, mass=2.0,
        )
        for k in range(3)
    )
    world = build_world(WorldSpec((*rings, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES)), substeps=10))
    for _ in range(192):
        step_frame(world)
    speed = np.linalg.norm(world.state.v, axis=1)
    assert speed.mean() < 0.001
    assert speed.max() < 0.02
    assert deepest(world) < 0.02


def test_what_is_pressed_flat_does_not_tremble() -> None:
    """A ring at a wall under thirty times its weight, 24 inner steps a substep: at rest after four seconds.

    When air kept the directions of the first inner step, it moved the skin at 3 to 46 cm/s for ever.
    """
    vertices, triangles, edges = torus(0.5, 0.15, 40, 16)
    ring = SpringGraphSpec(
        "ring", vertices, triangles, edges, rings=1, struts=1, stiffness=2000.0, mass=0.9, pressure=400.0,
        thickness=0.01, damping=0.02,
    )
    cube, sides = box(1.0, 1)
    wall = ColliderSpec("wall", cube * [0.4, 6.0, 6.0] + [0.87, 0.0, 0.0], sides)
    world = build_world(WorldSpec(
        systems=(ring, wall), gravity=(300.0, 0.0, 0.0), substeps=10, spring_steps=24,
    ))
    for _ in range(96):
        step_frame(world)
    assert np.sqrt((world.state.v**2).sum(axis=1).mean()) < 0.002


def test_a_cube_at_rest_has_no_speed() -> None:
    """Gravity and the support of the floor cancel in every inner step: only single-precision rounding remains."""
    vertices, triangles = box(0.5, 3)
    cube = SpringGraphSpec("cube", vertices + [0.0, 0.0, 0.3], triangles, rings=2, struts=1, stiffness=2000.0)
    world = build_world(WorldSpec((cube, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES))))
    for _ in range(120):
        step_frame(world)
    assert np.abs(world.state.v).max() < 1e-3


# Vertices of the folded cloth above the lower layer.
UPPER = slice(18 * 13, 25 * 13)


def folded_cloth(self_collision: bool) -> World:
    """A strip of cloth folded in two on a floor after ten seconds; without self-collision both layers coincide."""
    vertices, triangles, edges = sheet((1.2, 0.4), (36, 12))
    along, radius, half = vertices[:, 0], 0.03, 0.4
    angle = np.clip((along - half) / radius, 0.0, np.pi)
    back = along > half + np.pi * radius
    x = np.where(back, 2.0 * half + np.pi * radius - along, np.minimum(along, half) + radius * np.sin(angle))
    bent = np.stack([x, vertices[:, 1], 0.01 + radius * (1.0 - np.cos(angle))], axis=1)
    cloth = SpringGraphSpec(
        "cloth", bent, triangles, edges, stiffness=300.0, bending=1e-4, mass=0.1, thickness=0.006,
        self_collision=self_collision,
    )
    world = build_world(WorldSpec((cloth, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES))))
    for _ in range(240):
        step_frame(world)
    return world


def test_a_cloth_that_meets_itself_lies_double() -> None:
    world = folded_cloth(self_collision=True)
    assert world.positions("cloth")[UPPER, 2] == pytest.approx(0.009, abs=0.02 * 0.006)
    assert np.linalg.norm(world.velocities("cloth"), axis=1).mean() < 0.001
    assert deepest(world) < 0.02


def test_a_cloth_that_does_not_meet_itself_lies_in_itself() -> None:
    assert folded_cloth(self_collision=False).positions("cloth")[UPPER, 2] == pytest.approx(0.003, abs=0.001)


def test_edges_meet_where_no_corner_does() -> None:
    """Two bars laid crosswise touch only in the middle of their edges."""
    vertices, triangles = box(1.0, 1)
    bar = vertices * [2.0, 0.2, 0.2]
    corner = rotation_of(np.array([np.pi / 4.0, 0.0, 0.0]))
    across = rotation_of(np.array([0.0, 0.0, np.pi / 2.0]))
    lower = ColliderSpec("lower", bar @ corner.T, triangles)
    upper = SpringGraphSpec(
        "upper", bar @ corner.T @ across.T + [0.0, 0.0, 0.5], triangles, stiffness=1e5, rings=2, struts=3, mass=1.0,
        thickness=0.01, friction=2.0,
    )
    world = build_world(WorldSpec((lower, upper)))
    for _ in range(24):
        step_frame(world)
    separation = world.positions("upper")[:, 2].min() - 0.1 * np.sqrt(2.0)
    assert separation == pytest.approx(0.005, abs=0.001)


def test_bodies_that_start_in_each_other_part_slowly() -> None:
    """Two rings overlap by an eighth of a tube: recovery adds no speed except by the springs that it compressed."""
    vertices, triangles, _edges = torus(0.4, 0.2, 16, 10)
    bodies = tuple(
        SpringGraphSpec(f"ring {k}", vertices + [0.0, 0.0, 0.35 * k], triangles, rings=2, stiffness=1e4, pressure=1e3)
        for k in range(2)
    )
    world = build_world(WorldSpec(bodies, gravity=(0.0, 0.0, 0.0)))
    fastest = 0.0
    for _ in range(24):
        step_frame(world)
        fastest = max(fastest, np.abs(world.state.v).max())
    separation = world.positions("ring 1")[:, 2].min() - world.positions("ring 0")[:, 2].max()
    assert fastest < 1.0
    assert separation > 0.0
