"""A closed room without gravity: bodies in it never gain energy."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.rotation import rotation_matrix
from flotsam.engine.world.world import World
from fuzz_ledger import air_energy, links_of
from shapes import box, sphere

ROOM, SECONDS, FRAME_RATE = 4.0, 3.0, 24.0
PRESSURE = 500.0


def room(restitution: float) -> list[ColliderSpec]:
    """Six separate walls: a closed collider would push bodies to its outside."""
    vertices, triangles = box(ROOM, 1)
    return [
        ColliderSpec(f"wall {k}", vertices, triangles[2 * k : 2 * k + 2], restitution=restitution, friction=0.3)
        for k in range(6)
    ]


def soft(kind: str, name: str, at: np.ndarray, velocity: np.ndarray, restitution: float) -> SpringGraphSpec:
    """An inflated ball or a jelly cube, half a metre wide."""
    vertices, triangles = sphere(0.25, 2) if kind == "ball" else box(0.45, 2)
    return SpringGraphSpec(
        name, vertices + at, triangles, stiffness=1000.0, mass=1.0, thickness=0.01, restitution=restitution,
        velocity=tuple(velocity), pressure=PRESSURE if kind == "ball" else 0.0, struts=0 if kind == "ball" else 2,
    )


def filled(restitution: float, seed: int, crate: bool) -> World:
    """Twelve bodies that move at up to 3 m/s along each axis; with the crate one more, which also spins."""
    random = np.random.default_rng(seed)
    places = [np.array([x, y, z]) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
    bodies: list[object] = [
        soft("ball" if k % 2 else "cube", f"body {k}", at, random.uniform(-3.0, 3.0, 3), restitution)
        for k, at in enumerate(places)
    ]
    if crate:
        vertices, triangles = box(0.6, 1)
        bodies.append(VoxelBodySpec(
            "crate", vertices + [1.2, 0.0, 0.0], triangles, mass=3.0, restitution=restitution,
            velocity=(-2.0, 1.0, 0.5), angular_velocity=(2.0, -3.0, 1.0),
        ))
    return build_world(WorldSpec((*bodies, *room(restitution)), gravity=(0.0, 0.0, 0.0), frame_rate=FRAME_RATE))


def kinetic(world: World) -> float:
    """Kinetic energy of soft bodies and of rigid ones, including rotation [J]."""
    rigid, model = world.rigid, world.model
    free = model.inv_mass > 0.0
    if rigid is None:
        return float((0.5 * model.mass * (world.state.v**2).sum(axis=1))[free].sum())
    free[rigid.own] = False
    found = float((0.5 * model.mass * (world.state.v**2).sum(axis=1))[free].sum())
    for b in range(len(rigid.mass)):
        local_momentum = rotation_matrix(rigid.rotation[b]).T @ rigid.angular_momentum[b]
        found += 0.5 * rigid.mass[b] * float(rigid.velocity[b] @ rigid.velocity[b])
        found += float((0.5 * local_momentum**2 / rigid.inertia[b]).sum())
    return found


def stored(world: World) -> float:
    """Energy in springs, and in air relative to the air outside [J]; neither is negative.

    Only hulls with air count: a cube without air also encloses a volume, but no pressure acts on it.
    """
    links, graphs = links_of(world), world.systems[0]
    span = world.state.x[links.pairs[:, 0]] - world.state.x[links.pairs[:, 1]]
    found = float((0.5 * links.stiffness * (np.linalg.norm(span, axis=1) - links.rest) ** 2).sum())
    graphs.rows.read_positions(world.state)
    graphs.gas.measure(graphs.rows.at)
    gas = graphs.gas
    for rest, volume in zip(gas.rest_volume[gas.active], gas.volume[gas.active], strict=True):
        found += air_energy(PRESSURE, float(rest), float(volume))
    return found


@pytest.mark.parametrize("crate", [False, True], ids=["soft", "with a crate"])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_nothing_in_a_closed_room_gets_faster(restitution: float, crate: bool) -> None:
    """Fixed walls do no work, and damping, friction and impacts dissipate: kinetic + stored energy never grows.

    From frame to frame the sum decreases, up to rounding: each inner step rounds velocities to single precision, by
    2^-24, which is 2^-23 of their energy. The stored energy is never negative, so the kinetic energy alone never
    exceeds the sum at any earlier frame.
    """
    world = filled(restitution, 5, crate)
    before = kinetic(world) + stored(world)
    rounding = world.substeps * int(world.systems[0].inner_steps.each.max()) * 2.0**-23
    for _ in range(round(SECONDS * FRAME_RATE)):
        step_frame(world)
        total = kinetic(world) + stored(world)
        assert total < before * (1.0 + rounding)
        before = total
    free = world.state.x[world.model.inv_mass > 0.0]
    assert np.abs(free).max() < 0.5 * ROOM
