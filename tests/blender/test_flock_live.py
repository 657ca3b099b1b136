"""Flocks in Live: the mouse attracts them or frightens them away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from flotsam.addon.live import state
from flotsam.addon.live.lure import Lure, has_flocks
from flotsam.addon.live.session import LiveSession
from flotsam.addon.operators.live import status
from make_live import run
from make_scene import fresh_scene, mesh_object, ring, soft

DOWN = np.array([0.0, 0.0, -1.0])


@pytest.fixture
def session(tmp_path: Path) -> Iterator[LiveSession]:
    """Sixty birds ten metres up that wander about, in Live."""
    scene = fresh_scene(tmp_path)
    rng = np.random.default_rng(1)
    birds = mesh_object("Birds", [tuple(place) for place in rng.uniform(-1.5, 1.5, (60, 3)) + (0, 0, 10.0)])
    birds.flotsam.kind = "FLOCK"
    session = LiveSession(scene)
    yield session
    if state.current() is not None:
        state.current().end()


def mean_distance(session: LiveSession, point: np.ndarray) -> float:
    """Mean distance of the birds from a point [m]."""
    return float(np.linalg.norm(session.frame.positions["Birds"] - point, axis=1).mean())


def test_a_flock_comes_to_the_mouse_while_it_is_held_and_goes_its_own_way_again(session: LiveSession) -> None:
    """From 12 m away at 5 m/s, 3 s bring it near; the target of the mouse is at the depth of the flock."""
    assert has_flocks(session.captured) and "call flocks" in status(session)
    run(session, 2)
    assert session.take(np.array([12.0, 0.0, 30.0]), DOWN, True)
    assert isinstance(session.hold, Lure) and abs(session.hold.target[2] - 10.0) < 0.5
    target = session.hold.target.copy()
    before = mean_distance(session, target)
    run(session, 72)
    assert before > 10.0 and mean_distance(session, target) < 0.4 * before
    session.release()
    run(session, 96)
    assert mean_distance(session, target) > 6.0, "without the mouse it flies on"


def test_shift_frightens_a_flock(session: LiveSession) -> None:
    """The mouse is four metres ahead on their path, where they would fly past: they turn away before it."""
    run(session, 2)
    middle = session.frame.positions["Birds"].astype(float).mean(axis=0)
    velocity = session.frame.velocities["Birds"].astype(float).mean(axis=0)
    ahead = middle + 4.0 * velocity / np.linalg.norm(velocity)
    assert session.take(ahead + [0.0, 0.0, 20.0], DOWN, True, True)
    assert session.hold.frightens and "fright" in status(session)
    session.drag(ahead)
    nearest = mean_distance(session, ahead)
    for _ in range(8):
        run(session, 5)
        nearest = min(nearest, mean_distance(session, ahead))
    assert nearest > 2.2


def test_without_a_flock_the_mouse_beside_all_bodies_does_nothing(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    soft(ring(z=0.6), mass=1.0)
    session = LiveSession(scene)
    try:
        assert not session.take(np.array([50.0, 0.0, 30.0]), DOWN, True)
        assert session.hold is None and "flocks" not in status(session)
    finally:
        session.end()
