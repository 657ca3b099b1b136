"""A corner of a rigid body that begins within a soft one is distinguished from one that a pressed wall has passed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from crossings import Watch
from flotsam.engine import SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.interactions.contact.system import Contacts
from shapes import box, sphere, torus
from test_nobody_through import FLOOR_BELOW, thing, watched


def test_corners_within_a_ball_are_known_and_come_out() -> None:
    """A crate begins with four corners 5 cm within a soft ball of half a metre, without gravity."""
    vertices, triangles = sphere(0.5, 3)
    corners, sides = box(0.2, 1)
    ball = SpringGraphSpec("ball", vertices, triangles, mass=5.0, stiffness=3000.0, pressure=500.0)
    crate = VoxelBodySpec("crate", corners + [0.0, 0.0, 0.535], sides, voxel_size=0.05, density=100.0)
    world = build_world(WorldSpec(systems=(ball, crate), gravity=(0.0, 0.0, 0.0)))
    contacts = next(one for one in world.interactions if isinstance(one, Contacts))
    body = world.body("crate")
    step_frame(world)
    assert contacts.inside[body.start : body.stop].any(), "some are still within after a frame"
    for _ in range(23):
        step_frame(world)
    middle = world.positions("ball").mean(axis=0)
    assert np.linalg.norm(world.positions("crate") - middle, axis=1).min() > 0.49


@pytest.mark.parametrize("aside", [0.0, -0.003, 0.001])
def test_a_heavy_crate_flattens_a_ring_without_hanging_in_it(aside: float) -> None:
    """100 kg on a corner press the walls of a ring together: no edge cuts a face in any substep, and it recovers.

    The crate hung on its corner for good, and the ring on it, stretched to one and a half times its length. The corner,
    or an edge, presses a triangle with one corner on the floor. The last check moved that corner back and forth between
    both (2 of 11 starts), or found a crossing that was already resolved in the direction that the triangle had after
    its rotation (`aside` of -3 mm).

    A corner that faces the inner side of the far wall is not within the ring, as its winding number shows. When faces
    alone decide what is inside, edges cut faces in 125 of the 400 substeps.
    """
    vertices, triangles, edges = torus(0.45, 0.15, 32, 16)
    ring = SpringGraphSpec(
        "ring", vertices + [0.0, 0.0, 0.16], triangles, edges, rings=1, struts=1, stiffness=1000.0, mass=2.7,
        pressure=200.0, friction=0.4, thickness=0.01, damping=0.02,
    )
    load = thing("tilted", "rigid", 100.0, 0.0)
    lowest = np.asarray(load.vertices)[:, 2].min()
    load = replace(load, vertices=np.asarray(load.vertices) + [0.37 + aside, 0.03, 0.92 - lowest], friction=0.4)
    _world, frame, watch = watched(WorldSpec(systems=(FLOOR_BELOW, ring, load)), 40)
    assert watch.crossed == 0, watch.first
    assert max(frame.diagnostics["ring"]["stretch"]) < 0.2


@pytest.mark.parametrize("speed", [1.0, 3.0, 6.0])
@pytest.mark.parametrize("aside", [0.02, 0.15])
def test_a_cube_turned_inside_out_is_struck_and_holds(speed: float, aside: float) -> None:
    """A point that seems to lie below a face of an inverted body is outside: no edge cuts a face in any substep.

    The larger cube is mirrored in x after the world is built, so all its faces point inward. A smaller one strikes it
    without gravity. When the nearest face alone decided the side, edges cut faces in 90 to 115 of the 120 substeps.
    """
    cube, sides = box(0.4, 4)
    settings = {"rings": 2, "struts": 1, "stiffness": 3000.0, "mass": 1.0, "thickness": 0.01}
    turned = SpringGraphSpec("turned", cube, sides, **settings)
    comes = SpringGraphSpec("comes", 0.6 * cube + [aside, 0.03, 0.45], sides, velocity=(0.0, 0.0, -speed), **settings)
    world = build_world(WorldSpec(systems=(turned, comes), gravity=(0.0, 0.0, 0.0)))
    body = world.body("turned")
    for x in (world.state.x, world.state.x_prev):
        x[body.start : body.stop, 0] *= -1.0
    watch = Watch(world)
    for _ in range(12):
        step_frame(world)
    assert watch.substeps == 120 and watch.crossed == 0, watch.first
    away = world.state.v[body.start : body.stop].mean(axis=0)
    assert away[2] < -0.25 * speed, "it is struck"
