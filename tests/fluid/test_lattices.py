"""Lattice solids in a fluid."""

from __future__ import annotations

import numpy as np
from flotsam.engine import ColliderSpec, FluidSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World
from fluid_naive import G, box, tank

SIDE, CUTS, LEVEL = 0.4, 6, 0.24


def cube(low: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a cube of SIDE, its faces cut into CUTS by CUTS squares."""
    line, rows, faces = np.linspace(0.0, SIDE, CUTS + 1), [], []
    u, v = (at.reshape(-1) for at in np.meshgrid(line, line, indexing="ij"))
    ids = np.arange((CUTS + 1) ** 2).reshape(CUTS + 1, CUTS + 1)
    a, b, c, d = (part.reshape(-1) for part in (ids[:-1, :-1], ids[1:, :-1], ids[1:, 1:], ids[:-1, 1:]))
    quads = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    for axis in range(3):
        for side in (0.0, SIDE):
            place = np.empty((len(u), 3))
            place[:, axis], place[:, (axis + 1) % 3], place[:, (axis + 2) % 3] = side, u, v
            faces.append((quads if side else quads[:, ::-1]) + len(ids.reshape(-1)) * len(rows))
            rows.append(place)
    places, number = np.unique(np.concatenate(rows).round(9), axis=0, return_inverse=True)
    return places + np.array(low), number.reshape(-1)[np.concatenate(faces)]


def pool(young: float, density: float) -> World:
    """A cube of cells just above water in a tank."""
    solid = SpringGraphSpec(
        "solid", *cube((0.25, 0.241, LEVEL + 0.02)), graph="LATTICE", material="SOLID", young=young, poisson=0.3,
        mass_by="DENSITY", density=density, friction=0.6,
    )
    water = FluidSpec("water", *box((0.0, 0.0, 0.0), (0.9, 0.9, LEVEL)), spacing=0.06)
    return build_world(WorldSpec((water, solid, ColliderSpec("tank", *tank(0.9, 0.9, 1.0))), substeps=15))


def test_a_light_solid_floats_at_rest() -> None:
    """A body that floats loses its motion: after a second and a half it is slower than a wave of 0.2 mm, sqrt(g a).

    For the fluid it had only the mass of its surface vertices, a tenth, and the rest held the surface where the fluid
    did not expect it: it shook for ever at 0.11 m/s; a marshmallow at 1 m/s.
    """
    world = pool(30000.0, 300.0)
    speeds = []
    for number in range(48):
        step_frame(world)
        if number >= 36:
            speeds.append(world.velocities("solid"))
    assert np.sqrt((np.array(speeds) ** 2).sum(axis=2).mean()) < np.sqrt(G * 0.0002)
    assert world.positions("solid")[:, 2].mean() > LEVEL
