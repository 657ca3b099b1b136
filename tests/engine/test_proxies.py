"""Contact by proxy spheres: clusters, separation, friction, restitution, and conserved quantities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import (
    Attachment,
    ColliderSpec,
    Ignore,
    PowerRepulsion,
    SpecError,
    SpringGraphSpec,
    WaterSpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, sphere, torus

GRAVITY = 9.81
RADIUS = 0.5


def ball(name: str, place: tuple[float, float, float], **fields: object) -> SpringGraphSpec:
    """A stiff ball of one sphere, with negligible thickness, so that the sphere is its surface."""
    vertices, triangles = sphere(RADIUS, 2)
    fields = {"contact": "PROXIES", "stiffness": 1e5, "struts": 1, "thickness": 1e-6, "friction": 0.0, **fields}
    return SpringGraphSpec(name, vertices + place, triangles, **fields)


def floor(**fields: object) -> ColliderSpec:
    return ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES, **fields)


def middle(world: World, name: str) -> np.ndarray:
    """Centre of mass; every vertex has the same mass."""
    return world.positions(name).mean(axis=0)


def speed(world: World, name: str) -> np.ndarray:
    return world.velocities(name).mean(axis=0)


@pytest.mark.parametrize("other", ["PROXIES", "SURFACE"])
@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_t11_two_balls_that_hit_keep_their_momentum(restitution: float, other: str, truth: Truth) -> None:
    """Momentum is conserved within 1e-9; angular momentum up to the penetration of the spheres.

    Without friction the impulse is along the line of centres. The spheres overlap by the distance that they move in a
    substep and are separated without velocity, which changes angular momentum by reduced mass × overlap × transverse
    speed.
    """
    balls = (
        ball("a", (0.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.0), restitution=restitution),
        ball("b", (1.2, 0.3, 0.0), velocity=(-1.0, 0.0, 0.0), mass=3.0, contact=other),
    )
    world = build_world(WorldSpec(balls, gravity=(0.0, 0.0, 0.0)))
    mass = {"a": 1.0, "b": 3.0}

    def momenta() -> np.ndarray:
        total = np.zeros(6)
        for name, total_mass in mass.items():
            x, v = world.positions(name), world.velocities(name)
            total[:3] += total_mass * v.mean(axis=0)
            total[3:] += total_mass * np.cross(x, v).mean(axis=0)
        return total

    before, nearest = momenta(), math.inf
    for _ in range(24):
        step_frame(world)
        nearest = min(nearest, float(np.linalg.norm(middle(world, "a") - middle(world, "b"))))
    after = momenta()
    # They penetrate at most as deep as they move in a substep.
    assert nearest > 2.0 * RADIUS - 2.0 / 240.0
    assert speed(world, "a")[0] < 0.5, "they did hit"
    truth("T11", f"momentum of balls that hit, {other}, e {restitution}", after[:3], before[:3], 4e-9, relative=False)
    truth("T11", f"their angular momentum, {other}, e {restitution}", after[3:], before[3:],
          0.75 * (2.0 / 240.0) * 2.0 * 0.3, relative=False)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_t10_a_ball_bounces_off_the_floor(restitution: float, truth: Truth) -> None:
    """Rebound to e² of the fall height, within 3 %.

    All vertices are in one group and move as one, so nothing vibrates.
    """
    height = 1.0
    world = build_world(WorldSpec(
        (ball("ball", (0.0, 0.0, RADIUS + height), restitution=restitution), floor()), frame_rate=100.0,
    ))
    heights = []
    for _ in range(100):
        step_frame(world)
        heights.append(middle(world, "ball")[2] - RADIUS)
    hit = int(np.argmin(heights[:60]))
    rebound = max(heights[hit:]) if restitution else abs(heights[-1])
    truth("T10", f"rebound of a ball of spheres, e {restitution}", rebound, restitution**2 * height, 0.03,
          relative=False)


@pytest.mark.parametrize("slope", [0.15, 0.29, 0.31, 0.6])
def test_t9_a_ball_of_one_sphere_slides_like_a_block(slope: float, truth: Truth) -> None:
    """g (sin - mu cos) down the slope above tan = mu = 0.3, nothing below it.

    A single sphere has no lever to rotate its body, so it does not roll: a limitation of proxies.
    """
    angle, mu = math.atan(slope), 0.3
    gravity = (GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle))
    world = build_world(WorldSpec(
        (ball("ball", (-5.0, 0.0, RADIUS), friction=mu), floor(friction=mu)), gravity=gravity,
    ))
    for _ in range(24):
        step_frame(world)
    expected = max(GRAVITY * (math.sin(angle) - mu * math.cos(angle)), 0.0)
    truth("T9", f"sliding at a slope of {slope}", speed(world, "ball")[0], expected, max(0.02 * expected, 2e-3),
          relative=False)


def test_a_ball_rests_where_it_touches() -> None:
    """Its sphere penetrates by h² g at most, and is at rest."""
    world = build_world(WorldSpec((ball("ball", (0.0, 0.0, RADIUS + 0.05)), floor())))
    for _ in range(120):
        step_frame(world)
    assert middle(world, "ball")[2] - RADIUS == pytest.approx(0.0, abs=GRAVITY / 240.0**2)
    assert np.abs(world.velocities("ball")).max() < 1e-3


@pytest.mark.parametrize("speed", [5.0, 50.0, 200.0])
def test_a_fast_ball_does_not_get_through_the_floor(speed: float) -> None:
    world = build_world(WorldSpec((ball("ball", (0.0, 0.0, 3.0), velocity=(0.0, 0.0, -speed)), floor())))
    for _ in range(24):
        step_frame(world)
        assert middle(world, "ball")[2] > 0.0


def rings(count: int, contact: str = "PROXIES", threads: int = 0, **fields: object) -> World:
    """Rings in rows on water, overlapping by a tenth of their tube, with random velocities."""
    vertices, triangles, edges = torus(0.5, 0.15, 32, 16)
    draw = np.random.default_rng(3)
    systems = tuple(
        SpringGraphSpec(
            f"ring {k}", vertices + [1.27 * (k % 3), 1.27 * (k // 3), 0.0], triangles, edges, mass=3.0, stiffness=2e3,
            struts=1, pressure=400.0, contact=contact, velocity=np.append(draw.uniform(-1.0, 1.0, 2), 0.0), **fields,
        )
        for k in range(count)
    )
    return build_world(WorldSpec((*systems, WaterSpec("water", 0.0)), threads=threads))


def depth(world: World) -> float:
    """Largest overlap of spheres of different rings, as a fraction of their rest separation."""
    bodies = [body for body in world.model.bodies if body.kind == "PROXIES"]
    worst = 0.0
    for k, one in enumerate(bodies):
        for other in bodies[k + 1 :]:
            x, y = world.state.x[one.start : one.stop], world.state.x[other.start : other.stop]
            keep = world.model.radius[one.start : one.stop, None] + world.model.radius[other.start : other.stop]
            worst = max(worst, float((1.0 - np.linalg.norm(x[:, None] - y[None], axis=2) / keep).max()))
    return worst


def test_rings_that_jostle_keep_apart() -> None:
    """Initially overlapping by a tenth, they separate, and speeds of 1 m/s never press them that deep again."""
    world = rings(9)
    step_frame(world)
    start = depth(world)
    for frame in range(72):
        step_frame(world)
        if frame > 12:
            assert depth(world) < 0.05, frame
    assert start > 0.05
    assert np.abs(world.state.v).max() < 5.0


def test_same_bits_for_one_and_two_threads_and_after_restore() -> None:
    one, two = rings(3, threads=1), rings(3, threads=2)
    for world in (one, two):
        for _ in range(8):
            step_frame(world)
    assert np.array_equal(one.state.x, two.state.x) and np.array_equal(one.state.v, two.state.v)
    saved = one.snapshot()
    for world in (one, two):
        for _ in range(5):
            step_frame(world)
    first = one.state.x.copy()
    one.restore(saved)
    for _ in range(5):
        step_frame(one)
    assert np.array_equal(first, one.state.x) and np.array_equal(first, two.state.x)


def test_pins_of_a_group_stay_and_the_rest_of_it_takes_the_push() -> None:
    """A pinned vertex does not move; the free vertices of its group receive the momentum."""
    balls = (
        ball("held", (0.0, 0.0, 0.0), pins=[0]),
        ball("thrown", (1.1, 0.0, 0.0), velocity=(-2.0, 0.0, 0.0)),
    )
    world = build_world(WorldSpec(balls, gravity=(0.0, 0.0, 0.0)))
    start = world.positions("held")[0]
    for _ in range(6):
        step_frame(world)
    assert np.array_equal(world.positions("held")[0], start)
    assert speed(world, "thrown")[0] > -1.5 and np.abs(world.velocities("held")).max() > 0.1


def test_rules_mean_spheres_too() -> None:
    """Bodies that ignore each other pass through; power repulsion uses the groups as segments."""
    balls = (ball("a", (0.0, 0.0, 0.0), velocity=(2.0, 0.0, 0.0)), ball("b", (1.5, 0.0, 0.0)))
    still = {"gravity": (0.0, 0.0, 0.0)}
    passing = build_world(WorldSpec(balls, (Ignore("a", "b"),), **still))
    pushed = build_world(WorldSpec(balls, (PowerRepulsion("a", "b", exponent=2.0, minimum=0.05),), **still))
    for _ in range(24):
        step_frame(passing)
        step_frame(pushed)
    assert speed(passing, "a")[0] == pytest.approx(2.0, abs=1e-9) and np.abs(speed(passing, "b")).max() < 1e-9
    assert speed(pushed, "b")[0] > 0.5
    assert speed(pushed, "a")[0] + speed(pushed, "b")[0] == pytest.approx(2.0, abs=1e-9)


def test_symplectic_bodies_meet_by_spheres() -> None:
    balls = (
        ball("a", (0.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.0), stiffness=1e3, struts=0),
        ball("b", (1.2, 0.0, 0.0), velocity=(-1.0, 0.0, 0.0), stiffness=1e3, struts=0),
    )
    world = build_world(WorldSpec(balls, gravity=(0.0, 0.0, 0.0), integrator="SYMPLECTIC", substeps=20))
    for _ in range(24):
        step_frame(world)
        assert middle(world, "b")[0] - middle(world, "a")[0] > 2.0 * RADIUS - 2.0 / 480.0
    assert speed(world, "a")[0] + speed(world, "b")[0] == pytest.approx(0.0, abs=1e-9)
    assert speed(world, "a")[0] < 0.5


def test_bad_values_are_refused() -> None:
    for fields in ({"contact": "BOXES"}, {"proxy_count": -1}, {"proxy_count": 1.5}):
        with pytest.raises(SpecError):
            build_world(WorldSpec((ball("ball", (0.0, 0.0, 0.0), **fields),)))


def test_a_mesh_of_loose_edges_has_spheres_too() -> None:
    vertices, _triangles = box(1.0, 2)
    edges = np.stack([np.arange(len(vertices) - 1), np.arange(1, len(vertices))], axis=1)
    net = SpringGraphSpec("net", vertices + [0.0, 0.0, 2.0], edges=edges, graph="EDGES", contact="PROXIES")
    world = build_world(WorldSpec((net, floor())))
    for _ in range(48):
        step_frame(world)
    assert middle(world, "net")[2] > 0.0


@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_t21_a_closed_box_of_balls_gains_no_energy(restitution: float) -> None:
    """Without gravity, between six walls, the kinetic energy never exceeds that at the start."""
    walls, inside = box(4.0, 1)
    draw = np.random.default_rng(5)
    balls = tuple(
        ball(
            f"ball {k}", (1.2 * (k % 3) - 1.2, 1.2 * (k // 3 % 3) - 1.2, 1.2 * (k // 9) - 1.2), friction=0.5,
            restitution=restitution, velocity=draw.uniform(-3.0, 3.0, 3), mass=float(draw.uniform(0.2, 5.0)),
        )
        for k in range(18)
    )
    # Separate walls, because a closed collider would keep the bodies outside.
    room = tuple(
        ColliderSpec(f"wall {k}", walls, inside[2 * k : 2 * k + 2], friction=0.5, restitution=restitution)
        for k in range(6)
    )
    world = build_world(WorldSpec((*balls, *room), gravity=(0.0, 0.0, 0.0)))

    def kinetic() -> float:
        return float((0.5 * world.model.mass * (world.state.v**2).sum(axis=1)).sum())

    most = kinetic()
    for _ in range(72):
        step_frame(world)
        now = kinetic()
        assert now < most * (1.0 + 1e-6)
    assert max(np.abs(middle(world, b.name)).max() for b in balls) < 2.0


def test_what_is_tied_fast_is_not_pushed_apart() -> None:
    """Two overlapping balls, tied together; and one tied to a vertex of the floor, into which its sphere reaches."""
    balls = (ball("a", (0.0, 0.0, 3.0)), ball("b", (0.8, 0.0, 3.0)), ball("c", (-8.8, -9.0, 0.3)))
    ties = (
        Attachment("a", "b", np.arange(20), np.arange(20)), Attachment("c", "floor", [0, 5, 9, 14], [0, 0, 0, 0]),
    )
    world = build_world(WorldSpec((*balls, floor()), gravity=(0.0, 0.0, 0.0), attachments=ties))
    start = {name: middle(world, name) for name in "abc"}
    for _ in range(24):
        step_frame(world)
    for name in "abc":
        # Rounding in single precision grows with the inner steps, up to 64; a contact impulse moves by centimetres.
        assert np.abs(middle(world, name) - start[name]).max() < 2e-7, name
    apart = build_world(WorldSpec(balls[:2], gravity=(0.0, 0.0, 0.0)))
    for _ in range(24):
        step_frame(apart)
    assert np.linalg.norm(middle(apart, "b") - middle(apart, "a")) > 0.99, "without ties they separate"
