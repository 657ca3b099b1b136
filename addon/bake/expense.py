"""Estimates time, disk space and memory of a bake before it starts.

Time is extrapolated from solved frames of this scene, in this session or in the bake on disk. Without these there is no
estimate: time depends far more on springs and contacts than on the number of vertices.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import bpy

from ...engine.spec import KINDS, FluidSpec
from ..capture import Captured
from ..capture.controls import depsgraph_of
from ..capture.kinds.fluid import PARTICLE_VERTICES, foam_of, particles_of
from ..capture.stack import modifiers_from
from ..names import BODY_KINDS, SETTINGS
from ..properties.scene import bake_range
from .on_disk import index_of, points_on_disk
from .state import duration

# Memory of the solver per vertex, measured by the benchmarks [B].
_SOLVED_BYTES = 850
# Disk space per vertex of a soft body and frame [B]: its position, and each stored attribute.
_POSITION_BYTES, _ATTRIBUTE_BYTES = 12, {"VELOCITY": 12, "STRESS": 4}
# Disk space per particle of a fluid and frame [B].
_PARTICLE_BYTES = 48
# Interval between scans of all bodies of a scene, of which there may be hundreds [s].
_SCAN_SECONDS = 1.0

# Time per vertex and substep [s], by scene.
_vertex_seconds: dict[str, float] = {}
_cached: tuple[tuple[Any, ...], float, str | None] = ((), 0.0, None)


class Expense(NamedTuple):
    """Estimated cost of a bake.

    Attributes:
        seconds: from when the solver is ready; None until a frame of this scene was solved.
        disk, memory: [B].
    """

    seconds: float | None
    disk: int
    memory: int

    def sentence(self) -> str:
        """The text for a panel."""
        space = f"{_size(self.disk)} on disk and {_size(self.memory)} of memory"
        if self.seconds is None:
            return f"About {space}; how long it takes shows after a few frames"
        time_taken = duration(self.seconds) if self.seconds >= 1.0 else "a second"
        return f"About {time_taken}, {space}"


def note_rate(scene: str, captured: Captured, rate: float) -> None:
    """Record the speed of a bake: scene name, what was baked, and `rate` in frames a second."""
    vertices = sum(body.vertices for body in captured.bodies)
    if vertices > 0 and rate > 0.0:
        _vertex_seconds[scene] = 1.0 / (rate * vertices * captured.spec.substeps)


def forget_all() -> None:
    """Discard all measurements when another file is opened."""
    _vertex_seconds.clear()


def sentence(scene: bpy.types.Scene) -> str | None:
    """Estimated cost of a bake of all bodies, for a panel; None without any."""
    global _cached
    cached_key, at, text = _cached
    settings, now = getattr(scene, SETTINGS), time.monotonic()
    frames, kept = bake_range(settings), frozenset(settings.attributes)
    key = (scene.name, *frames, settings.substeps, _vertex_seconds.get(scene.name), kept)
    if cached_key != key or now - at > _SCAN_SECONDS:
        found = expense(scene)
        text = None if found is None else found.sentence()
        _cached = (key, now, text)
    return text


def expense(scene: bpy.types.Scene) -> Expense | None:
    """Estimated cost of a bake of all bodies, None without any."""
    settings = getattr(scene, SETTINGS)
    vertex_bytes = _POSITION_BYTES + sum(_ATTRIBUTE_BYTES[name] for name in settings.attributes)
    on_disk, vertices = _vertices(scene, vertex_bytes)
    if vertices == 0:
        return None
    start, end = bake_range(settings)
    frames = max(end - start + 1, 0)
    frame_seconds = _frame_seconds(scene, vertices, settings.substeps)
    seconds = None if frame_seconds is None else frame_seconds * frames
    return Expense(seconds, on_disk * frames, _SOLVED_BYTES * vertices)


def _frame_seconds(scene: bpy.types.Scene, vertices: int, substeps: int) -> float | None:
    """Time to solve a frame of so many vertices [s]; None if nothing was measured."""
    if scene.name in _vertex_seconds:
        return _vertex_seconds[scene.name] * vertices * substeps
    index = index_of(scene)
    if index is None or index.seconds <= 0.0:
        return None
    solved = sum(max(entry.points, entry.mesh_points) for entry in index.bodies.values())
    return index.seconds * vertices / max(solved, 1)


def _vertices(scene: bpy.types.Scene, vertex_bytes: int) -> tuple[int, int]:
    """Bytes of a frame on disk, and number of solved vertices; both count modifiers before Flotsam's in the stack."""
    on_disk = solved = 0
    depsgraph = depsgraph_of(scene)
    for obj in scene.objects:
        kind = getattr(obj, SETTINGS).kind
        if kind in BODY_KINDS and obj.type == "MESH":
            if kind == FluidSpec.kind:
                particles = particles_of(obj)
                solved += PARTICLE_VERTICES * particles
                on_disk += _PARTICLE_BYTES * (particles + foam_of(obj))
                continue
            count = _solved_points(obj, depsgraph)
            solved += count
            on_disk += vertex_bytes * count if KINDS[kind].output in ("MESH", "POINTS") else 0
    return on_disk, solved


def _solved_points(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> int:
    """Number of solved vertices; excludes those that modifiers after Flotsam's add, if a bake on disk tells it."""
    if any(modifier.show_viewport and modifier.type != "MESH_CACHE" for modifier in modifiers_from(obj)):
        known = points_on_disk(obj)
        if known:
            return known
    evaluated = obj.evaluated_get(depsgraph)
    return len(evaluated.data.vertices) if evaluated.type == "MESH" else len(obj.data.vertices)


def _size(count: int) -> str:
    """A number of bytes in readable units."""
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{count / size:.2g} {unit}" if count < 99 * size else f"{count / size:.0f} {unit}"
    return "less than 1 MB"
