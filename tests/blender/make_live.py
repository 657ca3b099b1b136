"""A scene with a ring above the ground, and a live session that the test ticks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.live import state
from flotsam.addon.live.session import LiveSession
from make_scene import fresh_scene, ground, ring, soft

# Long enough for the first compile.
PATIENCE_SECONDS = 240.0


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[bpy.types.Scene]:
    """A ring half a metre above the ground, in a saved file."""
    scene = fresh_scene(tmp_path)
    soft(ring(z=0.6), mass=1.0, stiffness=2000.0, pressure=500.0)
    ground()
    yield scene
    if state.current() is not None:
        state.current().end()


def until(session: LiveSession, condition: Callable[[], bool]) -> None:
    """Tick like the window's timer until a condition holds."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < end, f"waited in vain: {session.message}"
        session.tick()
        time.sleep(0.002)


def run(session: LiveSession, frames: int) -> None:
    """Solve this many more frames."""
    goal = frames + (0 if session.frame is None else session.frame.number)
    until(session, lambda: session.frame is not None and session.frame.number >= goal)


def shown(name: str) -> np.ndarray:
    """Vertices in world space as the viewport shows them."""
    evaluated = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = np.array(evaluated.matrix_world)
    local = np.empty(len(evaluated.data.vertices) * 3, dtype=np.float32)
    evaluated.data.attributes["position"].data.foreach_get("vector", local)
    return local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def traces() -> list[str]:
    return [f"{obj.name}: {modifier.name}" for obj in bpy.data.objects for modifier in obj.modifiers]
