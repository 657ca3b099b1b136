"""Rows of various lengths in one pool; rows of particles that do not collide are never read."""

from __future__ import annotations

import numpy as np
from flotsam.engine import ColliderSpec, FluidSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.collide.broad_phase.pooled_lists import UNKNOWN, Rows, spread
from shapes import FLOOR, FLOOR_TRIANGLES, box


def test_ranges_are_spread_one_after_another() -> None:
    start, count = np.array([7, 0, 3, 20]), np.array([2, 0, 3, 1])
    assert spread(start, count).tolist() == [7, 8, 3, 4, 5, 20]
    assert spread(start[:0], count[:0]).tolist() == []


def test_rows_below_the_first_are_left_alone() -> None:
    """Rows that outgrow their capacity move; entries below the first are neither counted nor cleared nor enlarged."""
    rows = Rows(6, 3)
    rows.count[:] = [9, 9, 9, 0, 2, 5]
    assert rows.total() == 7
    assert rows.grow().tolist() == [4, 5]
    assert rows.count.tolist() == [9, 9, 9, 0, UNKNOWN, UNKNOWN]
    assert rows.start[5] == rows.start[4] + rows.capacity[4] and len(rows.pool) >= rows.start[5] + rows.capacity[5]
    rows.count[4:] = [2, 5]
    assert len(rows.grow()) == 0
    rows.clear()
    assert rows.count.tolist() == [9, 9, 9, 0, 0, 0]


def test_particles_of_a_fluid_have_no_part_in_the_search() -> None:
    """They come first. A body on the floor finds the same pairs with and without a fluid far away."""
    vertices, triangles = box(0.2, 2)
    body = SpringGraphSpec("body", vertices + [0.0, 0.0, 0.101], triangles)
    floor = ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES)
    drops = FluidSpec("drops", vertices + [0.0, 0.0, 50.0], triangles, spacing=0.05)
    found = []
    for systems in ((body, floor), (body, floor, drops)):
        world = build_world(WorldSpec(systems=systems, substeps=30))
        for _ in range(4):
            step_frame(world)
        search = next(one.search for one in world.interactions if hasattr(one, "search"))
        found.append(search.pair_particle - search.elements.first)
    assert len(found[0]) > 0 and np.array_equal(*found)
    assert search.elements.first == len(world.positions("drops"))
