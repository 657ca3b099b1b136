"""Random actions: operators, undo, loads, deletions and Live in any order; no crash, no hang, no lost mesh.

`python -m pytest tests/blender/test_live_random.py --sequences 1000` is the long run. The sequences are deterministic.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.errors import BakeError
from flotsam.addon.capture import CaptureError
from flotsam.addon.live import state
from flotsam.addon.live.errors import LiveError
from flotsam.addon.live.session import LiveSession
from flotsam.engine import EngineError
from make_live import traces
from make_scene import cube, fresh_scene, ground, ring, soft

# Errors that may occur, with one sentence each; any other is a failure.
REFUSED = (BakeError, CaptureError, EngineError, LiveError)
ACTIONS_IN_SEQUENCE = 25
PUSHED = ("add", "delete", "rename", "change_kind", "change_setting", "move", "edit", "bake", "clear")


class Hands:
    """Performs actions of an artist in any order; each method is one action."""

    def __init__(self, rng: random.Random, blend: Path) -> None:
        self.rng, self.blend, self.made = rng, blend, 0

    def chosen(self) -> bpy.types.Object | None:
        objects = sorted(bpy.context.scene.objects, key=lambda obj: obj.name)
        return self.rng.choice(objects) if objects else None

    def start(self) -> None:
        LiveSession(bpy.context.scene)

    def stop(self) -> None:
        if state.current() is not None:
            state.current().end()

    def let_run(self) -> None:
        session, end = state.current(), time.monotonic() + 0.05
        while session is not None and state.current() is session and time.monotonic() < end:
            try:
                session.tick()
            except REFUSED:
                session.end()
            time.sleep(0.005)

    def control(self) -> None:
        if state.current() is not None:
            action = self.rng.choice(["PLAY", "PAUSE", "STEP", "RESET", "KEEP", "RECORD"])
            try:
                bpy.ops.flotsam.live_control(action=action)
            except RuntimeError as refused:
                # An operator's error report, as scripts receive it.
                assert str(refused).startswith("Error: "), refused

    def grab(self) -> None:
        session = state.current()
        if session is not None:
            x, y = self.rng.uniform(-1.0, 1.0), self.rng.uniform(-1.0, 1.0)
            session.take(np.array([x, y, 5.0]), np.array([0.0, 0.0, -1.0]), False)
            session.drag(np.array([y, x, 2.0]))

    def add(self) -> None:
        self.made += 1
        soft((cube if self.rng.random() < 0.5 else ring)(f"Body{self.made}", z=self.rng.uniform(0.5, 3.0)))

    def delete(self) -> None:
        obj = self.chosen()
        if obj is not None and len(bpy.context.scene.objects) > 2:
            bpy.data.objects.remove(obj)

    def rename(self) -> None:
        obj = self.chosen()
        if obj is not None:
            self.made += 1
            obj.name = f"Renamed{self.made}"

    def change_kind(self) -> None:
        obj = self.chosen()
        if obj is not None:
            obj.flotsam.kind = self.rng.choice(["NONE", "SPRING_GRAPH", "COLLIDER"])

    def change_setting(self) -> None:
        obj = self.chosen()
        if obj is not None:
            obj.flotsam.spring_graph.stiffness = 10.0 ** self.rng.uniform(0.0, 6.0)
            obj.flotsam.spring_graph.pressure = self.rng.choice([0.0, 100.0])

    def move(self) -> None:
        obj = self.chosen()
        if obj is not None:
            obj.location = [self.rng.uniform(-2.0, 2.0) for _ in range(3)]

    def edit(self) -> None:
        obj = self.chosen()
        if obj is not None:
            bpy.context.view_layer.objects.active = obj
            bpy.ops.object.mode_set(mode="EDIT")
            self.let_run()
            bpy.ops.object.mode_set(mode="OBJECT")

    def undo(self) -> None:
        if bpy.ops.ed.undo.poll():
            bpy.ops.ed.undo()

    def redo(self) -> None:
        if bpy.ops.ed.redo.poll():
            bpy.ops.ed.redo()

    def save(self) -> None:
        bpy.ops.wm.save_as_mainfile(filepath=str(self.blend))

    def load(self) -> None:
        if self.blend.exists():
            bpy.ops.wm.open_mainfile(filepath=str(self.blend))

    def bake(self) -> None:
        if bpy.ops.flotsam.bake.poll():
            bpy.context.scene.flotsam.frame_start, bpy.context.scene.flotsam.frame_end = 1, 3
            try:
                bpy.ops.flotsam.bake()
            except RuntimeError as refused:
                assert str(refused).startswith("Error: "), refused

    def clear(self) -> None:
        obj = self.chosen()
        if obj is not None:
            bpy.context.view_layer.objects.active = obj
            if bpy.ops.flotsam.clear_cache.poll():
                bpy.ops.flotsam.clear_cache()

    def actions(self) -> list[Callable[[], None]]:
        """All actions; those that keep a session running occur more often."""
        often = [self.start, self.let_run, self.let_run, self.control, self.grab, self.undo, self.stop]
        return often + [
            self.add, self.delete, self.rename, self.change_kind, self.change_setting, self.move, self.edit,
            self.redo, self.save, self.load, self.bake, self.clear,
        ]


def check_scene(done: list[str]) -> None:
    """No trace of an ended session is in the scene, every object has a complete mesh, no running flag is set."""
    if state.current() is None:
        assert not [trace for trace in traces() if "Live" in trace], done
    for obj in bpy.context.scene.objects:
        assert obj.type == "MESH" and len(obj.data.vertices) >= 4, done
        places = np.empty(len(obj.data.vertices) * 3, dtype=np.float32)
        obj.data.vertices.foreach_get("co", places)
        assert np.isfinite(places).all(), done


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    metafunc.parametrize("seed", range(metafunc.config.getoption("--sequences")))


@pytest.mark.slow
def test_a_sequence_of_random_actions(seed: int, tmp_path: Path) -> None:
    """25 actions; refusals have a sentence and change nothing else. `--sequences` sets the number of sequences."""
    fresh_scene(tmp_path, frames=(1, 3))
    bpy.context.preferences.edit.use_global_undo = True
    ground()
    soft(ring(z=0.6), mass=1.0, stiffness=2000.0, pressure=100.0)
    hands = Hands(random.Random(seed), tmp_path / "random.blend")
    bpy.ops.ed.undo_push(message="Start")
    done: list[str] = []
    try:
        for _ in range(ACTIONS_IN_SEQUENCE):
            action = hands.rng.choice(hands.actions())
            done.append(action.__name__)
            try:
                action()
            except REFUSED as refused:
                done.append(str(refused))
            if action.__name__ in PUSHED:
                # As operators of the interface do; Blender itself crashes on changes without an undo step.
                bpy.ops.ed.undo_push(message=action.__name__)
            check_scene(done)
    finally:
        hands.stop()
    check_scene(done)
