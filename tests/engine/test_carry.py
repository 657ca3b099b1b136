"""Changed settings of a running world: the new world continues from the state of the old one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flotsam.engine import (
    ColliderSpec,
    SpecError,
    SpringGraphSpec,
    VoxelBodySpec,
    WorldSpec,
    build_world,
    change_world,
    step_frame,
)
from shapes import box


def falling(**settings: object) -> WorldSpec:
    vertices, triangles = box(0.4, 2)
    floor = np.array([(-2, -2, -1), (2, -2, -1), (2, 2, -1), (-2, 2, -1)], dtype=float)
    return WorldSpec((
        SpringGraphSpec("box", vertices, triangles, **{"mass": 1.0, "stiffness": 500.0, "struts": True, **settings}),
        ColliderSpec("floor", floor, np.array([(0, 1, 2), (0, 2, 3)])),
    ))


def test_an_unchanged_spec_goes_on_bit_for_bit() -> None:
    """Only particles are transferred, so memory of springs and contacts must follow from them alone."""
    spec = falling()
    one, two = build_world(spec), build_world(spec)
    for world in (one, two):
        for _ in range(5):
            step_frame(world)
    two = change_world(two, spec)
    assert two.state.frame == 5
    for _ in range(5):
        frames = step_frame(one), step_frame(two)
        assert frames[0].positions["box"].tobytes() == frames[1].positions["box"].tobytes()


def test_a_softer_body_goes_on_from_where_it_stands_and_sags_further() -> None:
    """A body with a tenth of the stiffness is pressed flatter by its weight, starting from the same moment."""
    world = build_world(falling(air_drag=2.0))
    for _ in range(72):
        step_frame(world)
    flat = np.ptp(world.positions("box")[:, 2])
    softer = change_world(world, falling(air_drag=2.0, stiffness=50.0))
    assert np.array_equal(softer.positions("box"), world.positions("box"))
    for _ in range(72):
        step_frame(softer)
    assert np.ptp(softer.positions("box")[:, 2]) < flat - 0.005


def test_links_stay_as_they_have_yielded_and_another_mesh_starts_anew() -> None:
    spec = falling(yield_strain=0.01, creep=100.0, stiffness=50.0)
    world = build_world(spec)
    for _ in range(24):
        step_frame(world)
    was = world.systems[0].plasticity.rest
    assert not np.array_equal(was, world.systems[0].plasticity.first)
    stiffer = change_world(world, falling(yield_strain=0.01, creep=100.0, stiffness=500.0))
    assert np.array_equal(stiffer.systems[0].plasticity.rest, was)
    vertices, triangles = box(0.4, 3)
    other = replace(spec, systems=(replace(spec.systems[0], vertices=vertices, triangles=triangles), spec.systems[1]))
    assert np.array_equal(change_world(world, other).positions("box"), vertices)


def test_a_body_that_starts_stretched_comes_back_to_its_rest_shape() -> None:
    """`start` is the initial shape, `vertices` the rest shape: a body a fifth too high shrinks to its rest height."""
    spec = falling(air_drag=8.0)
    rest = spec.systems[0].vertices
    stretched = replace(spec, gravity=(0.0, 0.0, 0.0), systems=(
        replace(spec.systems[0], start=rest * (1.0, 1.0, 1.2)), spec.systems[1]
    ))
    world = build_world(stretched)
    assert np.array_equal(world.positions("box"), rest * (1.0, 1.0, 1.2))
    for _ in range(96):
        step_frame(world)
    assert np.ptp(world.positions("box"), axis=0) == pytest.approx([0.4, 0.4, 0.4], rel=0.01)
    with pytest.raises(SpecError, match="start"):
        build_world(replace(spec, systems=(replace(spec.systems[0], start=rest[:3]), spec.systems[1])))


def test_a_rigid_body_goes_on_flying_bit_for_bit_and_with_another_density_as_it_moves() -> None:
    """Its trajectory does not depend on its mass, and another centre of mass or other axes move no vertex."""
    vertices, triangles = box(0.4, 2)
    vertices = vertices * [1.0, 2.0, 3.0]
    flying = VoxelBodySpec("box", vertices, triangles, velocity=(1.0, 0.0, 4.0), angular_velocity=(1.0, 5.0, 2.0))
    hollow = replace(flying, fill="SHELL", density=300.0, voxel_size=0.05)
    worlds = [build_world(WorldSpec((flying,))) for _ in range(3)]
    for world in worlds:
        for _ in range(5):
            step_frame(world)
    worlds[1] = change_world(worlds[1], WorldSpec((flying,)))
    worlds[2] = change_world(worlds[2], WorldSpec((hollow,)))
    assert np.abs(worlds[2].state.x - worlds[0].state.x).max() < 1e-12
    assert np.abs(worlds[2].state.v - worlds[0].state.v).max() < 1e-12
    assert worlds[2].mass("box") != worlds[0].mass("box")
    for world in worlds[:2]:
        for _ in range(5):
            step_frame(world)
    assert worlds[1].state.x.tobytes() == worlds[0].state.x.tobytes()
