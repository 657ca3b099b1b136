"""Random actions on baked scenes: after each, the panel's statement about every body agrees with its frames.

`python -m pytest tests/blender/test_bake_random.py --histories 2000` is the long run. The sequences are deterministic.
"""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import bpy
import pytest
from bake_truths import Truth, frames_of, give_number, number, truths_now
from flotsam.addon.bake.errors import BakeError
from flotsam.addon.bake.job import BakeJob
from flotsam.addon.bake.on_disk import baked_range
from flotsam.addon.bake.owner import cache_problem
from flotsam.addon.capture import CaptureError
from flotsam.addon.capture.keys import has_keys
from flotsam.addon.names import BODY_KINDS
from flotsam.addon.write import baked_file
from flotsam.engine import EngineError
from make_rigid import add_box
from make_scene import cube, fresh_scene, ground, soft, world_positions

# Errors that may occur, with one sentence each; any other is a failure.
REFUSED = (BakeError, CaptureError, EngineError)
ACTIONS_IN_HISTORY = 12
FRAMES = 4


class Hands:
    """Performs actions of an artist in any order; each method is one action."""

    def __init__(self, rng: random.Random, blend: Path) -> None:
        self.rng, self.blend, self.made = rng, blend, 0
        # Inputs by file and digest of its frames. Several bakes may give the same frames.
        self.truths: dict[tuple[str, str], list[Truth]] = {}

    @property
    def scene(self) -> bpy.types.Scene:
        return bpy.context.scene

    def chosen(self, *kinds: str) -> bpy.types.Object | None:
        objects = [obj for obj in self.scene.objects if not kinds or obj.flotsam.kind in kinds]
        return self.rng.choice(sorted(objects, key=lambda obj: obj.name)) if objects else None

    def only(self, obj: bpy.types.Object) -> None:
        bpy.ops.object.select_all(action="DESELECT")
        obj.select_set(True)
        bpy.context.view_layer.objects.active = obj

    def place(self) -> list[float]:
        return [self.rng.uniform(-3.0, 3.0), self.rng.uniform(-3.0, 3.0), self.rng.uniform(0.5, 4.0)]

    def add(self) -> None:
        self.made += 1
        if self.rng.random() < 0.5:
            soft(cube(f"Soft{self.made}")).location = self.place()
        else:
            add_box(f"Box{self.made}", tuple(self.place())).flotsam.voxel_body.voxel_size = 0.1
        give_number(bpy.context.object)

    def delete(self) -> None:
        obj = self.chosen()
        if len(self.scene.objects) > 2:
            bpy.data.objects.remove(obj)

    def rename(self) -> None:
        obj, self.made = self.chosen(), self.made + 1
        obj.name = self.rng.choice([f"Renamed{self.made}", "Soft1", "Box2"])

    def copy(self) -> None:
        if len(self.scene.objects) < 7:
            self.scene.frame_set(self.rng.randint(1, FRAMES))
            self.only(self.chosen())
            bpy.ops.object.duplicate(linked=self.rng.random() < 0.5)
            give_number(bpy.context.object)
            bpy.context.object.location.x += 0.3

    def move(self) -> None:
        self.chosen().location = self.place()

    def change_setting(self) -> None:
        obj = self.chosen()
        if obj.flotsam.kind == "SPRING_GRAPH":
            obj.flotsam.spring_graph.stiffness = self.rng.choice([100.0, 500.0, 900.0])
        elif obj.flotsam.kind == "VOXEL_BODY":
            obj.flotsam.voxel_body.density = self.rng.choice([100.0, 500.0])
        else:
            obj.flotsam.collider.friction = self.rng.choice([0.1, 0.5])

    def change_scene(self) -> None:
        if self.rng.random() < 0.5:
            self.scene.flotsam.substeps = self.rng.choice([2, 3])
        else:
            self.scene.gravity.z = self.rng.choice([-9.81, -5.0])

    def edit(self) -> None:
        obj = self.chosen("SPRING_GRAPH", "COLLIDER")
        if obj is not None and obj.visible_get():
            self.only(obj)
            bpy.ops.object.mode_set(mode="EDIT")
            bpy.ops.mesh.select_all(action="SELECT")
            bpy.ops.transform.resize(value=(self.rng.uniform(0.9, 1.1),) * 3)
            bpy.ops.object.mode_set(mode="OBJECT")

    def key(self) -> None:
        obj = self.chosen("COLLIDER")
        if obj is not None:
            obj.location.z = self.rng.uniform(-0.5, 0.0)
            obj.keyframe_insert("location", frame=self.rng.choice([1, FRAMES]))

    def disable(self) -> None:
        obj = self.chosen()
        obj.hide_viewport = not obj.hide_viewport

    def look(self) -> None:
        self.scene.frame_set(self.rng.randint(0, FRAMES + 2))

    def bake(self, names: set[str] | None = None, resume: bool = False) -> None:
        objects = None if names is None else [self.scene.objects[name] for name in sorted(names)]
        last = self.scene.flotsam.frame_end
        stop = self.rng.randint(1, FRAMES) if self.rng.random() < 0.3 else 99
        try:
            truths_now(self.scene, names, last)
            job = BakeJob(self.scene, objects, resume=resume)
            with closing(job.run(patience=0.05)) as slices:
                for progress in slices:
                    if progress.done >= stop:
                        break
        except REFUSED:
            return
        if not job.files.begun:
            return
        last = job.files.index.last_frame
        wanted = truths_now(self.scene, names, last)
        for name, truth in wanted.items():
            file = job.files.writers[name].path
            self.truths.setdefault((str(file), frames_of(self.scene.objects[name], file)), []).append(truth)

    def bake_selected(self) -> None:
        bodies = [obj.name for obj in self.scene.objects if obj.flotsam.kind in BODY_KINDS and not obj.hide_viewport]
        if bodies:
            self.bake(set(self.rng.sample(sorted(bodies), self.rng.randint(1, len(bodies)))))

    def resume(self) -> None:
        if bpy.ops.flotsam.resume.poll():
            from flotsam.addon.bake.on_disk import stopped_bodies

            names = stopped_bodies(self.scene)
            if names <= set(self.scene.objects.keys()):
                self.bake(names, resume=True)

    def clear(self) -> None:
        obj = self.chosen()
        self.only(obj)
        if obj.select_get() and bpy.ops.flotsam.clear_cache.poll():
            bpy.ops.flotsam.clear_cache()

    def remove(self) -> None:
        obj = self.chosen()
        self.only(obj)
        if obj.select_get() and bpy.ops.flotsam.remove.poll():
            bpy.ops.flotsam.remove()

    def undo(self) -> None:
        if bpy.ops.ed.undo.poll():
            bpy.ops.ed.undo()

    def redo(self) -> None:
        if bpy.ops.ed.redo.poll():
            bpy.ops.ed.redo()

    def save(self) -> None:
        bpy.ops.wm.save_as_mainfile(filepath=str(self.blend))

    def load(self) -> None:
        bpy.ops.wm.open_mainfile(filepath=str(self.blend))


ACTIONS = (
    "add", "add", "delete", "rename", "copy", "copy", "move", "move", "change_setting", "change_scene", "edit", "key",
    "disable", "look", "bake", "bake", "bake", "bake_selected", "resume", "clear", "remove", "undo", "undo", "redo",
    "save", "load",
)
NOT_PUSHED = {"undo", "redo", "save", "load", "look"}


def disagreement(hands: Hands, obj: bpy.types.Object) -> str | None:
    """How the panel contradicts a body's frames, None when both agree."""
    scene = hands.scene
    frames, problem, file = baked_range(obj), cache_problem(obj, scene), baked_file(obj)
    others = [other for other in bpy.data.objects if other != obj and file is not None and baked_file(other) == file]
    if others:
        return f"it plays the file of {others[0].name}"
    if frames is None:
        if has_keys(obj) or (file is not None and problem is None):
            return "the panel says that it is not baked, and it plays frames"
        return None
    if file is None or not file.exists():
        return None if problem is not None or has_keys(obj) else "its file is missing and the panel does not say so"
    known = hands.truths.get((str(file), frames_of(obj, file)), [])
    if problem is not None:
        return None
    if not known:
        return "its frames are not those of any bake"
    try:
        fits = any(is_true_now(scene, obj.name, truth, frames[1]) for truth in known)
    except REFUSED:
        return "it cannot be baked as it is, and the panel says that its bake fits"
    if not fits:
        return "the panel says that its bake fits, and it was solved from something else"
    shown = world_positions(obj, frames[1])
    return None if frames[0] == frames[1] or shown != world_positions(obj, frames[0]) else "its frames do not move"


def is_true_now(scene: bpy.types.Scene, name: str, truth: Truth, last: int) -> bool:
    """Whether a bake of the same bodies up to frame `last` would have the same input."""
    names = {obj.name for obj in scene.objects if number(obj) in truth.bodies}
    return bool(names) and truths_now(scene, names, last).get(name) == truth


def history(seed: int, folder: Path) -> None:
    """One history of a scene; all bodies are checked after each action."""
    rng = random.Random(seed)
    folder.mkdir()
    scene = fresh_scene(folder, (1, FRAMES))
    scene.flotsam.substeps = 2
    bpy.context.preferences.edit.use_global_undo = True
    ground()
    hands = Hands(rng, folder / "scene.blend")
    hands.add()
    hands.add()
    bpy.ops.ed.undo_push(message="A scene")
    hands.save()
    done: list[str] = []
    for _ in range(ACTIONS_IN_HISTORY):
        action = rng.choice(ACTIONS)
        done.append(action)
        getattr(hands, action)()
        bpy.context.view_layer.update()
        if action not in NOT_PUSHED:
            bpy.ops.ed.undo_push(message=action)
        at = hands.scene.frame_current
        for obj in [found for found in hands.scene.objects if found.flotsam.kind in BODY_KINDS]:
            contradiction = disagreement(hands, obj)
            assert contradiction is None, f"history {seed}, {', '.join(done)}: {obj.name}: {contradiction}"
        hands.scene.frame_set(at)


@pytest.mark.slow
def test_what_the_panel_says_agrees_with_the_frames(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    for seed in range(request.config.getoption("--histories")):
        history(seed, tmp_path / f"history{seed}")


def test_the_look_finds_a_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check detects a panel that ignores a body's movement."""
    scene = fresh_scene(tmp_path, (1, FRAMES))
    hands: Any = Hands(random.Random(3), tmp_path / "scene.blend")
    give_number(soft(cube("Soft1")))
    hands.rng = random.Random(5)
    hands.bake()
    assert disagreement(hands, scene.objects["Soft1"]) is None
    scene.objects["Soft1"].location.x += 1.0
    assert disagreement(hands, scene.objects["Soft1"]) is None
    monkeypatch.setitem(globals(), "cache_problem", lambda *_arguments: None)
    assert "solved from something else" in disagreement(hands, scene.objects["Soft1"])
