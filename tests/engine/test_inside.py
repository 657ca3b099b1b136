"""A corner of a rigid body that begins within a soft one is told from one that a pressed wall has passed."""

from __future__ import annotations

import numpy as np
from flotsam.engine import SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.interactions.contact.system import Contacts
from shapes import box, sphere


def test_corners_within_a_ball_are_known_and_come_out() -> None:
    """A crate begins with four corners 5 cm within a soft ball of half a metre; nothing pulls at either."""
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
