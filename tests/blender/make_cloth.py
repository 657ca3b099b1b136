"""Blender's Cloth with pressure on a torus of 2,048 vertices: the reference for speed."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import bpy

FRAMES = 20


def torus_and_floor() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A 64 x 32 torus above a floor that Cloth collides with, in an empty file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_plane_add(size=20.0)
    floor = bpy.context.object
    floor.modifiers.new("Collision", "COLLISION")
    bpy.ops.mesh.primitive_torus_add(
        major_segments=64, minor_segments=32, major_radius=1.0, minor_radius=0.3, location=(0.0, 0.0, 0.5)
    )
    return bpy.context.object, floor


def cloth_frame_time(torus: bpy.types.Object) -> float:
    """Median time of a frame of Cloth with pressure at quality 5 [s]."""
    modifier = torus.modifiers.new("Cloth", "CLOTH")
    modifier.settings.quality = 5
    modifier.settings.use_pressure = True
    modifier.settings.uniform_pressure_force = 5.0
    scene = bpy.context.scene
    scene.frame_set(1)
    times = []
    for frame in range(2, 2 + FRAMES):
        started = time.perf_counter()
        scene.frame_set(frame)
        times.append(time.perf_counter() - started)
    torus.modifiers.remove(modifier)
    return statistics.median(times)


@contextmanager
def busy_core() -> Iterator[None]:
    """Keep another core busy: where two processors are threads of one core, each is slower then."""
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        other.kill()
        other.wait()
