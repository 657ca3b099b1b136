"""Fluids that press an inflated body against the floor that it lies on."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, FluidSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.mesh.voxel.within import are_within
from fluid_naive import box

FRAMES, ALONG, ACROSS = 24, 20, 10


def slab() -> tuple[np.ndarray, np.ndarray]:
    """Vertices and outward triangles of a closed slab of 2 by 1 by 0.1 m: two grids, and a rim of one cell."""
    ids = np.arange((ALONG + 1) * (ACROSS + 1)).reshape(ALONG + 1, ACROSS + 1)
    flat = np.stack(np.meshgrid(np.linspace(-1, 1, ALONG + 1), np.linspace(-0.5, 0.5, ACROSS + 1), indexing="ij"), -1)
    vertices = np.concatenate([np.concatenate([flat, np.full_like(flat[..., :1], z)], -1) for z in (-0.05, 0.05)])
    a, b, c, d = ids[:-1, :-1], ids[1:, :-1], ids[1:, 1:], ids[:-1, 1:]
    faces = np.stack([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)
    rim = np.concatenate([ids[:-1, 0], ids[-1, :-1], ids[:0:-1, -1], ids[0, :0:-1]])
    following, up = np.roll(rim, -1), ids.size
    sides = np.concatenate([
        np.stack([rim, following, following + up], -1), np.stack([rim, following + up, rim + up], -1),
    ])
    return vertices.reshape(-1, 3), np.concatenate([faces[:, ::-1], faces + up, sides])


@pytest.mark.parametrize(("aside", "above"), [((0.0, 0.0), 0.9), ((0.1, 0.15), 0.9), ((-0.4, 0.0), 0.5)])
def test_water_on_an_air_mattress_stays_above_the_floor_and_outside(aside: tuple[float, float], above: float) -> None:
    """A cube of 110 kg of water falls on a mattress of 2 kg on a floor.

    As a rigid body the mattress passed through the floor in the fluid's view, and its skin came back through particles:
    30 to 52 of 512 were below the floor then, and 20 to 114 in the mattress. Some flow over its edge, all above the
    floor.
    """
    vertices, triangles = slab()
    mattress = SpringGraphSpec(
        "mattress", vertices + (0.0, 0.0, 0.0601), triangles, mass_by="AREA_DENSITY",
        area_density=0.45, stiffness=2985.0, damping=0.02, pressure=400.0, friction=0.4, thickness=0.01,
    )
    low = np.array([aside[0] - 0.24, aside[1] - 0.24, 0.12 + above])
    water = FluidSpec("water", *box(tuple(low), tuple(low + 0.48)), spacing=0.06)
    floor = ColliderSpec("floor", *box((-9.0, -9.0, -0.3), (9.0, 9.0, 0.0)), friction=0.5)
    world = build_world(WorldSpec((water, mattress, floor)))
    for _ in range(FRAMES):
        step_frame(world)
        place = world.positions("water").astype(float)
        assert place[:, 2].min() > 0.0
    assert not are_within(world.positions("mattress"), triangles, place).any()
