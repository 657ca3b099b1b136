"""Recomputes from a fresh capture what a bake would be solved from: the slow twin of the panel's comparison."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import bpy
from flotsam.addon.bake.visit import visit
from flotsam.addon.capture import capture_controls, capture_world, local_matrices
from flotsam.addon.capture.controls import depsgraph_of
from flotsam.engine import cache


class Truth(NamedTuple):
    """Input of a body's bake, without its name, and the frames.

    Attributes:
        bodies: names, at the bake, of all bodies that were baked together; own: digest of its own system.
        systems: digests of all systems and of the world.
        trail: digest of all animation.
        frames: digest of the file.
    """

    bodies: frozenset[str]
    own: str
    systems: tuple[str, ...]
    trail: str
    frames: str


def truths_now(scene: bpy.types.Scene, names: set[str] | None, last: int) -> dict[str, Truth]:
    """Input of a bake of some bodies, None for all, up to a frame, by body name."""
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
    bodies = frozenset(body.name for body in captured.bodies)
    return {name: Truth(bodies, prints[name], everything, cache.fingerprint(moved), "") for name in bodies}
