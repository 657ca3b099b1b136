"""Flocks coupled to other systems: momentum in fluids and on ropes, force rules."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import (
    Adhesion,
    Attachment,
    Charge,
    ColliderSpec,
    Drag,
    FlockSpec,
    FluidSpec,
    SpringGraphSpec,
    VoxelBodySpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.interactions.immersion import Immersion
from flotsam.engine.interactions.leashes import Leashes
from flotsam.engine.solver.rotation import rotation_matrix
from flotsam.engine.step.stage import Stage
from flotsam.engine.systems.fluid.roster import Roster
from flotsam.engine.world.controls import Controls
from flotsam.engine.world.world import World
from test_flock import CORNERS, SIDES

QUIET = {"wander": 0.0, "goal": 0.0, "cohesion": 0.0, "alignment": 0.0, "separation": 0.0, "grip": 0.0}


def momentum(world: World) -> tuple[np.ndarray, np.ndarray]:
    """Of all particles and rigid bodies: momentum, and angular momentum about the origin."""
    p = world.model.mass[:, None] * world.state.v
    moment = np.cross(world.state.x, p)
    if world.rigid is not None:
        rigid = world.rigid
        p[rigid.own] = moment[rigid.own] = 0.0
        hard = rigid.mass[:, None] * rigid.velocity
        moment = np.concatenate([moment, np.cross(rigid.position, hard) + rigid.angular_momentum])
        p = np.concatenate([p, hard])
    return p.sum(axis=0), moment.sum(axis=0)


def test_t5_fish_in_water_do_not_depend_on_substeps(truth) -> None:
    """An exchange is exact for the 2 or 4 substeps until the next, so fish slow down alike with 4 and 8 substeps.

    Two fish dart through water at rest and slow down to half their speed in half a metre; centres may differ by 2 %.
    """
    middles = []
    for substeps in (4, 8):
        fish = FlockSpec(
            "fish", [[0.5, 0.45, 0.5], [0.55, 0.6, 0.45]], motion="SWIM", mass=1.0, velocity=(2.0, 0.0, 0.0), speed=1.0,
            radius=0.03, **(QUIET | {"grip": FlockSpec.grip}),
        )
        water = FluidSpec("water", 0.5 * np.array([3.0, 1.0, 1.0]) * (CORNERS + 1.0), SIDES, spacing=0.1)
        world = build_world(WorldSpec((water, fish), gravity=(0.0, 0.0, 0.0), substeps=substeps))
        path = [world.positions("fish").mean(axis=0)]
        for _ in range(12):
            step_frame(world)
            path.append(world.positions("fish").mean(axis=0))
        middles.append(np.array(path))
    far = np.linalg.norm(np.diff(middles[0], axis=0), axis=1).sum()
    assert far > 0.4 and np.linalg.norm(world.velocities("fish").mean(axis=0)) < 1.1
    truth("T5", "fish that slow down in water, 4 and 8 substeps", np.linalg.norm(middles[1] - middles[0], axis=1) / far,
          0.0, 0.02, relative=False)


@pytest.mark.parametrize("lifetime", [0.0, 100.0])
def test_t24_fish_give_a_fluid_what_they_take(truth, lifetime: float) -> None:
    """Fish that dart through water at rest lose the momentum that the water gains, angular momentum included.

    Particles with a lifetime are in the world in each substep, others only at the end of a frame.
    """
    fish = FlockSpec(
        "fish", [[0.5, 0.45, 0.5], [0.55, 0.6, 0.45]], motion="SWIM", mass=1.0, velocity=(2.0, 0.0, 0.0), speed=1.0,
        radius=0.03,
    )
    water = FluidSpec("water", 0.5 * (CORNERS + 1.0), SIDES, spacing=0.1, lifetime=lifetime)
    world = build_world(WorldSpec((water, fish), gravity=(0.0, 0.0, 0.0), substeps=5))
    before = momentum(world)
    for _ in range(5):
        step_frame(world)
    after, size = momentum(world), float(np.linalg.norm(before[0]))
    assert np.linalg.norm(world.velocities("fish")[0]) < 1.7
    assert np.linalg.norm(world.velocities("water"), axis=1).max() > 0.05
    # The fluid itself is solved in single precision, and its viscosity keeps no angular momentum.
    truth("T24", "flock and fluid, five frames", (after[0] - before[0]) / size, 0.0, 1e-5, relative=False)
    immersion = next(one for one in world.interactions if isinstance(one, Immersion))
    before = world.state.v.copy()
    immersion.begin_frame(world, Controls())
    immersion.apply(Stage.FORCE, world, world.h)
    assert np.abs(world.state.v - before).max() > 1e-4
    off = np.concatenate([b - a for a, b in zip(after, momentum(world), strict=True)]) / size
    truth("T24", "flock and fluid, what they give each other", off, 0.0, 1e-9, relative=False)


@pytest.mark.parametrize("other", ["rope", "crate", "wall"])
def test_t24_what_agents_pull_pulls_them(truth, other: str) -> None:
    """A link of a drifting agent to a rope or a crate conserves momentum; one to a wall holds the agent."""
    agent = FlockSpec("agent", [[0.0, 0.0, 0.0]], mass=0.5, velocity=(1.0, 0.5, 0.0), radius=0.01, **QUIET)
    middle = np.array([-1.0, 0.2, 0.1])
    systems = {
        "rope": SpringGraphSpec("rope", middle - [[0.0, 0, 0], [0.2, 0, 0]], edges=np.array([[0, 1]]), graph="EDGES",
                                mass=0.3, stiffness=1e4),
        "crate": VoxelBodySpec("crate", 0.1 * CORNERS + middle, SIDES, voxel_size=0.1),
        "wall": ColliderSpec("wall", 0.1 * CORNERS + middle, SIDES),
    }
    world = build_world(WorldSpec(
        (agent, systems[other]), attachments=(Attachment("agent", other, [0], [0]),), gravity=(0.0, 0.0, 0.0),
        precision="DOUBLE",
    ))
    apart = np.linalg.norm(world.positions("agent")[0] - world.positions(other)[0])
    before = momentum(world)
    for _ in range(24):
        frame = step_frame(world)
    far = np.linalg.norm(world.positions("agent")[0] - world.state.x[world.body(other).start])
    assert far < 1.02 * apart
    if other == "wall":
        return
    assert frame.number == 24
    after, size = momentum(world), float(np.linalg.norm(before[0]))
    off = np.concatenate([after[0] - before[0], after[1] - before[1]]) / size
    truth("T24", f"flock and {other}", off, 0.0, 1e-6, relative=False)


@pytest.mark.parametrize("weight", [0.1, 5.0])
def test_many_agents_tied_to_a_crate_add_no_energy(weight: float) -> None:
    """Links at their rest length only dissipate: a crate and nine agents that move at random lose energy in a substep.

    Each link rotates the crate as well as moving it, and all of them act on the same crate.
    """
    rng = np.random.default_rng(0)
    agents = FlockSpec("agents", rng.uniform(-0.5, 0.5, (9, 3)) + [0.0, 0.0, 1.0], mass=weight, radius=0.01, **QUIET)
    crate = VoxelBodySpec("crate", 0.2 * CORNERS, SIDES, voxel_size=0.1, mass=2.6)
    ties = Attachment("agents", "crate", list(range(9)), [k % 8 for k in range(9)])
    world = build_world(WorldSpec((agents, crate), attachments=(ties,), gravity=(0.0, 0.0, 0.0)))
    leashes = next(one for one in world.interactions if isinstance(one, Leashes))
    rigid, own = world.rigid, world.body("agents")
    flying = slice(own.start, own.stop)
    world.state.v[flying] = rng.normal(size=(9, 3))
    rigid.velocity[0], rigid.angular_momentum[0] = rng.normal(size=3), 0.1 * rng.normal(size=3)
    for system in world.systems:
        system.apply(Stage.VELOCITY, world, world.h, 1.0)

    def energy() -> float:
        local = rotation_matrix(rigid.rotation[0]).T @ rigid.angular_momentum[0]
        hard = rigid.mass[0] * (rigid.velocity[0] ** 2).sum() + (local**2 / rigid.inertia[0]).sum()
        return 0.5 * float(hard + weight * (world.state.v[flying] ** 2).sum())

    before, momentum_before = energy(), momentum(world)
    rigid.pushes[:] = 0.0
    leashes.apply(Stage.FORCE, world, world.h)
    rigid.velocity[0] += world.h * rigid.force[0] / rigid.mass[0]
    rigid.angular_momentum[0] += world.h * rigid.torque[0]
    assert 0.1 * before < energy() < before
    off = np.concatenate([b - a for a, b in zip(momentum_before, momentum(world), strict=True)])
    assert np.abs(off).max() < 1e-9


def pair(*rules: object, speed: float = 0.0) -> World:
    """Two free agents that do not steer, 0.1 m apart, that approach each other."""
    one, two = (
        FlockSpec(name, [[x, 0.0, 0.0]], mass=mass, velocity=(v, 0.0, 1e-9), radius=0.001, **QUIET)
        for name, x, v, mass in (("one", 0.0, speed, 0.1), ("two", 0.1, -speed, 0.3))
    )
    return build_world(WorldSpec((one, two), rules, gravity=(0.0, 0.0, 0.0)))


def closing(world: World) -> float:
    return float(world.velocities("one")[0, 0] - world.velocities("two")[0, 0])


def test_an_agent_on_an_explicit_rope_adds_no_energy() -> None:
    """Links to agents are solved before explicit springs act, so the springs need (omega h)² < 1 and not 4.

    Four vertices of 25 g and springs of 7 kN/m have omega² = 4 k / m, so 1,058 rad/s. Nothing drives rope and agent:
    both coast at 1 m/s and 5 m/s, and no vertex can get more than the energy of both, 0.5 x 0.5 x 25 + 0.5 x 0.1 J.
    """
    rope = SpringGraphSpec(
        "rope", np.array([[0.1 * k, 0.0, 0.0] for k in range(1, 5)]), edges=np.array([[0, 1], [1, 2], [2, 3]]),
        graph="EDGES", mass=0.1, stiffness=7000.0,
    )
    agent = FlockSpec("agent", [[0.0, 0.0, 0.0]], velocity=(-3.0, 4.0, 0.0), speed=5.0, mass=0.5, **QUIET)
    world = build_world(WorldSpec(
        (agent, rope), attachments=(Attachment("agent", "rope", [0], [0]),), gravity=(0.0, 0.0, 0.0),
        integrator="SYMPLECTIC", substeps=4,
    ))
    energy = 0.5 * 0.5 * 25.0
    assert 24.0 * world.substeps > np.sqrt(4.0 * 7000.0 / 0.025)
    for _ in range(12):
        step_frame(world)
        v = world.velocities("rope")
        assert 0.5 * 0.025 * (v**2).sum() < energy


def test_charges_part_and_what_adheres_comes_together() -> None:
    charged = pair(Charge("one", "two", strength=0.001))
    clinging = pair(Adhesion("one", "two", reach=0.2, strength=0.05))
    for world in (charged, clinging):
        step_frame(world)
        assert abs(momentum(world)[0][0]) < 1e-9
    assert closing(charged) < -0.01 and closing(clinging) > 0.01


@pytest.mark.parametrize("strength", [0.05, 1e9])
def test_drag_slows_by_its_rate_and_never_turns_the_motion_round(truth, strength: float) -> None:
    """u' = -c (1 - d / reach) u / mu for the speed u of approach, with the reduced mass mu = 0.075 kg."""
    world = pair(Drag("one", "two", reach=1.0, strength=strength), speed=0.05)
    step_frame(world)
    ratio = closing(world) / 0.1
    expected = np.exp(-strength * 0.9 / 0.075 / 24.0) if strength < 1.0 else 0.0
    truth("T3", "drag between particles", ratio, expected, 0.01, relative=False)


def test_a_fluid_is_not_written_to_the_world_for_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents act on the fluid's own rows: positions and velocities are written to the world once a frame, at its end.

    For 97,000 particles each write takes 1 ms. While agents needed them in the world, there were five a frame.
    """
    water = FluidSpec("water", 0.5 * (CORNERS + 1.0), SIDES, spacing=0.1)
    fish = FlockSpec("fish", [[0.5, 0.5, 0.5]], motion="SWIM", mass=0.01)
    world = build_world(WorldSpec(systems=(water, fish), substeps=10))
    step_frame(world)
    put, written = Roster.put, []

    def counted(self: Roster, values: np.ndarray, *args: object) -> None:
        written.append(len(values))
        put(self, values, *args)

    monkeypatch.setattr(Roster, "put", counted)
    step_frame(world)
    assert len(written) == 2


def test_fish_in_a_fluid_have_the_same_bits_on_any_number_of_threads() -> None:
    """Fish of every second layer of cells push the fluid at the same time; here there are four layers, all full.

    If two layers added their impulses to one particle in varying order, the last bits would differ.
    """
    rng, ends = np.random.default_rng(2), []
    water = FluidSpec("water", 0.5 * (CORNERS + 1.0), SIDES, spacing=0.06)
    fish = FlockSpec("fish", 0.05 + 0.9 * rng.random((1500, 3)), motion="SWIM", speed=0.5, radius=0.005, mass=0.01)
    for threads in (1, 2):
        world = build_world(WorldSpec((water, fish), gravity=(0.0, 0.0, 0.0), substeps=5, threads=threads))
        for _ in range(3):
            step_frame(world)
        ends.append(world.state.v.tobytes())
    assert ends[0] == ends[1]
