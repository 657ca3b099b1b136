"""Edges that are blunt when the search begins and are bent within the frame."""

from __future__ import annotations

import numpy as np
import pytest
from crossings import Watch
from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from shapes import FLOOR, FLOOR_TRIANGLES, box, sheet
from test_between import tilted

# Height from which the jelly falls onto a cloth [m]; frames until it lies on it.
HEIGHT, FRAMES = 1.5, 22
# Frames in which a jelly hits cloth over crates, and in how many of their substeps any edge may end in a face.
HIT, MOST_CUT = 24, 2


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


@pytest.mark.parametrize("higher", (0.01, 0.02, 0.03))
def test_edges_that_the_last_check_bends_are_found_too(higher: float) -> None:
    """A jelly of 125 kg hits a cloth of 0.6 kg over four tilted crates at 3 m/s, from three heights.

    What the last check sets back onto corners of crates bends the cloth, whose blunt edges were no pairs with those of
    the jelly: edges cut faces in 74, 32 and 41 of 120 substeps.
    """
    cube, sides = box(0.5, 8)
    crate, walls = box(0.3, 1)
    vertices, triangles, edges = sheet((1.6, 1.6), (23, 23))
    crates = (
        VoxelBodySpec(
            f"crate {i}{j}", crate @ tilted(3 * i + j) * 0.8 + [0.42 * i - 0.21, 0.42 * j - 0.21, 0.3], walls,
            voxel_size=0.1, density=300.0, thickness=0.004, friction=0.5,
        )
        for i in range(2) for j in range(2)
    )
    world = build_world(WorldSpec(substeps=5, systems=(
        SpringGraphSpec(
            "cloth", vertices + [-0.8, -0.8, 0.62], triangles, edges, stiffness=750.0, bending=8e-5, mass=0.6,
            thickness=0.01, friction=0.5, air_drag=0.5,
        ),
        ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES, friction=0.3),
        SpringGraphSpec(
            "jelly", cube + [0.05, 0.1, 1.0 + higher], sides, graph="LATTICE", young=25000.0, poisson=0.45, mass=125.0,
            friction=0.6, velocity=(0.0, 0.0, -3.0),
        ),
        *crates,
    )))
    watch = Watch(world)
    for _ in range(HIT):
        step_frame(world)
    assert world.positions("jelly")[:, 2].min() < 0.4
    assert watch.crossed <= MOST_CUT, watch.first
