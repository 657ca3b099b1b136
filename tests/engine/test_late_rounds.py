"""The last check of a substep tests again only pairs that may pass through, and impulses follow their pairs."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.interactions.contact.kept_impulses import KeptImpulses
from flotsam.engine.interactions.contact.narrow_phase import NarrowPhase
from flotsam.engine.solver.collide.broad_phase.broad_phase import BroadPhase
from flotsam.engine.solver.collide.broad_phase.ccd_recheck import CcdRecheck, PairSelection
from flotsam.engine.solver.collide.narrow_phase.columns import NearPairs
from flotsam.engine.solver.collide.narrow_phase.face_contact import SLOTS
from flotsam.engine.world.world import World
from shapes import sheet, sphere, torus

FRAMES = 14
# Systems of five particles, and triangles that have these as corners.
OF_BODY, CORNER = np.arange(5, dtype=np.int32), np.repeat(np.arange(5, dtype=np.int32)[:, None], 3, axis=1)


def stone_on_sheets() -> World:
    """A stone of 164 kg falls onto two sheets, the lower one pinned at its corners."""
    points, triangles, edges = sheet((2.0, 2.0), (20, 20))
    points = points - [1.0, 1.0, 0.0]
    corners = np.flatnonzero((np.abs(points[:, :2]) > 0.99).all(axis=1))
    stone, faces = sphere(0.25, 2)
    cloth = {"mass": 0.6, "stiffness": 3000.0, "damping": 0.5, "thickness": 0.004}
    lying = 0.6 * points + [0.0, 0.0, 1.25]
    return build_world(WorldSpec(systems=(
        SpringGraphSpec("hung", points + [0.0, 0.0, 1.2], triangles, edges, pins=corners, **cloth),
        SpringGraphSpec("lying", lying, triangles, edges, **cloth),
        VoxelBodySpec("stone", stone + [0.0, 0.0, 1.7], faces, voxel_size=0.05, density=2500.0),
    )))


def played() -> np.ndarray:
    """Positions and velocities after FRAMES frames."""
    world = stone_on_sheets()
    for _ in range(FRAMES):
        step_frame(world)
    return np.concatenate([world.state.x, world.state.v])


def test_nothing_more_is_found_where_all_pairs_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The results agree to the last bit, though rounds after the first one leave out most of the pairs."""
    counts: list[tuple[bool, int]] = []
    test = NarrowPhase.test

    def count(self: NarrowPhase, only_through: bool, notes_close: bool, tested: tuple, *more: object) -> None:
        if only_through:
            counts.append((notes_close, len(tested[0]) + len(tested[1])))
        test(self, only_through, notes_close, tested, *more)

    monkeypatch.setattr(NarrowPhase, "test", count)
    few = played()
    first = [pairs for is_first, pairs in counts if is_first]
    later = [pairs for is_first, pairs in counts if not is_first]
    assert len(first) > 20 and len(later) > 20
    assert np.mean(later) < 0.7 * np.mean(first)

    def every(self: CcdRecheck, search: BroadPhase, x: np.ndarray, is_known: bool, goes_on: bool) -> PairSelection:
        pairs = len(search.pair_particle) + len(search.edge_pair)
        return PairSelection(np.ones(pairs, dtype=bool), False, False)

    monkeypatch.setattr(CcdRecheck, "ask", every)
    np.testing.assert_array_equal(played(), few)


def found(rng: np.random.Generator) -> SimpleNamespace:
    """A search that found some pairs of 40 particles and 5 bodies, and of 60 edges; triangle t belongs to body t."""
    touched = np.flatnonzero(rng.random(40 * 5) < 0.3)
    edge = np.sort(rng.choice(60 * 60, size=300, replace=False))
    edges = np.stack([edge // 60, edge % 60], axis=1)
    # Pairs of one edge come in any order.
    edges = edges[np.lexsort((rng.random(len(edges)), edges[:, 0]))]
    start = np.arange(len(touched))
    return SimpleNamespace(
        near_pairs=NearPairs(touched // 5, start, start + 1, (touched % 5).astype(np.int32), edges),
        slots=SLOTS * len(touched) + len(edges), elements=SimpleNamespace(edge=np.zeros((60, 2)), corner=CORNER),
    )


def named(search: SimpleNamespace) -> list[tuple[int, ...]]:
    """The pair of each slot: a particle, a body and one of its SLOTS, or two edges."""
    faces = [
        (i, of, k)
        for i, of in zip(search.near_pairs.particle.tolist(), search.near_pairs.near.tolist(), strict=True)
        for k in range(SLOTS)
    ]
    return faces + [tuple(two) for two in search.near_pairs.edges.tolist()]


def strike(kept: KeptImpulses, names: list[tuple[int, ...]], rng: np.random.Generator) -> dict[tuple, list[float]]:
    """Give some of the slots an impulse; returns these impulses, by name of the slot."""
    struck = rng.random(len(names)) < 0.4
    kept.impulse[:] = struck[:, None] * rng.normal(size=(len(names), 3))
    return {name: row for name, row in zip(names, kept.impulse.tolist(), strict=True) if any(row)}


@pytest.mark.parametrize("seed", range(4))
def test_impulses_follow_their_pairs(seed: int) -> None:
    """After a search impulses and listed contacts have the new slots of their pairs, or none if the pair is gone."""
    rng, kept = np.random.default_rng(seed), KeptImpulses()
    names, impulses = [], {}
    for number in range(5):
        search = found(rng)
        slot = rng.integers(-1, max(len(names), 0), size=50)
        listed = [names[k] if k >= 0 else None for k in slot.tolist()]
        kept.follow(search, OF_BODY, len(OF_BODY), slot)
        names = named(search)
        assert len(set(names)) == len(names) == len(kept.impulse)
        assert slot.tolist() == [names.index(name) if name in names else -1 for name in listed]
        np.testing.assert_array_equal(kept.impulse, [impulses.get(name, [0.0] * 3) for name in names])
        assert number == 0 or kept.impulse.any()
        impulses = strike(kept, names, rng)


def test_impulses_of_a_snapshot_find_their_pairs() -> None:
    """A snapshot holds only impulses that are not zero, and the next search assigns their slots."""
    rng, kept, other = np.random.default_rng(9), KeptImpulses(), KeptImpulses()
    search, none = found(rng), np.zeros(0, dtype=np.int64)
    kept.follow(search, OF_BODY, len(OF_BODY), none)
    impulses = strike(kept, named(search), rng)
    memory = kept.memory()
    assert len(memory["key"]) == len(impulses) < len(kept.key)
    other.recall(memory)
    search = found(rng)
    other.follow(search, OF_BODY, len(OF_BODY), none)
    np.testing.assert_array_equal(other.impulse, [impulses.get(name, [0.0] * 3) for name in named(search)])
    assert other.impulse.any()


def test_contacts_that_are_not_prepared_know_no_soft_particles() -> None:
    """Rows of a last check are read before they are solved, so they must not keep values of earlier contacts."""
    ring, faces, _edges = torus(0.5, 0.15, 24, 12)
    tray, sides, _edges = torus(0.45, 0.2, 24, 12)
    world = build_world(WorldSpec(systems=(
        VoxelBodySpec("ring", ring + [0.0, 0.0, 0.62], faces, voxel_size=0.05),
        ColliderSpec("tray", tray + [0.0, 0.0, 0.2], sides),
    )))
    for _ in range(8):
        step_frame(world)
    contacts = next(one for one in world.interactions if hasattr(one, "search"))
    contacts.rigid.begin()
    contacts.rigid.columns.normal_response[:] = 1.0
    contacts.find(world)
    assert contacts.rigid.count > 5
    np.testing.assert_array_equal(contacts.rigid.columns.normal_response[: contacts.rigid.count, 3], 0.0)
