"""No tunnelling between soft and rigid bodies: edges against faces, both ways, checked after every substep."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from crossings import Watch, boxes, cuts
from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.interactions.contact.late.crossings import FRACTIONS, ROUNDS, ZONES
from flotsam.engine.interactions.contact.late.heaps import move_as_one
from flotsam.engine.interactions.contact.system import Contacts
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
    assert cuts(x, edges, faces, boxes(x, edges), boxes(x, faces)).tolist() == [[0, 0]]


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


def test_cloths_that_a_crate_presses_on_the_floor_stay_above_it() -> None:
    """10 kg fall on two light cloths on a floor: no edge intersects a face in any substep.

    The contacts stay difficult for many substeps; only crossings of bodies that intersect when a substep begins may be
    ignored. When all that four rounds do not resolve are ignored, edges cut faces in most of the 240 substeps.
    """
    vertices, triangles, edges = sheet((0.9, 0.9), (20, 20))
    cloths = [
        SpringGraphSpec(
            f"cloth {k}", vertices + [-0.45 + 0.05 * k, -0.45 + 0.05 * k, 0.02 + 0.02 * k], triangles, edges, rings=1,
            stiffness=500.0, bending=2e-5, mass=0.2, friction=0.5, thickness=0.006, air_drag=0.5,
        )
        for k in range(2)
    ]
    crate = thing("tilted", "rigid", 10.2, 0.3)
    crate = replace(crate, vertices=np.asarray(crate.vertices) - [0.0, 0.0, HEIGHT])
    _world, frame, watch = watched(WorldSpec(systems=(FLOOR_BELOW, *cloths, crate)), 24)
    assert watch.crossed == 0, watch.first
    assert frame.diagnostics["world"]["left"][0] == 0.0


def momenta(world: World) -> np.ndarray:
    """Momentum and angular momentum about the origin of the cloth and the thing, (6,)."""
    rigid, body = world.rigid, world.body("cloth")
    own = slice(body.start, body.stop)
    soft = world.model.mass[own, None] * world.state.v[own]
    hard = rigid.mass[:, None] * rigid.velocity
    angular = np.cross(world.state.x[own], soft).sum(axis=0)
    angular += (np.cross(rigid.position, hard) + rigid.angular_momentum).sum(axis=0)
    return np.concatenate([soft.sum(axis=0) + hard.sum(axis=0), angular])


@pytest.mark.parametrize("shape, mass, speed, linear, angular", [
    ("tilted", 2.56, 5.0, 1e-6, 1e-4), ("ball", 10.0, 5.0, 1e-6, 1e-4), ("tilted", 10.0, 40.0, 1e-4, 5e-4),
])
def test_free_cloth_that_is_struck_keeps_momentum(
    shape: str, mass: float, speed: float, linear: float, angular: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without gravity, spinning: momentum within a fraction of the body's, angular momentum within a length times it.

    At 40 m/s there are dozens of late contacts. The body has to get impulses opposite to those of the cloth: otherwise
    momentum changes by 3e-2 (impulses not passed on), or 9e-4 and angular momentum by 4e-3 (not counted).
    """
    struck = replace(
        thing(shape, "rigid", mass, 0.05), velocity=(0.3, 0.2, -speed), angular_velocity=(0.5, -1.0, 0.7)
    )
    world = build_world(WorldSpec(systems=(cloth("free"), struck), gravity=(0.0, 0.0, 0.0)))
    late, stops = contacts_of(world).late, []
    project_crossings = late.project_crossings
    monkeypatch.setattr(
        late, "project_crossings", lambda *args: (stops.append(late.bodies_stop), project_crossings(*args))
    )
    watch, before = Watch(world), momenta(world)
    for _ in range(16):
        step_frame(world)
    assert np.linalg.norm(world.rigid.velocity[0] - [0.3, 0.2, -speed]) > 0.1, "they met"
    assert watch.crossed == 0, watch.first
    assert bool(stops) == (speed > 5.0), "there are late contacts"
    change = np.abs(momenta(world) - before) / (speed * mass)
    assert change[:3].max() < linear
    assert change[3:].max() < angular


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


def tangle() -> tuple[SpringGraphSpec | VoxelBodySpec, ...]:
    """Four rings, two sheets and three crates that begin in each other."""
    random = np.random.default_rng(3)
    vertices, triangles, edges = torus(0.45, 0.15, 32, 16)
    rings = [
        SpringGraphSpec(
            f"ring {k}", vertices + random.uniform(-0.25, 0.25, 3) + [0.0, 0.0, 0.6], triangles, edges, rings=1,
            struts=1, stiffness=2000.0, mass=2.7, pressure=400.0, friction=0.4, thickness=0.01, damping=0.02,
        )
        for k in range(4)
    ]
    flat, faces, sides = sheet((1.5, 1.5), (24, 24))
    sheets = [
        SpringGraphSpec(
            f"sheet {k}", flat + [-0.75, -0.75, 0.55 + 0.1 * k], faces, sides, stiffness=1000.0, mass=0.5,
            thickness=0.006, self_collision=True,
        )
        for k in range(2)
    ]
    cube, hull = box(0.35, 1)
    crates = [
        VoxelBodySpec(f"crate {k}", cube + random.uniform(-0.3, 0.3, 3) + [0.0, 0.0, 0.6], hull, mass=5.0)
        for k in range(3)
    ]
    return (*rings, *sheets, *crates)


def contacts_of(world: World) -> Contacts:
    """The world's behaviour of contacts."""
    return next(one for one in world.interactions if isinstance(one, Contacts))


def test_a_tangle_is_looked_at_no_more_often_than_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """In no substep of a tangle are pairs tested for crossings more often than there are rounds, and it separates."""
    world = build_world(WorldSpec(systems=(*tangle(), FLOOR_BELOW)))
    contacts, looks = contacts_of(world), [0]
    find = contacts.find

    def counted(*args: object) -> int:
        looks[0] += 1
        return find(*args)

    monkeypatch.setattr(contacts, "find", counted)
    most, interventions, stopped = 0, 0.0, []
    for _ in range(12):
        before = looks[0]
        frame = step_frame(world)
        most = max(most, looks[0] - before)
        interventions += sum(frame.diagnostics["world"][name][0] for name in ("shortened", "stopped", "left"))
        stopped.append(frame.diagnostics["world"]["stopped"][0])
    assert most <= world.substeps * (1 + ROUNDS + len(FRACTIONS) + ZONES + 1)
    assert np.abs(world.state.v).max() < 20.0
    assert interventions > 0.0, "bodies that intersect are counted"
    assert sum(stopped) < 6 and max(stopped[-2:]) <= 1.0, "and are not stopped in each substep"


def test_what_goes_on_as_one_keeps_both_momenta() -> None:
    """A cloth and a spinning crate keep momentum and angular momentum when they move as one rigid cluster."""
    struck = replace(
        thing("tilted", "rigid", 2.56, 0.05), velocity=(0.3, 0.2, -1.0), angular_velocity=(0.5, -1.0, 0.7)
    )
    drifts = replace(cloth("free"), velocity=(0.0, 0.4, 0.1))
    world = build_world(WorldSpec(systems=(drifts, struck), gravity=(0.0, 0.0, 0.0)))
    step_frame(world)
    contacts, h, own = contacts_of(world), world.h, world.body("cloth")
    contacts.x0[:] = world.state.x
    world.rigid.began[:], world.rigid.began_turned[:] = world.rigid.position, world.rigid.rotation
    world.state.x_prev[:] = world.state.x - h * world.state.v
    before = momenta(world)
    free = np.flatnonzero(world.model.inv_mass[: len(contacts.x0)] > 0.0)
    move_as_one(contacts, world, free, np.array([0]), True, h)
    soft = slice(own.start, own.stop)
    world.state.v[soft] = (world.state.x[soft] - world.state.x_prev[soft]) / h
    assert np.abs(momenta(world) - before).max() < 1e-9 * np.abs(before).max()
    assert np.ptp(world.state.v[soft], axis=0).max() > 1e-3, "and it rotates"


@pytest.mark.parametrize("at, expected", [((0.0, 0.0, 0.0), True), ((0.0, 0.0, 0.72), False)])
def test_who_begins_within_a_soft_body_is_known(at: tuple[float, float, float], expected: bool) -> None:
    """Corners of a crate 15 mm below the skin of a ball of 0.5 m radius, and those of one on top of it."""
    vertices, triangles = sphere(0.5, 3)
    ball = SpringGraphSpec("ball", vertices, triangles, mass=1.0, pressure=200.0, thickness=0.01)
    cube, sides = box(0.56 if expected else 0.4, 1)
    crate = VoxelBodySpec("crate", cube + list(at), sides, mass=1.0)
    world = build_world(WorldSpec(systems=(ball, crate), substeps=1, frame_rate=240.0))
    step_frame(world)
    corners = world.body("crate")
    assert bool(contacts_of(world).inside[corners.start : corners.stop].any()) == expected
