"""A renewed search covers only particles that left their predicted range, and equals a full broad phase."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine.solver.collide.broad_phase import broad_phase as searching
from flotsam.engine.solver.collide.broad_phase import pair_cache as finding
from flotsam.engine.solver.collide.broad_phase.body_pairs import CloseBodies, meeting_of
from flotsam.engine.solver.collide.broad_phase.broad_phase import BroadPhase
from flotsam.engine.solver.collide.broad_phase.elements import Elements, Skin, build_elements
from flotsam.engine.solver.collide.broad_phase.near_pairs import ALL
from flotsam.engine.solver.collide.broad_phase.patches import find_flatness_changes
from shapes import sheet

H = 1.0 / 240.0
SLACK = 0.01


def crumpled_sheets(rng: np.random.Generator) -> tuple[Elements, np.ndarray, np.ndarray]:
    """Two crumpled sheets on each other: elements, positions, body of each particle."""
    sheets = [sheet((1.0, 1.0), (40, 40)) for _ in range(2)]
    skins = [Skin(len(x), triangles, np.zeros(len(triangles), dtype=bool), edges) for x, triangles, edges in sheets]
    x = np.concatenate([
        points + [0.0, 0.0, 0.02 * k] + rng.normal(scale=0.006, size=points.shape)
        for k, (points, _triangles, _edges) in enumerate(sheets)
    ])
    starts = [0, len(sheets[0][0])]
    return build_elements(skins, starts, x), x, np.repeat(np.arange(2, dtype=np.int32), len(sheets[0][0]))


def known(seed: int) -> list[tuple[np.ndarray, ...]]:
    """Candidate pairs after each of four substeps in which some adjacent particles leave their predicted range."""
    rng = np.random.default_rng(seed)
    elements, x, body = crumpled_sheets(rng)
    v = rng.normal(scale=0.3, size=x.shape)
    search = BroadPhase(
        elements, meeting_of(np.ones((2, 2), dtype=bool)), np.full(len(x), SLACK), v, np.full(len(x), 0.005), body,
        np.ones(len(x)),
    )
    search.look(x, x + H * v, H, 1.0 / 24.0)
    found, time = [], search.search_horizon.time
    for _substep in range(4):
        now = x + H * v
        moved = np.argsort(np.linalg.norm(x - rng.choice(x), axis=1))[:12]
        now[moved] += rng.uniform(-3.0, 3.0, size=(len(moved), 3)) * SLACK
        assert search.look_back(x, now, H)
        assert search.search_horizon.time == time, "everything was searched"
        search.look(now, now + H * v, H, 1.0 / 24.0)
        near = np.concatenate([search.near[a:b] for a, b in zip(search.pair_start, search.pair_stop, strict=True)])
        found.append((search.pair_particle, search.pair_stop - search.pair_start, near, search.edge_pair))
        x = now
    return found


@pytest.mark.parametrize("seed", range(4))
def test_searching_again_for_few_finds_what_searching_for_all_does(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = []
    monkeypatch.setattr(
        finding, "find_flatness_changes", lambda *a: (find_flatness_changes(*a), changed.append(a[-1].sum()))
    )
    few = known(seed)
    assert sum(changed) > 0
    monkeypatch.setattr(searching, "CHANGED", ALL)
    every = known(seed)
    assert min(len(columns[3]) for columns in few) > 100
    for mine, theirs in zip(few, every, strict=True):
        for column, other in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(column, other)


def falling(seed: int) -> list[tuple[np.ndarray, ...]]:
    """Candidate pairs while a sheet falls far onto another, and a few particles leave their predicted range."""
    rng = np.random.default_rng(seed)
    elements, x, body = crumpled_sheets(rng)
    is_upper, v = body == 1, rng.normal(scale=0.01, size=x.shape)
    x[is_upper, 2] += 0.6
    v[is_upper, 2] -= 2.0
    meets = meeting_of(~np.eye(2, dtype=bool))
    search = BroadPhase(elements, meets, np.full(len(x), SLACK), v, np.full(len(x), 0.005), body, np.ones(len(x)))
    found = []
    for substep in range(70):
        if substep % 10 == 0:
            search.forget(len(x))
        now = x + H * v
        search.look(x, now, H, 1.0 / 24.0)
        if substep % 4 == 1:
            now[rng.choice(len(x), 5)] += rng.uniform(-3.0, 3.0, size=(5, 3)) * SLACK
        search.look_back(x, now, H)
        near = np.concatenate(
            [search.near[a:b] for a, b in zip(search.pair_start, search.pair_stop, strict=True)] or [search.near[:0]]
        )
        found.append((search.pair_particle, search.pair_stop - search.pair_start, near, search.edge_pair))
        x = now
    return found


@pytest.mark.parametrize("seed", range(3))
def test_who_is_far_from_all_is_known_to_be_near_nobody(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the coarse boxes of bodies do not overlap, no patch is tested, and the result is the same."""
    answers, ask = [], CloseBodies.are_none
    monkeypatch.setattr(CloseBodies, "are_none", lambda *a: (answers.append(ask(*a)), answers[-1])[1])
    quickly = falling(seed)
    monkeypatch.setattr(CloseBodies, "are_none", lambda *_a: False)
    thoroughly = falling(seed)
    assert any(answers) and not all(answers)
    assert len(quickly[0][0]) == 0 < len(quickly[-1][0])
    for one, other in zip(quickly, thoroughly, strict=True):
        for few, all_ in zip(one, other, strict=True):
            assert np.array_equal(few, all_)


def test_who_has_nearly_strayed_is_searched_around_with_who_has() -> None:
    """Of two particles that deviate one after the other, the search around the first also covers the second.

    The first is at 1.2 times its slack after a substep, the second at 0.7, and at 1.3 after the next. Its new
    prediction uses 0.6 of its new velocity, so it deviates by 1.3 - 2 * 0.6 * 0.7 = 0.46 then: no further search.
    """
    elements, x, body = crumpled_sheets(np.random.default_rng(0))
    search = BroadPhase(
        elements, meeting_of(np.ones((2, 2), dtype=bool)), np.full(len(x), SLACK), np.zeros(x.shape),
        np.full(len(x), 0.005), body, np.ones(len(x)),
    )
    search.look(x, x, H, 1.0 / 24.0)
    first, second = x.copy(), x.copy()
    slack = search.prediction.slack[:2].max()
    first[:2, 0] += [1.2 * slack, 0.7 * slack]
    second[:2, 0] += [1.5 * slack, 1.3 * slack]
    assert search.look_back(x, first, H)
    search.look(first, second, H, 1.0 / 24.0)
    assert not search.look_back(first, second, H)
