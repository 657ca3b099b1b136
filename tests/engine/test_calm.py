"""What lies in a pile comes to rest."""

from __future__ import annotations

import numpy as np
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from shapes import FLOOR, FLOOR_TRIANGLES, box, torus


def test_three_rings_on_a_floor_come_to_rest() -> None:
    """After ten seconds at ten substeps: rolling and rocking have no damping but friction, so some is left."""
    vertices, triangles, edges = torus(0.5, 0.15, 48, 24)
    rings = tuple(
        SpringGraphSpec(
            f"ring {k}", vertices + [0.1 * k, 0.05 * k, 0.2 + 0.4 * k], triangles, edges, rings=2, struts=1,
            stiffness=2000.0, pressure=3000.0, mass=2.0,
        )
        for k in range(3)
    )
    world = build_world(WorldSpec((*rings, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES))))
    for _ in range(240):
        step_frame(world)
    speed = np.linalg.norm(world.state.v, axis=1)
    assert speed.mean() < 0.01
    assert speed.max() < 0.1


def test_a_cube_at_rest_has_no_speed() -> None:
    """Gravity and what bears it cancel in every inner step: nothing is left but rounding in single precision.

    A substep's kick, pressed into the ground, came back with h g / 2 = 20 mm/s.
    """
    vertices, triangles = box(0.5, 3)
    cube = SpringGraphSpec("cube", vertices + [0.0, 0.0, 0.3], triangles, rings=2, struts=1, stiffness=2000.0)
    world = build_world(WorldSpec((cube, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES))))
    for _ in range(120):
        step_frame(world)
    assert np.abs(world.state.v).max() < 1e-3


def test_bodies_that_start_in_each_other_part_slowly() -> None:
    """Two rings an eighth of a tube in each other: recovery gives no speed, only what it squeezed springs by does."""
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
    gap = world.positions("ring 1")[:, 2].min() - world.positions("ring 0")[:, 2].max()
    assert fastest < 1.0
    assert gap > 0.0
