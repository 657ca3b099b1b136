"""What a bake of the scene will take: time, disk and memory, said before it begins.

Time is guessed from the last bake of this sitting, before the first one from a ring of 100,000 springs.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import bpy

from ..names import BODY_KINDS, SETTINGS
from ..properties.scene import bake_range
from .state import duration

# What a vertex takes: seconds in a substep, and memory of the solver, as the benchmarks have it.
_SOLVED_SECONDS, _SOLVED_BYTES = 1.2e-7, 850
# What a vertex of a soft body takes on disk in a frame [B]: its place, and each of the attributes that are kept.
_PLACE_BYTES, _ATTRIBUTE_BYTES = 12, {"VELOCITY": 12, "STRESS": 4}
# All bodies of a scene are looked at this seldom, for there may be hundreds.
_LOOK_SECONDS = 1.0

_seconds_each = _SOLVED_SECONDS
_looked: tuple[tuple[Any, ...], float, str | None] = ((), 0.0, None)


class Expense(NamedTuple):
    """What a bake will take.

    Attributes:
        seconds: once the solver is ready; disk, memory: [B].
    """

    seconds: float
    disk: int
    memory: int

    def sentence(self) -> str:
        """For a panel."""
        time_taken = duration(self.seconds) if self.seconds >= 1.0 else "a second"
        return f"About {time_taken}, {_size(self.disk)} on disk and {_size(self.memory)} of memory"


def learn(vertices: int, substeps: int, rate: float) -> None:
    """A bake of so many vertices has made `rate` frames a second."""
    global _seconds_each
    if vertices > 0 and rate > 0.0:
        _seconds_each = 1.0 / (rate * vertices * substeps)


def sentence(scene: bpy.types.Scene) -> str | None:
    """What a bake of all bodies will take, for a panel; None without any."""
    global _looked
    known, at, said = _looked
    settings, now = getattr(scene, SETTINGS), time.monotonic()
    frames, kept = bake_range(settings), frozenset(settings.attributes)
    asked = (scene.name, *frames, settings.substeps, _seconds_each, kept)
    if known != asked or now - at > _LOOK_SECONDS:
        found = expense(scene)
        said = None if found is None else found.sentence()
        _looked = (asked, now, said)
    return said


def expense(scene: bpy.types.Scene) -> Expense | None:
    """What a bake of all bodies will take, None without any."""
    soft, vertices = _vertices(scene)
    if vertices == 0:
        return None
    settings = getattr(scene, SETTINGS)
    start, end = bake_range(settings)
    frames = max(end - start + 1, 0)
    vertex_bytes = _PLACE_BYTES + sum(_ATTRIBUTE_BYTES[name] for name in settings.attributes)
    return Expense(
        _seconds_each * vertices * settings.substeps * frames, vertex_bytes * soft * frames, _SOLVED_BYTES * vertices
    )


def _vertices(scene: bpy.types.Scene) -> tuple[int, int]:
    """Vertices of soft bodies, whose frames are files, and of all bodies; as meshes have them before modifiers."""
    soft = every = 0
    for obj in scene.objects:
        kind = getattr(obj, SETTINGS).kind
        if kind in BODY_KINDS and obj.type == "MESH":
            every += len(obj.data.vertices)
            soft += len(obj.data.vertices) if kind == "SPRING_GRAPH" else 0
    return soft, every


def _size(count: int) -> str:
    """Bytes as people say them."""
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{count / size:.2g} {unit}" if count < 99 * size else f"{count / size:.0f} {unit}"
    return "less than 1 MB"
