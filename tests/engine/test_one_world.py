"""Random scenes of every kind at once: soft and rigid bodies, fluid, agents, level water and waves, walls, wind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sea
import shapes
from flotsam.engine import (
    AirSpec,
    ColliderSpec,
    Contact,
    Controls,
    FlockSpec,
    FluidSpec,
    SpringGraphSpec,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
    build_world,
    step_frame,
)

SCENES, FRAMES = 24, 24
# Nothing here falls or is blown faster than a third of this; a light ball that a fluid strikes may be twice as fast as
# the fluid [m/s].
FASTEST = 60.0

Draw = np.random.Generator


def soft_body(draw: Draw, name: str, place: np.ndarray) -> SpringGraphSpec:
    """A ring, a ball, a sheet that may be pinned at its corners, or a jelly of cells."""
    kind = draw.choice(["ring", "ball", "sheet", "jelly"])
    mass = float(10.0 ** draw.uniform(-1.0, 1.0))
    if kind == "ring":
        vertices, faces, _edges = shapes.torus(0.4, 0.13, 24, 10)
        return SpringGraphSpec(name, vertices + place, faces, pressure=1000.0, stiffness=3000.0, mass=mass)
    if kind == "ball":
        vertices, faces = shapes.sphere(0.25, 2)
        return SpringGraphSpec(name, vertices + place, faces, pressure=500.0, stiffness=2000.0, mass=0.3 * mass)
    if kind == "sheet":
        vertices, faces = sea.grid(1.2, 12)
        pins = [0, 12, 156, 168] if draw.random() < 0.5 else []
        return SpringGraphSpec(name, vertices + place, faces, mass=mass, stiffness=2000.0, bending=0.01, pins=pins)
    vertices, faces = shapes.box(0.4, 2)
    return SpringGraphSpec(name, vertices + place, faces, graph="LATTICE", mass=30.0 * mass, voxel_size=0.1)


def waters(draw: Draw) -> tuple[list[WaterSpec], Callable[[int], Controls]]:
    """A level water, one with waves, or both; and the controls of a frame."""
    found, which = [], draw.random()
    if which < 0.5:
        found.append(WaterSpec("pond", float(draw.uniform(0.0, 0.5)), drag=float(draw.uniform(0.0, 1.0))))
    if which < 0.3:
        return found, lambda _frame: Controls()
    sheet, faces = sea.grid(6.0, 24)
    sheet += [0.0, 0.0, float(draw.uniform(0.0, 0.4))]
    amplitude, length, period = draw.uniform([0.05, 2.0, 1.0], [0.5, 6.0, 3.0])

    def surface(frame: int) -> np.ndarray:
        return sea.swell(sheet, amplitude, length, period, frame / sea.RATE)

    drag = float(draw.uniform(0.0, 1.0))
    found.append(WaterSpec("sea", surface="MESH", vertices=surface(0), triangles=faces, drag=drag))
    return found, lambda frame: Controls(water={"sea": surface(frame)})


def scene(seed: int) -> tuple[WorldSpec, Callable[[int], Controls]]:
    """One to three bodies and water; and some of a fluid, a flock, a floor and wind."""
    draw = np.random.default_rng(seed)
    systems: list[Any] = []
    for number in range(draw.integers(1, 4)):
        place = draw.uniform([-1.0, -1.0, 0.0], [1.0, 1.0, 1.5])
        if draw.random() < 0.7:
            systems.append(soft_body(draw, f"soft {number}", place))
        else:
            vertices, faces = shapes.box(0.3, 1)
            density = float(10.0 ** draw.uniform(1.5, 3.5))
            systems.append(VoxelBodySpec(f"crate {number}", vertices + place, faces, density=density))
    if draw.random() < 0.6:
        vertices, faces = shapes.box(0.4, 1)
        systems.append(FluidSpec(
            "fluid", vertices + draw.uniform([-1.0, -1.0, 0.8], [1.0, 1.0, 1.5]), faces, spacing=0.1, limit=400,
            density=float(10.0 ** draw.uniform(2.5, 3.3)), emission=str(draw.choice(["FILL", "INFLOW"])),
            joins_water=bool(draw.random() < 0.6),
        ))
    if draw.random() < 0.3:
        places = draw.uniform([-0.5, -0.5, 0.2], [0.5, 0.5, 0.6], (4, 3))
        systems.append(FlockSpec("flock", places, motion=str(draw.choice(["WALK", "FLY", "SWIM"]))))
    found, controls = waters(draw)
    systems += found
    if draw.random() < 0.4:
        vertices, faces = shapes.box(1.0, 1)
        systems.append(ColliderSpec("floor", vertices * [6.0, 6.0, 0.2] - [0.0, 0.0, 1.1], faces))
    if draw.random() < 0.4:
        systems.append(AirSpec("air", wind=tuple(draw.uniform(-8.0, 8.0, 3))))
    return WorldSpec(tuple(systems), interactions=(Contact(),), substeps=int(draw.choice([2, 5, 10]))), controls


@pytest.mark.parametrize("seed", range(SCENES))
def test_t21_everything_in_one_world_stays_finite_and_keeps_its_mass(seed: int) -> None:
    """Water and fluid give bodies mass for a substep; after each frame all have their own again, to the bit."""
    spec, controls = scene(seed)
    world = build_world(spec)
    soft = np.isin(world.model.body, [k for k, body in enumerate(world.model.bodies) if body.kind == "SPRING_GRAPH"])
    own = world.model.mass[soft], world.model.inv_mass[soft]
    rigid = np.zeros(0) if world.rigid is None else world.rigid.mass.copy()
    for frame in range(1, FRAMES + 1):
        step_frame(world, controls(frame))
        assert np.array_equal(world.model.mass[soft], own[0]) and np.array_equal(world.model.inv_mass[soft], own[1])
        assert world.rigid is None or np.array_equal(world.rigid.mass, rigid)
        assert np.isfinite(world.state.x).all()
        assert np.linalg.norm(world.state.v[soft], axis=1).max(initial=0.0) < FASTEST
