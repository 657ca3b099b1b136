"""In a quiet scene one broad phase stays valid for several frames; a snapshot among them restores the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.collide.broad_phase.body_pairs import meeting_of
from flotsam.engine.solver.collide.broad_phase.broad_phase import BroadPhase
from flotsam.engine.solver.collide.broad_phase.elements import Skin, build_elements
from flotsam.engine.solver.collide.broad_phase.patches import MOST_SLACK
from flotsam.engine.solver.collide.broad_phase.search_horizon import FRAMES
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, sheet

H, FRAME = 1.0 / 240.0, 1.0 / 24.0
SLACK = 0.01


def resting(frames: int) -> World:
    """Two boxes side by side on the ground, out of each other's reach."""
    vertices, triangles = box(0.5, 3)
    boxes = tuple(
        SpringGraphSpec(f"box {k}", vertices + [0.8 * k, 0.0, 0.3], triangles, stiffness=2e4, damping=20.0, mass=5.0)
        for k in range(2)
    )
    world = build_world(WorldSpec((*boxes, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES)), substeps=4))
    for _ in range(frames):
        step_frame(world)
    return world


def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One list item for each full broad phase from now on."""
    seen: list[int] = []
    search_all = BroadPhase._search_all
    monkeypatch.setattr(BroadPhase, "_search_all", lambda *a: (seen.append(1), search_all(*a))[1])
    return seen


def test_at_rest_a_search_holds_for_some_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    world = resting(120)
    seen = searches(monkeypatch)
    for _ in range(2 * FRAMES):
        step_frame(world)
    assert len(seen) == 2


@pytest.mark.parametrize("after", range(1, FRAMES + 1))
def test_a_snapshot_between_searches_goes_on_with_the_same_bits(after: int) -> None:
    """In the same world, and in another one that was rebuilt."""
    world, other = resting(120), resting(0)
    for _ in range(after):
        step_frame(world)
    saved, kept = world.snapshot(), world.interactions[0].search
    other.restore(saved)
    for _ in range(FRAMES):
        # A change of velocity, so that the candidate pairs matter.
        world.state.v[0, 2] -= 0.5
        other.state.v[0, 2] -= 0.5
        step_frame(world)
        step_frame(other)
        search = other.interactions[0].search
        assert np.array_equal(world.state.x, other.state.x) and np.array_equal(world.state.v, other.state.v)
        assert np.array_equal(kept.pair_particle, search.pair_particle)
        assert np.array_equal(kept.edge_pair, search.edge_pair)
    last = world.state.x.copy()
    world.restore(saved)
    for _ in range(FRAMES):
        world.state.v[0, 2] -= 0.5
        step_frame(world)
    assert np.array_equal(last, world.state.x)


def test_who_is_set_elsewhere_between_two_frames_is_searched_for_at_once() -> None:
    """A body that is moved by 0.99 m between two frames is searched for again, and all its pairs are found."""
    sheets = [sheet((1.0, 1.0), (8, 8)) for _ in range(2)]
    skins = [Skin(len(x), triangles, np.zeros(len(triangles), dtype=bool), edges) for x, triangles, edges in sheets]
    x = np.concatenate([points + [0.0, 0.0, 1.0 * k] for k, (points, _triangles, _edges) in enumerate(sheets)])
    body = np.repeat(np.arange(2, dtype=np.int32), len(sheets[0][0]))
    elements = build_elements(skins, [0, len(sheets[0][0])], x)
    search = BroadPhase(
        elements, meeting_of(~np.eye(2, dtype=bool)), np.full(len(x), SLACK), np.zeros_like(x), np.full(len(x), 0.005),
        body, np.ones(len(x)),
    )
    # The first broad phase tests all patches; later ones do not.
    search.begin_frame(len(x))
    assert search.look(x, x, H, FRAME)
    for _frame in range(2):
        search.begin_frame(len(x))
        assert not search.look(x, x, H, FRAME)
    moved = x + np.where(body == 1, -0.99, 0.0)[:, None] * [0.0, 0.0, 1.0]
    search.begin_frame(len(x))
    assert search.look(moved, moved, H, FRAME)
    assert set(search.pair_particle) == set(range(len(x)))


def test_what_falls_freely_is_searched_for_once_a_frame() -> None:
    """Its path deviates by g T² / 8 from the line through both ends of a frame T, by g T² / 2 from a tangent."""
    x, triangles, edges = sheet((1.0, 1.0), (8, 8))
    skin = Skin(len(x), triangles, np.zeros(len(triangles), dtype=bool), edges)
    one = np.ones((1, 1), dtype=bool)
    gravity, scale = 60.0, 0.0105
    # Slack grows by a quarter in each frame without pairs.
    assert gravity * FRAME**2 / 8.0 < MOST_SLACK * scale < gravity * FRAME**2 / 2.0 / 1.25**5
    search = BroadPhase(
        build_elements([skin], [0], x), meeting_of(one), np.full(len(x), scale), np.zeros_like(x),
        np.full(len(x), 0.005), np.zeros(len(x), dtype=np.int32), np.ones(len(x)),
    )
    # It is thrown upward, so that it is slow enough for a search that is valid for a frame.
    found, speed = [], -3.0 * gravity * FRAME
    for _frame in range(6):
        search.begin_frame(len(x), (0.0, 0.0, -gravity))
        looks = []
        for _substep in range(10):
            speed += H * gravity
            after = x - [0.0, 0.0, H * speed]
            looks.append((search.look(x, after, H, FRAME), search.look_back(x, after, H)))
            x = after
        found.append(np.sum(looks, axis=0).tolist())
    assert found[0][1] > 0, "at first the fall is unknown"
    assert found[-2:] == [[1, 0]] * 2
