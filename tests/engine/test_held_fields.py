"""Fields are held for some substeps: what that must not change, and which bodies they act on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flotsam.engine import (
    FlockSpec,
    FluidSpec,
    ForceFieldSpec,
    SpringGraphSpec,
    VoxelBodySpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.build import field_at
from flotsam.engine.fields.force_field import hold
from flotsam.engine.fields.force_field.system import ForceFields
from flotsam.engine.spec import Ignore
from flotsam.engine.world.world import World
from test_fields import FREE, TWO, crate, field, pairs, run

TURNED = np.array([[0.0, 0.8, 0.6, 0.1], [1.0, 0.0, 0.0, -0.2], [0.0, 0.6, -0.8, 0.3], [0.0, 0.0, 0.0, 1.0]])


def force_fields(world: World) -> ForceFields:
    return next(one for one in world.fields if isinstance(one, ForceFields))


def test_intervals_are_equal_and_no_longer_than_allowed() -> None:
    """Substeps of a frame at 24, 60 and 12 frames a second: (fast, slow)."""
    assert hold.substeps_held(10, 1 / 240) == (5, 10)
    assert hold.substeps_held(1, 1 / 24) == (1, 1)
    assert hold.substeps_held(4, 1 / 96) == (2, 4)
    assert hold.substeps_held(10, 1 / 600) == (10, 10)
    assert hold.substeps_held(12, 1 / 144) == (3, 6)


def test_an_orbit_in_a_held_field_gains_no_energy(truth: Any) -> None:
    """Energy of a circle in a harmonic field, S = w², held for five substeps: the same after 16 revolutions."""
    spring = field("HARMONIC", strength=100.0, harmonic_damping=0.0, rest_length=0.0)
    world = build_world(WorldSpec(systems=(pairs(TWO * [1.0, 0.02, 1.0], (0.0, 10.0, 0.0)), spring), **FREE))
    energy = []
    for _ in range(240):
        run(world, 1)
        x, v = world.positions("dust")[0], world.velocities("dust")[0]
        energy.append(0.5 * v @ v + 50.0 * x @ x)
    assert not force_fields(world).receivers.near.any()
    truth("T27", "energy of an orbit in a held field", np.mean(energy[-24:]), np.mean(energy[:24]), 0.005)


def test_what_flies_past_a_singular_place_is_evaluated_in_every_substep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Velocity after a flyby as without holding, within 2 %; held throughout it would be far off."""
    found, near = [], []
    for longest in (hold.FAST_INTERVAL, 1e-9):
        monkeypatch.setattr(hold, "FAST_INTERVAL", longest)
        pull = field("FORCE", strength=-0.5, use_gravity_falloff=True)
        world = build_world(WorldSpec(systems=(pairs(TWO * -3.0 + [0, 0.06, 0], (5.0, 0.0, 0.0)), pull), **FREE))
        for _ in range(30):
            run(world, 1)
            near.append(bool(force_fields(world).receivers.near[0]))
        found.append(world.velocities("dust")[0])
    assert not near[0] and near[14] and not near[29]
    assert abs(found[1][1]) > 1.0, "the pull has turned it"
    assert np.abs(found[0] - found[1]).max() < 0.02 * np.linalg.norm(found[1])


@pytest.mark.parametrize("shape", ["POINT", "LINE", "PLANE"])
@pytest.mark.parametrize(
    "kind", ["FORCE", "WIND", "VORTEX", "HARMONIC", "CHARGE", "TURBULENCE"]
)
def test_blocks_give_what_single_particles_get(kind: str, shape: str) -> None:
    """With a trace of noise a field takes the loop over single particles."""
    places = np.random.default_rng(5).uniform(-3.0, 3.0, (150, 3))
    for power in (0.0, 1.0, 2.0):
        settings = {
            "type": kind, "shape": shape, "strength": 1.7, "size": 0.8, "falloff_power": power,
            "z_direction": "POSITIVE",
            "use_min_distance": True, "distance_min": 0.5, "use_max_distance": True, "distance_max": 2.5,
        }
        block, single = (
            field_at.field_at([ForceFieldSpec("f", TURNED, noise=noise, **settings)], places) for noise in (0.0, 1e-9)
        )
        assert np.abs(block).max() > 0.1 and (np.abs(block).max(axis=1) == 0.0).sum() > 20
        assert np.abs(block - single).max() < 2e-6 * np.abs(single).max()


def test_a_world_without_fields_has_nothing_to_evaluate() -> None:
    world = build_world(WorldSpec(systems=(pairs(TWO),), **FREE))
    assert not any(isinstance(one, ForceFields) for one in world.fields)


SOLID = {"graph": "LATTICE", "material": "SOLID", "voxel_size": 0.5, "young": 1e5}
KINDS = {
    "soft": lambda box: SpringGraphSpec("body", *box, mass=3.0),
    "lattice": lambda box: SpringGraphSpec("body", *box, mass=3.0, **SOLID),
    "dust": lambda box: pairs(box[0], name="body"),
    "fluid": lambda box: FluidSpec("body", *box, spacing=0.25),
    "flock": lambda box: FlockSpec(
        "body", box[0], speed=0.01, wander=0.0, goal=0.0, cohesion=0.0, alignment=0.0, separation=0.0, grip=0.0
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_moves_every_kind(kind: str) -> None:
    """A wind of 3 m/s² for half a second; rigid bodies: see test_fields."""
    box = crate()
    body = KINDS[kind]((np.array(box.vertices), np.array(box.triangles)))
    world = build_world(WorldSpec(
        systems=(body, field("WIND", strength=3.0)), gravity=(0.0, 0.0, 0.0), interactions=(Ignore("*", "*"),)
    ))
    for _ in range(12):
        frame = step_frame(world)
    allowed = 0.05 if kind in ("fluid", "flock") else 1e-5
    assert frame.velocities["body"].mean(axis=0) == pytest.approx([0.0, 0.0, 1.5], abs=allowed)


def test_a_field_turns_a_rigid_body(truth: Any) -> None:
    """A vortex about its centre, S z x o on each particle, rotates it at S t; its pull to the axis cancels."""
    whirl = field("VORTEX", strength=0.4, shape="PLANE")
    world = build_world(WorldSpec(systems=(crate(), whirl), **FREE))
    run(world, 6)
    rate = world.rigid.angular_momentum[0, 2] / world.rigid.inertia[0].mean()
    # The term -v of the field damps it at the rate 1 [1/s].
    truth("T27", "spin of a crate in a vortex", rate, 0.4 * (1.0 - np.exp(-0.25)), 0.01)
    assert np.abs(world.rigid.velocity).max() < 1e-6


def test_an_even_field_does_not_turn_a_body_with_more_vertices_on_one_side() -> None:
    """One side of a crate is subdivided, the others are not."""
    box = crate()
    corners, faces = np.array(box.vertices), np.array(box.triangles)
    for _ in range(3):
        is_fine = (corners[faces][:, :, 0] > 0.49).all(axis=1)
        split = faces[is_fine]
        middle = len(corners) + np.arange(3 * len(split)).reshape(-1, 3)
        corners = np.concatenate([corners, 0.5 * (corners[split] + corners[np.roll(split, -1, axis=1)]).reshape(-1, 3)])
        (a, b, c), (ab, bc, ca) = split.T, middle.T
        parts = [np.column_stack(t) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        faces = np.concatenate([faces[~is_fine], *parts])
    uneven = VoxelBodySpec("crate", corners, faces, density=100.0, voxel_size=0.25)
    world = build_world(WorldSpec(systems=(uneven, field("WIND", strength=3.0)), **FREE))
    run(world, 12)
    assert world.rigid.velocity[0] == pytest.approx([0.0, 0.0, 1.5], abs=1e-6)
    assert np.abs(world.rigid.angular_momentum).max() < 1e-6
