"""Recomputes the input of a bake from a fresh capture: the slow counterpart of the panel's comparison."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np
from flotsam.addon.bake.visit import visit
from flotsam.addon.capture import capture_controls, capture_world, local_matrices
from flotsam.addon.capture.controls import depsgraph_of
from flotsam.addon.capture.keys import has_keys
from flotsam.engine import cache
from make_rigid import curves_of


class Truth(NamedTuple):
    """Input of a body's bake, without its name, and the frames.

    Attributes:
        bodies: numbers, see `number`, of all bodies that were baked together; own: digest of its own system.
        systems: digests of all systems and of the world.
        trail: digest of all animation.
    """

    bodies: frozenset[int]
    own: str
    systems: tuple[str, ...]
    trail: str


def number(obj: bpy.types.Object) -> int:
    """A number that an object keeps when it is renamed, saved and loaded; `give_number` gives it another one."""
    return obj.get("number", 0)


def give_number(obj: bpy.types.Object) -> None:
    """Give a new object, or a copy, a number that no other object of the file has."""
    obj["number"] = 1 + max(map(number, bpy.data.objects))


def frames_of(obj: bpy.types.Object, file: Path) -> str:
    """Digest of the frames that an object plays: its keyframes, or its file."""
    digest = hashlib.sha256()
    if not has_keys(obj):
        digest.update(file.read_bytes())
        return digest.hexdigest()
    for curve in curves_of(obj):
        points = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get("co", points)
        digest.update(f"{curve.data_path} {curve.array_index}".encode() + points.tobytes())
    return digest.hexdigest()


def truths_now(scene: bpy.types.Scene, names: set[str] | None, last: int) -> dict[str, Truth]:
    """Input of a bake up to frame `last`, by body name; `names`: of the baked bodies, None for all."""
    objects = None if names is None else [obj for obj in scene.objects if obj.name in names]
    with visit(scene, list(scene.objects)):
        scene.frame_set(scene.flotsam.frame_start)
        captured = capture_world(scene, depsgraph_of(scene), objects)
        systems = captured.spec.systems
        prints = {system.name: cache.fingerprint(dataclasses.replace(system, name="")) for system in systems}
        bare = dataclasses.replace(captured.spec, systems=(), interactions=())
        moved = []
        for frame in range(scene.flotsam.frame_start + 1, last + 1):
            controls = capture_controls(captured, scene, frame)
            parts = [*controls.colliders.items(), *controls.pins.items(), *local_matrices(captured, scene).items()]
            moved.append(sorted(cache.fingerprint(value) for _name, value in parts))
    everything = (cache.fingerprint(bare), *sorted(prints.values()))
    names = [body.name for body in captured.bodies]
    bodies = frozenset(number(scene.objects[name]) for name in names)
    return {name: Truth(bodies, prints[name], everything, cache.fingerprint(moved)) for name in names}
