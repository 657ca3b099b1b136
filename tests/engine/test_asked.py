"""Only few trajectories are checked again after the solve, and yet none tunnels that a full check would find."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.collide.broad_phase.broad_phase import BroadPhase
from flotsam.engine.solver.collide.broad_phase.ccd_recheck import CcdRecheck, PairSelection
from shapes import FLOOR, FLOOR_TRIANGLES, sphere

# So few substeps that some particles pass through and are moved back.
SUBSTEPS, FRAMES = 4, 24


def crumpled() -> np.ndarray:
    """Positions of a limp ball of 2,562 vertices that has fallen into folds."""
    vertices, triangles = sphere(0.5, 4)
    body = SpringGraphSpec(
        "ball", vertices + [0.0, 0.0, 0.55], triangles, mass=20.0, stiffness=3e3, air_drag=1.0, self_collision=True,
    )
    world = build_world(WorldSpec((body, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES)), substeps=SUBSTEPS))
    for _ in range(FRAMES):
        step_frame(world)
    return world.positions("ball")


def test_to_look_at_few_ways_again_finds_what_to_look_at_all_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bits as when all pairs are tested again, with less than half of the pairs in the first round."""
    tested: list[tuple[int, int]] = []
    repeated: list[int] = []
    ask = CcdRecheck.ask

    def count(self: CcdRecheck, search: BroadPhase, x: np.ndarray, is_known: bool, goes_on: bool) -> PairSelection:
        found = ask(self, search, x, is_known, goes_on)
        pairs = len(search.pair_particle) + len(search.edge_pair)
        some = int(np.count_nonzero(found.pairs[:pairs]))
        if goes_on:
            repeated.append(some)
        elif is_known:
            tested.append((some, pairs))
        return found

    monkeypatch.setattr(CcdRecheck, "ask", count)
    few = crumpled()
    monkeypatch.setattr(CcdRecheck, "ask", lambda self, *_args: PairSelection(np.ones_like(self.close), False, False))
    assert np.array_equal(few, crumpled())
    assert sum(repeated) > 0
    some, every = np.array(tested).sum(axis=0)
    assert some < 0.5 * every
