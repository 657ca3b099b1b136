"""Bodies that fall on others come to rest, with a penetration below a fiftieth of the rest separation."""

from __future__ import annotations

import numpy as np
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World
from shapes import box, sheet, sphere
from test_calm import deepest

# Largest mean speed at rest [m/s], and largest penetration as a fraction of the rest separation.
SLOW, SHALLOW = 1e-3, 0.02


def after_ten_seconds(*systems: SpringGraphSpec | ColliderSpec) -> World:
    world = build_world(WorldSpec(systems))
    for _ in range(240):
        step_frame(world)
    return world


def mean_speed(world: World) -> float:
    """Mean speed of free particles [m/s]."""
    return float(np.linalg.norm(world.state.v[world.model.inv_mass > 0.0], axis=1).mean())


def cloth(size: float, height: float) -> SpringGraphSpec:
    """A level square above the origin with self-collision."""
    vertices, triangles, edges = sheet((size, size), (24, 24))
    return SpringGraphSpec(
        "cloth", vertices + [-size / 2.0, -size / 2.0, height], triangles, edges, rings=2, stiffness=300.0, mass=0.3,
        friction=0.5, thickness=0.01, air_drag=0.5, self_collision=True,
    )


def test_a_cloth_on_spikes_comes_to_rest() -> None:
    """Cloth on sixteen pyramids, 15 cm high and 24 cm apart."""
    vertices, triangles, _edges = sheet((0.96, 0.96), (8, 8))
    column, row = np.divmod(np.arange(len(vertices)), 9)
    vertices = vertices - [0.48, 0.48, 0.0]
    vertices[(column % 2 == 1) & (row % 2 == 1), 2] = 0.15
    world = after_ten_seconds(cloth(0.9, 0.17), ColliderSpec("spikes", vertices, triangles))
    assert world.contact_buffer.count > 0
    assert mean_speed(world) < SLOW
    assert deepest(world) < SHALLOW


def test_a_cloth_on_a_ball_lies_on_it_and_swings_out() -> None:
    """The hanging part still sways after ten seconds, as only air damps it; the part on the ball is at rest."""
    vertices, triangles = sphere(0.4, 4)
    world = after_ten_seconds(cloth(1.4, 0.45), ColliderSpec("ball", vertices, triangles))
    assert mean_speed(world) < 0.01
    assert deepest(world) < SHALLOW
    assert np.linalg.norm(world.positions("cloth"), axis=1).min() > 0.4


def test_fifty_jelly_cubes_in_a_bowl_come_to_rest() -> None:
    """Corners near an edge of another cube were once taken to be inside it: the mean speed stayed at 98 mm/s."""
    flat, bowl, _edges = sheet((1.8, 1.8), (24, 24))
    flat = flat - [0.9, 0.9, 0.0]
    flat[:, 2] = (flat[:, :2] ** 2).sum(axis=1) / 1.2
    vertices, triangles = box(0.12, 2)
    random = np.random.default_rng(2)
    cubes = tuple(
        SpringGraphSpec(
            f"cube {k}", vertices + [
                0.16 * (k % 4 - 1.5) + 0.01 * random.normal(), 0.16 * (k // 4 % 4 - 1.5) + 0.01 * random.normal(),
                0.3 + 0.17 * (k // 16),
            ], triangles, rings=2, struts=3, stiffness=1000.0, damping=0.5, mass=0.2, friction=0.6, thickness=0.01,
        )
        for k in range(50)
    )
    world = after_ten_seconds(*cubes, ColliderSpec("bowl", flat, bowl))
    assert mean_speed(world) < SLOW
    assert deepest(world) < SHALLOW
