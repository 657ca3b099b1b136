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
# Time of a frame of Cloth on the machine on which the limits were set, which has two dedicated cores [s].
CLOTH_SECONDS = 0.0185
# Types of processors differ in their relative speeds for Cloth and this solver. Scaled by Cloth, the same code reached
# 24.0 frames a second on the machine on which the limit was set, 22.2 to 22.8 on idle ones 1.25 times as slow in Cloth.
OTHER_PROCESSOR = 0.9


def pace_on_reference(seconds: float, both: float, before: tuple[float, float], after: tuple[float, float]) -> float:
    """Frames a second on the machine on which the limit was set, from the time of a frame here [s]; prints it.

    Cloth uses one core. For the fraction of a frame in which this solver uses both cores, the time of Cloth beside a
    busy core counts, because two threads of one core that run at once are up to half as slow again.

    Args: both: that fraction; before, after: `cloth_seconds` before and after the frames.
    """
    alone, beside = ((one + other) / 2.0 for one, other in zip(before, after, strict=True))
    slower = max((alone + both * (beside - alone)) / CLOTH_SECONDS, 1.0)
    print(
        f"{1.0 / seconds:.1f} frames a second, both cores for {both:.2f} of the time, {slower:.2f} times as slow: "
        f"Cloth takes {1e3 * alone:.1f} ms, {1e3 * beside:.1f} beside a busy core"
    )
    return slower / seconds / (OTHER_PROCESSOR if slower > 1.0 / OTHER_PROCESSOR else 1.0)


def cloth_seconds() -> tuple[float, float]:
    """Time of a frame of Cloth alone and beside a busy core [s]."""
    torus, _floor = torus_and_floor()
    bpy.context.view_layer.update()
    alone = cloth_frame_time(torus)
    with busy_core():
        return alone, cloth_frame_time(torus)


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
    """Keep another core busy; if both are threads of one physical core, this slows each of them."""
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        other.kill()
        other.wait()
