"""Force fields against closed forms, on particles and on rigid bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from flotsam.engine import (
    AirSpec,
    ColliderSpec,
    Controls,
    EffectorWeights,
    FieldControl,
    ForceFieldSpec,
    SpecError,
    SpringGraphSpec,
    VoxelBodySpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.compiler.kernels import threads
from flotsam.engine.fields.force_field.laws.noise import LATTICE, PERMUTATION, perlin, random_noise
from flotsam.engine.spec import Ignore
from flotsam.engine.world.world import World
from shapes import sphere

Truth = Callable[..., None]
FREE = {"gravity": (0.0, 0.0, 0.0), "interactions": (Ignore("*", "*"),), "precision": "DOUBLE"}


def pairs(places: np.ndarray, velocity: Any = (0.0, 0.0, 0.0), name: str = "dust") -> SpringGraphSpec:
    """Almost free particles: the spring between the two of a pair is negligible."""
    edges = np.arange(len(places)).reshape(-1, 2)
    return SpringGraphSpec(
        name, places, edges=edges, graph="EDGES", stiffness=1e-6, mass=float(len(places)), velocity=velocity
    )


def field(kind: str, at: Any = (0.0, 0.0, 0.0), name: str = "field", **settings: Any) -> ForceFieldSpec:
    matrix = np.eye(4)
    matrix[:3, 3] = at
    return ForceFieldSpec(name, matrix, type=kind, **settings)


def run(world: World, frames: int, controls: Controls | None = None) -> None:
    for _ in range(frames):
        step_frame(world, controls)


def crate(density: float = 100.0, at: Any = (0.0, 0.0, 0.0), **settings: Any) -> VoxelBodySpec:
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float) - 0.5 + np.array(at)
    faces = np.array([
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
        [1, 5, 7], [1, 7, 3],
    ])
    return VoxelBodySpec("crate", corners, faces, density=density, voxel_size=0.25, **settings)


TWO = np.array([[1.0, 0.0, 0.0], [0.0, 50.0, 0.0]])


def test_wind_gives_the_same_acceleration_to_soft_and_rigid_bodies_of_any_mass() -> None:
    """A field's strength is an acceleration: v = S t."""
    world = build_world(WorldSpec(systems=(pairs(TWO), crate(at=(0, 0, 5.0)), field("WIND", strength=3.0)), **FREE))
    run(world, 12)
    assert np.abs(world.velocities("dust") - [0.0, 0.0, 1.5]).max() < 1e-6
    assert world.rigid.velocity[0] == pytest.approx([0.0, 0.0, 1.5], abs=1e-9)
    assert np.abs(world.rigid.angular_momentum).max() < 1e-9


def test_a_body_that_takes_newtons_shares_them_by_mass() -> None:
    weights = {"crate": EffectorWeights(share_by="BODY")}
    world = build_world(WorldSpec(
        systems=(crate(), field("WIND", strength=300.0)), effector_weights=weights, **FREE
    ))
    run(world, 24)
    assert world.rigid.velocity[0, 2] == pytest.approx(300.0 / world.mass("crate"), rel=1e-9)


def test_a_harmonic_field_is_a_spring_to_its_place(truth: Truth) -> None:
    """x = cos(sqrt(S) t) without damping; symplectic steps keep its period within (omega h)² / 24."""
    world = build_world(WorldSpec(
        systems=(pairs(TWO), field("HARMONIC", strength=40.0, harmonic_damping=0.0)), substeps=20, **FREE
    ))
    times, places = [], []
    for frame in range(48):
        run(world, 1)
        times.append((frame + 1) / 24.0)
        places.append(world.positions("dust")[0, 0])
    truth("T27", "swing of a harmonic field", places, np.cos(np.sqrt(40.0) * np.array(times)), 0.02, relative=False)


def test_a_magnetic_field_turns_and_gives_no_energy(truth: Truth) -> None:
    """A plane of B = S rotates velocities at the rate S, whatever the step."""
    world = build_world(WorldSpec(
        systems=(pairs(TWO, (2.0, 0.0, 0.0)), field("MAGNET", shape="PLANE", strength=20.0)), **FREE
    ))
    run(world, 48)
    v = world.velocities("dust")[0]
    truth("T27", "speed in a magnetic field", np.linalg.norm(v), 2.0, 1e-4)
    angle = np.arctan2(v[1], v[0])
    assert abs((angle + 20.0 * 2.0 + np.pi) % (2.0 * np.pi) - np.pi) < 0.05


def momenta(world: World) -> tuple[np.ndarray, np.ndarray]:
    """Momentum (3,), and angular momentum (3,) about the centre of mass, of the ball and the crate together."""
    body, rigid = world.body("ball"), world.rigid
    own = slice(body.start, body.stop)
    mass = np.append(world.model.mass[own], rigid.mass)
    x = np.concatenate([world.state.x[own], rigid.position])
    p = mass[:, None] * np.concatenate([world.state.v[own], rigid.velocity])
    arms = x - np.average(x, axis=0, weights=mass)
    return p.sum(axis=0), np.cross(arms, p).sum(axis=0) + rigid.angular_momentum.sum(axis=0)


def collision(strength: float, gravity: float = 0.0) -> World:
    """A crate that flies at a ball off its middle, in a uniform field and gravity along Z [m/s²]."""
    vertices, triangles = sphere(0.3, 2)[:2]
    ball = SpringGraphSpec("ball", vertices, triangles, mass=2.0, stiffness=2000.0, pressure=500.0)
    box = crate(20.0, (0.15, 0.1, 0.9), velocity=(0.0, 0.0, -3.0))
    return build_world(WorldSpec(systems=(ball, box, field("WIND", strength=strength)), gravity=(0.0, 0.0, gravity)))


def test_t24_fields_give_what_they_say_to_bodies_that_meet(truth: Truth) -> None:
    """The momentum of both grows by M a t."""
    world = collision(3.0)
    before = momenta(world)[0]
    run(world, 12)
    assert np.abs(world.velocities("ball").mean(axis=0) - [0.0, 0.0, 1.5]).max() > 0.1, "they have met"
    gained = (world.mass("ball") + world.mass("crate")) * 3.0 * 0.5
    truth("T24", "momentum of a ball and a crate in a field", momenta(world)[0] - before, [0.0, 0.0, gained],
          1e-6 * gained, relative=False)


@pytest.mark.parametrize("gravity", [0.0, -9.81])
def test_t24_an_even_field_gives_bodies_that_meet_no_spin(truth: Truth, gravity: float) -> None:
    """Angular momentum about the common centre of mass is conserved, for impulses and for spread forces."""
    world = collision(3.0, gravity)
    before = momenta(world)[1]
    run(world, 12)
    scale = world.mass("crate") * 3.0 * 0.18
    truth("T24", "angular momentum of a ball and a crate in a field", momenta(world)[1], before, 1e-6 * scale,
          relative=False)


def test_a_field_that_pulls_a_body_together_gives_it_no_momentum(truth: Truth) -> None:
    """A force towards the middle of a symmetric ball squeezes it, and neither moves nor turns it."""
    vertices, triangles = sphere(0.3, 2)[:2]
    ball = SpringGraphSpec("ball", vertices - vertices.mean(axis=0), triangles, mass=2.0, stiffness=500.0)
    world = build_world(WorldSpec(systems=(ball, field("FORCE", strength=-20.0)), **FREE))
    run(world, 2)
    v, x = world.velocities("ball"), world.positions("ball")
    speed = np.abs(v).max()
    assert speed > 0.1
    truth("T24", "drift of a squeezed ball", v.mean(axis=0), 0.0, 1e-6 * speed, relative=False)
    truth("T24", "spin of a squeezed ball", np.cross(x, v).mean(axis=0), 0.0, 1e-6 * speed, relative=False)


def test_drag_never_turns_a_velocity_round() -> None:
    world = build_world(WorldSpec(
        systems=(pairs(TWO, (5.0, 0.0, 0.0)), *(
            field("DRAG", name=f"drag {k}", linear_drag=2.0, quadratic_drag=2.0) for k in range(60)
        )), substeps=1, **FREE,
    ))
    run(world, 1)
    assert np.abs(world.velocities("dust")).max() < 1e-6


def test_a_field_that_moves_acts_from_where_it_is() -> None:
    """A force with a maximum distance acts only once it has moved near."""
    near = field("FORCE", (20.0, 0.0, 0.0), strength=4.0, use_max_distance=True, distance_max=2.0)
    world = build_world(WorldSpec(systems=(pairs(TWO), near), **FREE))
    run(world, 2)
    assert np.abs(world.velocities("dust")).max() < 1e-6
    matrix = np.eye(4)
    run(world, 1, Controls(fields={"field": FieldControl(matrix)}))
    before = world.velocities("dust")[0, 0]
    run(world, 6)
    assert world.velocities("dust")[0, 0] - before == pytest.approx(1.0, rel=1e-3)


def test_strength_may_be_keyed_and_a_snapshot_brings_it_back() -> None:
    world = build_world(WorldSpec(systems=(pairs(TWO), field("WIND", strength=1.0)), **FREE))
    run(world, 1, Controls(values={"field": {"strength": 12.0}}))
    saved = world.snapshot()
    run(world, 4)
    first = world.velocities("dust")
    world.restore(saved)
    run(world, 4)
    assert np.array_equal(first, world.velocities("dust"))
    assert first[0, 2] == pytest.approx(5 * 0.5, rel=1e-5)


def test_weights_scale_fields_and_gravity_and_leave_others_out() -> None:
    dust, apart = pairs(TWO), pairs(TWO + [0.0, 0.0, 9.0], name="ash")
    weights = {"dust": EffectorWeights(gravity=0.25, all=0.5, wind=0.5), "ash": EffectorWeights(fields=("other",))}
    world = build_world(WorldSpec(
        systems=(dust, apart, field("WIND", strength=8.0), field("WIND", name="other", strength=1.0)),
        effector_weights=weights, **FREE | {"gravity": (0.0, 0.0, -4.0)},
    ))
    run(world, 24)
    assert world.velocities("dust")[:, 2] == pytest.approx([0.25 * 9.0 - 1.0] * 2, abs=1e-5)
    assert world.velocities("ash")[:, 2] == pytest.approx([1.0 - 4.0] * 2, abs=1e-5)
    run(world, 24, Controls(effector_weights={"dust": EffectorWeights(gravity=0.0, all=0.0)}))
    assert world.velocities("dust")[:, 2] == pytest.approx([1.25] * 2, abs=0.05)


def test_gravity_may_be_weighted_where_no_field_is() -> None:
    weights = {"crate": EffectorWeights(gravity=0.0)}
    world = build_world(WorldSpec(systems=(crate(),), effector_weights=weights))
    run(world, 24)
    assert np.abs(world.rigid.velocity).max() < 1e-9


def test_a_collider_keeps_its_share_of_a_field_off() -> None:
    """The wall stands between the field and the first particle; the second is in the open."""
    wall = np.array([[0.5, -1.0, -1.0], [0.5, 1.0, -1.0], [0.5, 1.0, 1.0], [0.5, -1.0, 1.0]])
    shield = ColliderSpec("wall", wall, np.array([[0, 1, 2], [0, 2, 3]]), absorption=0.75)
    dust = pairs(np.array([[2.0, 0.2, 0.1], [0.0, 2.0, 0.0]]))
    world = build_world(WorldSpec(systems=(dust, shield, field("FORCE", strength=8.0, use_absorption=True)), **FREE))
    run(world, 3)
    assert np.linalg.norm(world.velocities("dust"), axis=1) == pytest.approx([0.25, 1.0], rel=1e-4)


def test_a_field_does_not_push_the_body_that_carries_it() -> None:
    matrix = np.eye(4)
    own = ForceFieldSpec("field", matrix, type="WIND", strength=5.0, owner="dust")
    world = build_world(WorldSpec(systems=(pairs(TWO), crate(at=(0, 0, 5.0)), own), **FREE))
    run(world, 6)
    assert np.abs(world.velocities("dust")).max() < 1e-6 and world.rigid.velocity[0, 2] == pytest.approx(1.25)


def test_threads_and_neighbours_change_no_bit() -> None:
    """Determinism (T30) for fields: noise depends on the body and the particle only."""
    rng = np.random.default_rng(3)
    dust = pairs(rng.uniform(-2.0, 2.0, (400, 3)))
    fields = (
        field("TURBULENCE", strength=5.0, size=0.7, noise=1.0, falloff_power=1.5),
        field("FORCE", name="f", strength=2.0),
        field("VORTEX", name="v", strength=1.0, shape="PLANE", noise=0.5),
    )
    found = []
    for count, more in ((1, ()), (2, ()), (2, (pairs(rng.uniform(90.0, 95.0, (70, 3)), name="far"),))):
        world = build_world(WorldSpec(systems=(*more, dust, *fields), threads=count, **FREE))
        with threads(count):
            run(world, 3)
        found.append(world.positions("dust"))
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])


def test_noise_is_perlins_and_random_numbers_are_blenders_kind() -> None:
    assert sorted(PERMUTATION[:256].tolist()) == list(range(256))
    assert perlin(LATTICE, 3.0, -7.0, 12.0) == 0.0
    rng = np.random.default_rng(1)
    values = np.array([perlin(LATTICE, *place) for place in rng.uniform(-40.0, 40.0, (4000, 3))])
    assert abs(values.mean()) < 0.02 and 0.2 < values.std() < 0.35 and np.abs(values).max() <= 1.0
    draws = np.array([random_noise(7, 11, 3, k) for k in range(20000)])
    # For k / 128 and 1 / (1 + u): half of the draws are below 0, with means 32.5 / 128 ln 2 and 96 / 128 ln 2.
    assert (draws < 0.0).mean() == pytest.approx(65 / 128, abs=0.02)
    assert draws[draws > 0.0].mean() == pytest.approx(96.0 / 128.0 * np.log(2.0), rel=0.02)


@pytest.mark.parametrize(("spec", "said"), [
    ({"type": "SPRING"}, "field: type is 'SPRING'; allowed: FORCE, WIND"),
    ({"strength": float("nan")}, "field: strength is nan; allowed: a finite number"),
    ({"type": "TEXTURE"}, "field: texture is None; allowed: samples of a texture"),
    ({"shape": "SURFACE"}, "field: vertices is"), ({"falloff_power": 11.0}, "allowed: from 0 to 10"),
])
def test_a_field_that_cannot_be_is_refused_in_a_sentence(spec: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError) as refused:
        build_world(WorldSpec(systems=(pairs(TWO), field(**{"kind": spec.pop("type", "FORCE"), **spec}))))
    assert said in str(refused.value)


def test_a_seed_of_nought_is_taken() -> None:
    """Blender takes the seed of a new field from the clock: it may be 0, which is below what its panel allows."""
    build_world(WorldSpec(systems=(pairs(TWO), field("FORCE", seed=0, noise=1.0)), **FREE))


def test_wrong_controls_are_refused_in_a_sentence() -> None:
    world = build_world(WorldSpec(systems=(pairs(TWO), field("WIND", strength=1.0), AirSpec("air"))))
    with pytest.raises(SpecError, match="16 finite numbers"):
        step_frame(world, Controls(fields={"field": FieldControl(np.eye(3))}))
    with pytest.raises(SpecError, match="one of field"):
        step_frame(world, Controls(fields={"wind": FieldControl(np.eye(4))}))
    with pytest.raises(SpecError, match="three numbers in Controls.wind"):
        step_frame(world, Controls(values={"air": {"wind": 3.0}}))


def test_a_thousand_fields_act() -> None:
    fields = [field("FORCE", (0.0, 0.0, -float(k)), name=f"f{k}", strength=0.01) for k in range(1, 1001)]
    world = build_world(WorldSpec(systems=(pairs(np.zeros((2, 3)) + [[0, 0, 1], [0, 0, 1.5]]), *fields), **FREE))
    run(world, 24)
    assert world.velocities("dust")[:, 2] == pytest.approx([10.0, 10.0], rel=1e-6)
