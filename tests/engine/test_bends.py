"""Edges that are blunt when the search begins and are bent within the frame."""

from __future__ import annotations

import numpy as np
from crossings import Watch
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from shapes import FLOOR, FLOOR_TRIANGLES, box, sheet

# Height from which the jelly falls onto a cloth [m]; frames until it lies on it.
HEIGHT, FRAMES = 1.5, 22


def test_edges_that_a_hit_bends_are_found_in_time() -> None:
    """A cube of jelly of 125 kg falls onto a cloth over a block: no edge intersects a face after any substep.

    Two blunt edges are no pair, because their vertices and faces meet first. Both the cloth and the jelly are flat
    before the hit, which bends them by a hand's breadth within a frame.
    """
    cube, sides = box(0.5, 10)
    block, walls = box(0.5, 1)
    vertices, triangles, edges = sheet((1.6, 1.6), (25, 25))
    world = build_world(WorldSpec(substeps=5, systems=(
        SpringGraphSpec(
            "cloth", vertices + [-0.8, -0.8, 1.0], triangles, edges, stiffness=753.6, bending=8.2e-5, mass=0.512,
            thickness=0.008, friction=0.5, air_drag=0.5,
        ),
        SpringGraphSpec(
            "jelly", cube + [0.0, 0.0, HEIGHT + 0.25], sides, graph="LATTICE", young=25000.0, poisson=0.45, mass=125.0,
            friction=0.6, air_drag=0.3,
        ),
        ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES, friction=0.3),
        ColliderSpec("block", block + [0.0, 0.0, 0.25], walls, friction=0.3),
    )))
    watch = Watch(world)
    for _ in range(FRAMES):
        step_frame(world)
    jelly = world.positions("jelly")
    assert np.ptp(jelly[:, 2]) < 0.6 and jelly[:, 2].min() < 0.7
    assert watch.crossed == 0, watch.first
