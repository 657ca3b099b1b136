"""Injected energy: energy that contacts put into springs and air must not become motion."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.constraints import stored_energy as stored
from flotsam.engine.solver.constraints.columns import ParticleColumns, RowBlocks
from flotsam.engine.solver.constraints.contact import energy_limit
from flotsam.engine.solver.constraints.contact.energy_limit import Members
from flotsam.engine.solver.constraints.islands import PieceColumns
from flotsam.engine.solver.rotation import rotation_matrices
from flotsam.engine.systems.spring_graph.tables.rigid_contact_rows import inner_bodies
from flotsam.engine.world.world import World
from fuzz_ledger import Ledger, air_energy, kinetic
from shapes import box, chain, sheet, sphere

STILL = {"gravity": (0.0, 0.0, 0.0), "frame_rate": 96.0, "substeps": 1, "precision": "DOUBLE"}


def rope(name: str, at: np.ndarray, velocity: tuple[float, float, float]) -> SpringGraphSpec:
    """Six vertices over one metre, with springs far too stiff for a substep to resolve."""
    vertices, edges = chain(6, 1.0, (1.0, 0.0, 0.0))
    return SpringGraphSpec(
        name, vertices + at, None, edges, graph="EDGES", stiffness=1e6, mass=0.1, velocity=velocity, thickness=0.02
    )


def displace(world: World, particle: int, displacement: np.ndarray) -> None:
    """Displace one particle as contacts do that move it back: x and x_prev alike."""
    graphs, state = world.systems[0], world.state
    graphs.pre_stabilization.injected_energy.note(state.x)
    state.x[particle] += displacement
    state.x_prev[particle] += displacement
    state.was_clamped[particle] = True
    graphs.pre_stabilization.measure(world)


def islands_of(count: int) -> Members:
    """Members of `count` islands, which keep all of their motion."""
    sums, own = np.zeros((count, energy_limit.ISLAND)), np.zeros((count, energy_limit.MEMBER))
    return Members(np.arange(count), sums, own, np.zeros((count, energy_limit.KEPT)))


def test_what_is_owed_is_what_springs_and_air_hold_more() -> None:
    """A corner of a balloon pushed in: the springs' k / 2 (l - l0)^2 and the gas law's energy, within rounding."""
    vertices, triangles = sphere(0.5, 2)
    spec = SpringGraphSpec("ball", vertices, triangles, stiffness=2000.0, mass=0.5, pressure=3000.0)
    world = build_world(WorldSpec((spec,), **STILL))
    graphs = world.systems[0]

    def stored() -> float:
        graphs.rows.read_positions(world.state)
        graphs.gas.measure(graphs.rows.at)
        rest, volume = float(graphs.gas.rest_volume[0]), float(graphs.gas.volume[0])
        return Ledger._springs(world) + air_energy(3000.0, rest, volume)

    before = stored()
    displace(world, 0, -0.3 * vertices[0])
    assert graphs.rows.injected_energy[0] == pytest.approx(stored() - before, rel=1e-6)
    graphs.pre_stabilization.injected_energy.note(world.state.x)
    world.state.x[0] += 0.3 * vertices[0]
    graphs.pre_stabilization.injected_energy.measure(world.state.x)
    assert graphs.rows.injected_energy[0] == pytest.approx(0.0, abs=1e-6 * before)


def test_what_is_owed_does_not_become_motion() -> None:
    """A rope whose end was moved back by a decimetre: springs release 5 kJ, none of which may become motion.

    Without the limit it would fly apart at hundreds of metres a second; it flies on at its 3 m/s in its direction.
    """
    world = build_world(WorldSpec((rope("rope", np.zeros(3), (0.0, 3.0, 0.0)),), **STILL))
    first = kinetic(world)
    displace(world, 5, np.array([0.1, 0.0, 0.0]))
    world.state.was_clamped[:] = False
    assert world.systems[0].rows.injected_energy[0] > 1000.0
    step_frame(world)
    mass = world.model.mass[:, None]
    assert kinetic(world) <= first * (1.0 + 1e-9)
    assert (mass * world.state.v).sum(axis=0) == pytest.approx([0.0, 0.3, 0.0], abs=1e-9)


def test_what_touches_pays_together() -> None:
    """Two ropes side by side, one displaced through the other: they move on together and conserve momentum.

    The displaced rope hits the other with the energy of its springs, so limiting its own motion would not suffice, and
    neither would limiting both in one substep: they then gained half a percent in the next.
    """
    above = np.array([0.0, 0.0, 0.019])
    world = build_world(WorldSpec(
        (rope("one", np.zeros(3), (0.0, 1.0, 0.0)), rope("other", above, (0.0, 1.0, 0.0))), **STILL
    ))
    first = kinetic(world)
    displace(world, 2, np.array([0.0, 0.0, -0.15]))
    world.state.was_clamped[:] = False
    mass = world.model.mass[:, None]
    for step in range(6):
        step_frame(world)
        # Nor may energy that the impact stores in the other rope's springs become motion in later substeps.
        assert kinetic(world) <= first * (1.0 + (1e-9 if step == 0 else 1e-3))
        assert (mass * world.state.v).sum(axis=0) == pytest.approx([0.0, 0.2, 0.0], abs=1e-9)


def test_what_water_presses_is_no_motion_that_was_there_before() -> None:
    """Water presses two vertices against each other at 50 m/s; each moves 1 mm, and moved at 2 m/s before.

    In the frame of their centre that is the work m dv / h times the displacement: 5 J, not the 1,250 J of 50 m/s. They
    end with 20 J in that frame, and more energy than that was injected, so they keep 5 of 20 J: half their speed.
    """
    x, v, dv = np.zeros((2, 3)), np.full((2, 3), [2.0, 0.0, 0.0]), np.array([[0.0, 0.0, 50.0], [0.0, 0.0, -50.0]])
    mass, h, start, end = np.array([0.5, 0.5]), 0.01, np.zeros((1, 17)), np.zeros((1, 17))
    start[0, [0, 4, 16]] = 1.0, 2.0, 2.0 + 1250.0
    end[0, [0, 4, 16]] = 1.0, 2.0, 2.0 + 20.0
    particles = ParticleColumns(x, v + dv, dv, np.zeros((2, 3)), 1.0 / mass, mass)
    first, ids = np.array([0]), np.arange(2)
    blocks = RowBlocks(ids, np.array([0, 2]), first, first, mass, end)
    at = np.array([[0.0, 0.0, 1e-3, 2.0], [0.0, 0.0, -1e-3, 2.0]])
    members = islands_of(1)
    energy_limit.pay(
        particles, blocks, at, np.zeros((1, 3)), h, start, np.zeros((1, 12)), np.array([True]),
        np.array([[1e4], [0.0], [0.0], [0.0], [0.0]]),
        inner_bodies(np.zeros(0), np.zeros((0, 3))),
        np.zeros((0, 3)),
        members,
    )
    assert members.kept[0] == pytest.approx([0.5, 2.0, 0.0, 0.0], rel=1e-12)


def test_what_springs_release_beyond_the_injected_energy_becomes_motion_again() -> None:
    """A piece at rest, which has lost 8 J of motion, gains 2 J while springs release 5 J, of which 4 J were injected.

    The injected energy counts as released first, so 1 J of that may become motion, and 1 J is removed: of v^2 half is
    left. If they release only what was injected, all motion is removed; if they release 7 J, none; and never more is
    left than the piece had lost, as springs that a substep does not resolve store more than motion lost.
    """
    mass, still, start, end = np.array([1.0]), np.zeros((1, 3)), np.zeros((1, 17)), np.zeros((1, 17))
    start[0, 0] = end[0, 0] = 1.0
    end[0, 16] = 2.0
    first = np.array([0])
    blocks = RowBlocks(first, np.array([0, 1]), first, first, mass, end)
    for released, lost, fraction in ((5.0, 8.0, 0.5), (4.0, 8.0, 0.0), (7.0, 8.0, 1.0), (1e3, 0.5, 0.25)):
        members, energies = islands_of(1), np.array([[4.0], [0.0], [0.0], [lost], [released]])
        energy_limit.pay(
            ParticleColumns(still, still, np.zeros((0, 3)), np.zeros((0, 3)), 1.0 / mass, mass), blocks,
            np.zeros((1, 4)), still, 0.01, start, np.zeros((1, 12)), np.array([False]), energies,
            inner_bodies(np.zeros(0), still[:0]), still[:0], members,
        )
        assert members.kept[0, 0] ** 2 == pytest.approx(fraction, abs=1e-12)
        assert energies[3, 0] == pytest.approx(lost - 2.0 * fraction, abs=1e-12), "regained motion is no longer lost"


@pytest.mark.parametrize("higher", [0.0, 1e-3])
def test_a_light_ball_bounces_from_a_cloth_on_a_floor(higher: float) -> None:
    """A beach ball of 39 g hits a cloth that lies on a floor at 4 m/s: it leaves at 2.5 m/s, from the floor at 3.2.

    In each substep recovery lifts vertices of the ball off the cloth, and they snap back without becoming motion. That
    energy was removed from the speed which the compressed ball had regained: it left at 0.3 m/s.
    """
    vertices, triangles = sphere(0.2, 3)
    ball = SpringGraphSpec(
        "ball", vertices + [0.0, 0.0, 0.23 + higher], triangles, rings=2, stiffness=320.0, mass_by="AREA_DENSITY",
        area_density=0.08, pressure=300.0, thickness=0.004, friction=0.3, restitution=0.5, velocity=(0.0, 0.0, -4.0),
    )
    flat, sides, edges = sheet((1.6, 1.6), (20, 20))
    cloth = SpringGraphSpec(
        "cloth", flat + [-0.8, -0.8, 0.004], sides, edges, stiffness=750.0, bending=8e-5, mass_by="AREA_DENSITY",
        area_density=0.2, thickness=0.008, friction=0.5,
    )
    plate, plate_triangles = np.array([[-2.0, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]]), [[0, 1, 2], [0, 2, 3]]
    world = build_world(WorldSpec((ball, cloth, ColliderSpec("floor", plate, np.array(plate_triangles))), substeps=16))
    own, fastest = slice(world.body("ball").start, world.body("ball").stop), 0.0
    for _ in range(3):
        step_frame(world)
        fastest = max(fastest, float(world.state.v[own, 2].mean()))
    assert 2.0 < fastest < 3.2


def test_what_has_a_mass_is_no_support() -> None:
    """A piece that touches a held particle is limited in its frame; an agent, however light, is no such frame."""
    contact, weight = np.array([[0, 0, 0, 1]]), np.array([[1.0, 0.0, 0.0, -1.0]])
    graph = PieceColumns(np.array([0, 1]), np.array([0, 0], np.int32), np.array([0]), np.array([1]), np.array([1]))
    v = np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0]])
    for inv_mass, is_held in ((100.0, False), (0.0, True)):
        members = islands_of(1)
        energy_limit.find_held(1, contact, weight, graph, np.array([1.0, inv_mass]), v, members)
        assert members.sums[0, :4].tolist() == ([1.0, 5.0, 0.0, 0.0] if is_held else [0.0] * 4)


def test_what_air_holds_waits_until_it_gives_it_back() -> None:
    """A limp cube of a ton, compressed by a tenth: air releases 4.6 kJ in three quarters of a second without motion.

    A seventh of it in the first solve; if only that were removed, all the rest would become motion.
    """
    vertices, triangles = box(1.0, 1)
    spec = SpringGraphSpec("cube", vertices, triangles, stiffness=1.0, mass=1000.0, struts=1, pressure=100.0)
    world = build_world(WorldSpec((spec,), **STILL))
    graphs, state = world.systems[0], world.state
    graphs.pre_stabilization.injected_energy.note(state.x)
    state.x *= 0.9
    state.x_prev *= 0.9
    state.was_clamped[:] = True
    graphs.pre_stabilization.measure(world)
    state.was_clamped[:] = False
    injected_energy = float(graphs.rows.injected_energy[0])
    assert injected_energy > 2000.0
    fastest = 0.0
    for _ in range(96):
        step_frame(world)
        fastest = max(fastest, kinetic(world))
    assert fastest < 0.01 * injected_energy
    assert graphs.rows.injected_energy[0] < 0.1 * injected_energy


def test_a_snapshot_keeps_what_is_owed() -> None:
    """A world that continues from a snapshot removes the same energy as one that ran on, bit by bit."""
    spec = WorldSpec((rope("rope", np.zeros(3), (0.0, 3.0, 0.0)),), **STILL)
    world = build_world(spec)
    displace(world, 5, np.array([0.1, 0.0, 0.0]))
    saved = world.snapshot()
    step_frame(world)
    again = build_world(spec)
    again.restore(saved)
    step_frame(again)
    assert np.array_equal(world.state.v, again.state.v)


@pytest.mark.parametrize("seed", [None, 11, 25, 39], ids=["symmetric", "rounded", "rounded otherwise", "once more"])
def test_who_is_pressed_brings_nothing_to_bounce_with(seed: int | None) -> None:
    """A balloon of half a bar between two plates lies still, so contacts dissipate next to none of its motion.

    In each inner step its air pushes the skin against the plates, which do not move and do no work. Counted as motion,
    p A h of each of 64 inner steps was thousands of times the skin's energy. In the starts that differ by a tenth of a
    micrometre, the lowest vertex is moved back in front of the floor once. When pre-stabilization included its
    neighbours, which also stood on the floor, it passed through, they rose by 3 cm, and this repeated in each substep:
    contacts dissipated 12 to 14 J there, of 0.3 J of motion.
    """
    vertices, triangles = sphere(0.5, 2)
    if seed is not None:
        vertices = vertices + np.random.default_rng(seed).uniform(-1e-7, 1e-7, vertices.shape)
    plate, plate_triangles = np.array([[-2.0, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]]), [[0, 1, 2], [0, 2, 3]]
    floor = ColliderSpec("floor", plate - [0.0, 0.0, 0.45], np.array(plate_triangles))
    lid = ColliderSpec("lid", plate + [0.0, 0.0, 0.45], np.array(plate_triangles)[:, ::-1])
    ball = SpringGraphSpec(
        "ball", 0.9 * vertices, triangles, stiffness=2e4, mass=0.1, pressure=5e4, thickness=0.01, damping=1.0,
        restitution=1.0,
    )
    world = build_world(WorldSpec((ball, floor, lid), gravity=(0.0, 0.0, 0.0)))
    for _ in range(48):
        step_frame(world)
    assert world.contact_buffer.count > 4
    assert world.contact_buffer.energy[0] < kinetic(world)


def test_who_stands_still_again_has_gone_nowhere() -> None:
    """A stale displacement would be taken for a current one where a neighbour moves."""
    noted, ids, block = np.zeros((4, 3)), np.arange(4, dtype=np.int32), np.array([0, 4])
    is_moved, shift, block_moved = np.zeros(4, dtype=bool), np.zeros((4, 3), dtype=np.float32), np.zeros(1, dtype=bool)
    for gone in ([0.5, 0.25, 0.0, 0.0], [0.0, 0.75, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]):
        x = np.column_stack([gone, np.zeros((4, 2))])
        stored.mark_moved(x, noted, ids, block, is_moved, shift, block_moved)
        assert shift[:, 0].tolist() == gone
        assert is_moved.tolist() == [each > 0.0 for each in gone]
        assert block_moved[0] == any(gone)


def test_what_presses_on_a_rigid_body_pays_with_it() -> None:
    """A stiff cube of 50 g beside a crate of 64 kg, its far corner moved towards it: together they gain no energy.

    The springs push the cube off the crate. If its motion is reduced relative to its own centre, it keeps the velocity
    that the crate gave to the entire cube (2.96 J of 0.1 J). Reduced relative to the common centre, with the rest
    returned to the crate, no energy is gained, and momentum is kept.
    """
    cube, sides = box(0.2, 2)
    crate = VoxelBodySpec("crate", box(0.4, 1)[0], box(0.4, 1)[1], density=1000.0, thickness=0.01)
    beside = cube + [0.31, 0.05, 0.02]
    soft = SpringGraphSpec("cube", beside, sides, stiffness=1e6, mass=0.05, thickness=0.01, velocity=(-2.0, 0.0, 0.0))
    world = build_world(WorldSpec((soft, crate), **STILL))
    rigid, body = world.rigid, world.body("cube")
    own = slice(body.start, body.stop)

    def momentum() -> np.ndarray:
        soft = world.model.mass[own, None] * world.state.v[own]
        return soft.sum(axis=0) + (rigid.mass[:, None] * rigid.velocity).sum(axis=0)

    def energy() -> float:
        moving = 0.5 * (world.model.mass[own] * (world.state.v[own] ** 2).sum(axis=1)).sum()
        rotation = rotation_matrices(rigid.rotation)
        angular_momentum = np.einsum("bji,bj->bi", rotation, rigid.angular_momentum)
        moving += 0.5 * (angular_momentum**2 / rigid.inertia).sum()
        return moving + 0.5 * (rigid.mass * (rigid.velocity**2).sum(axis=1)).sum()

    before, first = momentum(), energy()
    displace(world, body.start + int(beside.sum(axis=1).argmax()), np.array([-0.1, 0.0, 0.0]))
    world.state.was_clamped[:] = False
    injected_energy = world.systems[0].rows.injected_energy[0]
    step_frame(world)
    assert injected_energy > 1000.0 and np.abs(rigid.velocity).max() > 1e-4, "they touched"
    assert energy() < first * (1.0 + 1e-6)
    assert np.abs(momentum() - before).max() < 1e-9
