"""A ring that lies on a crate: how much work the solve does, and how often it is called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.interactions.contact import rigid_contact
from flotsam.engine.solver.collide.broad_phase.broad_phase import BroadPhase
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, torus

FRAMES = 24


def settled(**settings: Any) -> World:
    """A ring of half a kilogram on a crate of half a tonne on the floor, after a second."""
    vertices, triangles, edges = torus(0.3, 0.1, 32, 16)
    ring = SpringGraphSpec("ring", vertices + [0.0, 0.0, 1.13], triangles, edges, mass=0.5, pressure=400.0)
    corners, faces = box(1.0, 1)
    crate = VoxelBodySpec("crate", corners + [0.0, 0.0, 0.502], faces, mass=500.0)
    floor = ColliderSpec("floor", FLOOR * 3.0, FLOOR_TRIANGLES)
    world = build_world(WorldSpec(systems=(ring, crate, floor), threads=1, **settings))
    for _ in range(FRAMES):
        step_frame(world)
    assert world.rigid.contact_buffer.count > 50
    return world


def test_sweeps_over_contacts_end_when_they_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the allowed number of iterations gives the same bits."""
    world = settled()
    saved, found = world.snapshot(), []
    for more in (1, 4):
        world.restore(saved)
        monkeypatch.setattr(rigid_contact, "ITERATIONS", 10 * more)
        monkeypatch.setattr(rigid_contact, "FEW_ITERATIONS", 4 * more)
        step_frame(world)
        found.append(world.state.x.copy())
    assert np.array_equal(*found)


@pytest.mark.parametrize("steps", [2, 9])
def test_rigid_bodies_follow_inner_steps_in_the_same_call(steps: int) -> None:
    world = settled(spring_steps=steps)
    solve, calls = world.systems[0].solve, []
    call = solve._solve_islands
    solve._solve_islands = lambda *tables: (calls.append(tables), call(*tables))
    step_frame(world)
    assert len(calls) == world.substeps
    assert all(tables[0].taken.tolist() == [steps] for tables in calls)


def test_a_crate_at_rest_does_not_sink_in_inner_steps() -> None:
    """It rests on four corners: with one iteration over them it sank at 5 mm/s, and the ring was 0.3 mm deep in it."""
    world = settled()
    step_frame(world)
    buffer = world.rigid.contact_buffer
    table, soft = buffer.columns, buffer.columns.soft[: buffer.count]
    assert soft.sum() > 50
    # The solve at the end of the substep adds almost no impulse compared with the ring's weight, and leaves recovery
    # almost no overlap to remove.
    weight = 0.5 * 9.81 * world.h
    assert table.impulse[: buffer.count, 0][soft].sum() < 1e-3 * weight
    assert table.overlap[: buffer.count][soft].max() < 2e-5


def test_only_contacts_that_get_an_impulse_are_weighed() -> None:
    """Inner steps have stopped the particles: the solve at the end of the substep computes few effective masses."""
    world = settled()
    step_frame(world)
    buffer = world.rigid.contact_buffer
    soft = buffer.columns.soft[: buffer.count]
    has_effective_mass = buffer.columns.effective_mass[: buffer.count, 0] >= 0.0
    assert has_effective_mass[~soft].all()
    assert has_effective_mass[soft].mean() < 0.5


def test_what_hardly_moves_is_not_pressed_into_a_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    """At low approach speeds hulls are searched once a substep; a second search, for pressed ones, changes no bit."""
    world = settled()
    hulls, calls = world.interactions[0].rigid.hulls, []
    find = hulls._find
    monkeypatch.setattr(hulls, "_find", lambda first, pressed: (calls.append(pressed), find(first, pressed)))
    saved, found = world.snapshot(), []
    for max_approach in (hulls._max_approach, lambda *tables: np.inf):
        world.restore(saved)
        monkeypatch.setattr(hulls, "_max_approach", max_approach)
        step_frame(world)
        found.append(np.concatenate([world.state.x, world.state.v]))
    assert np.array_equal(*found)
    assert calls.count(False) == 2 * world.substeps
    assert calls.count(True) == world.substeps


def test_a_search_stays_valid_for_several_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """As without rigid bodies; a snapshot in between restores the same bits."""
    world, seen = settled(), []
    search_all = BroadPhase._search_all
    monkeypatch.setattr(BroadPhase, "_search_all", lambda *a: (seen.append(1), search_all(*a))[1])
    for _ in range(12):
        step_frame(world)
    assert len(seen) < 8
    saved, found = world.snapshot(), []
    for _ in range(2):
        world.state.v[0, 2] -= 0.5
        for _ in range(6):
            step_frame(world)
        found.append(world.state.x.copy())
        world.restore(saved)
    assert np.array_equal(*found)
