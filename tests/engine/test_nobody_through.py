"""No tunnelling between soft and rigid bodies: edges against faces, both ways, checked after every substep."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from crossings import Watch, cuts
from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.frame import Frame
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, sheet, sphere, torus

FLOOR_BELOW = ColliderSpec("floor", FLOOR * 3.0, FLOOR_TRIANGLES)
# Mass of the cloth, which is 3 m wide with edges of 7.5 cm [kg]; its height [m].
CLOTH, HEIGHT = 2.7, 1.4


def cloth(pins: str) -> SpringGraphSpec:
    """An undamped sheet of 41 x 41 vertices and 5 mm, pinned at its corners, all around, or nowhere."""
    vertices, triangles, edges = sheet((3.0, 3.0), (40, 40))
    at_rim = np.abs(vertices[:, :2] - 1.5) > 1.499
    pinned = {"corners": at_rim.all(axis=1), "rim": at_rim.any(axis=1), "free": at_rim.all(axis=1) & False}[pins]
    return SpringGraphSpec(
        "cloth", vertices + [-1.5, -1.5, HEIGHT], triangles, edges, rings=2, stiffness=3000.0, mass=CLOTH,
        thickness=0.005, pins=np.flatnonzero(pinned),
    )


def thing(shape: str, kind: str, mass: float, drop: float) -> SpringGraphSpec | VoxelBodySpec | ColliderSpec:
    """A cube of 0.4 m, flat or tilted, or a ball, at the given height above the cloth."""
    if shape == "ball":
        vertices, triangles = sphere(0.2, 3)
    else:
        vertices, triangles = box(0.4, 3 if kind == "soft" else 1)
    if shape == "tilted":
        a, b = np.radians([30.0, 20.0])
        vertices = vertices @ np.array([[1, 0, 0], [0, np.cos(a), np.sin(a)], [0, -np.sin(a), np.cos(a)]])
        vertices = vertices @ np.array([[np.cos(b), 0, -np.sin(b)], [0, 1, 0], [np.sin(b), 0, np.cos(b)]])
    vertices = vertices + [0.03, 0.02, HEIGHT + drop - vertices[:, 2].min()]
    if kind == "rigid":
        return VoxelBodySpec("thing", vertices, triangles, mass=mass)
    if kind == "soft":
        return SpringGraphSpec(
            "thing", vertices, triangles, mass=mass, stiffness=2e5, rings=2, struts=2, thickness=0.005
        )
    return ColliderSpec("thing", vertices, triangles)


def watched(spec: WorldSpec, frames: int) -> tuple[World, Frame, Watch]:
    """The world and its frame after `frames` frames, and the detected intersections."""
    world = build_world(spec)
    watch = Watch(world)
    for _ in range(frames):
        frame = step_frame(world)
    return world, frame, watch


def test_the_checker_sees_what_goes_through() -> None:
    """An edge through a face, one beside it, and one before it."""
    x = np.array([
        [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [2.0, 2.0, -1.0],
        [2.0, 2.0, 1.0], [0.2, 0.2, 2.0],
    ])
    edges, faces = np.array([[3, 4], [5, 6], [4, 7]]), np.array([[0, 1, 2]])
    assert cuts(x, edges, faces).tolist() == [[0, 0]]


CASES = [
    ("tilted", "rigid", 2.56, 0.3, "corners", 10), ("tilted", "rigid", 0.54, 0.3, "rim", 10),
    ("tilted", "rigid", 10.2, 1.5, "rim", 10), ("flat", "rigid", 2.56, 0.3, "rim", 10),
    ("ball", "rigid", 10.2, 1.5, "rim", 10), ("tilted", "rigid", 94.0, 0.3, "free", 10),
    ("tilted", "rigid", 2.56, 0.3, "rim", 40), ("tilted", "soft", 2.56, 0.3, "rim", 10),
    ("tilted", "collider", 1.0, 0.3, "free", 10),
]


@pytest.mark.parametrize("shape, kind, mass, drop, pins, substeps", CASES)
def test_nothing_gets_through_cloth(
    shape: str, kind: str, mass: float, drop: float, pins: str, substeps: int
) -> None:
    """0.2 to 35 times the cloth's mass: no edge intersects a face in any substep, no edge stays stretched by half."""
    spec = WorldSpec(systems=(cloth(pins), thing(shape, kind, mass, drop)), substeps=substeps)
    world, frame, watch = watched(spec, 36 if substeps == 10 else 16)
    assert watch.substeps == (36 if substeps == 10 else 16) * substeps
    assert watch.crossed == 0, watch.first
    assert max(frame.diagnostics["cloth"]["stretch"]) < 0.5
    if pins == "rim":
        assert world.positions("thing")[:, 2].max() > 0.6, "and it has not fallen"


def momenta(world: World) -> np.ndarray:
    """Momentum and angular momentum about the origin of the cloth and the thing, (6,)."""
    rigid, body = world.rigid, world.body("cloth")
    own = slice(body.start, body.stop)
    soft = world.model.mass[own, None] * world.state.v[own]
    hard = rigid.mass[:, None] * rigid.velocity
    turn = np.cross(world.state.x[own], soft).sum(axis=0)
    turn += (np.cross(rigid.position, hard) + rigid.angular_momentum).sum(axis=0)
    return np.concatenate([soft.sum(axis=0) + hard.sum(axis=0), turn])


@pytest.mark.parametrize("shape, mass", [("tilted", 2.56), ("ball", 10.0)])
def test_free_cloth_that_is_struck_keeps_momentum(shape: str, mass: float) -> None:
    """At 5 m/s without gravity, spinning: momentum within 1e-6 of the thing's, angular momentum within 1e-4 m of it."""
    struck = replace(
        thing(shape, "rigid", mass, 0.05), velocity=(0.3, 0.2, -5.0), angular_velocity=(0.5, -1.0, 0.7)
    )
    world = build_world(WorldSpec(systems=(cloth("free"), struck), gravity=(0.0, 0.0, 0.0)))
    watch, before = Watch(world), momenta(world)
    for _ in range(16):
        step_frame(world)
    assert np.linalg.norm(world.rigid.velocity[0] - [0.3, 0.2, -5.0]) > 0.1, "they met"
    assert watch.crossed == 0, watch.first
    change = np.abs(momenta(world) - before) / (5.0 * mass)
    assert change[:3].max() < 1e-6
    assert change[3:].max() < 1e-4


def test_a_crate_in_a_ring_lets_nobody_through() -> None:
    """On a fine ring on the floor, tilted: as `test_nothing_gets_through_cloth`."""
    vertices, triangles, edges = torus(0.45, 0.15, 48, 24)
    ring = SpringGraphSpec(
        "ring", vertices + [0.0, 0.0, 0.17], triangles, edges, rings=1, struts=1, stiffness=2000.0, mass=2.7,
        pressure=400.0, friction=0.4, thickness=0.01, damping=0.02,
    )
    crate = thing("tilted", "rigid", 5.0, 0.0)
    crate = replace(crate, vertices=np.asarray(crate.vertices) + [0.4, 0.0, 0.5 - HEIGHT])
    _world, frame, watch = watched(WorldSpec(systems=(ring, crate, FLOOR_BELOW)), 36)
    assert watch.crossed == 0, watch.first
    assert max(frame.diagnostics["ring"]["stretch"]) < 0.5
