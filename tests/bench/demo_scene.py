"""The demo scene: frames per second of the solver alone, without Blender's part of the bake."""

from __future__ import annotations

import time

import bpy
from flotsam.addon.capture import capture_controls, capture_world
from flotsam.addon.capture.controls import depsgraph_of
from flotsam.addon.scenes import build_scene
from flotsam.engine import build_world, step_frame

from .measure import Ledger
from .options import Options

PRESET = "rubber_dinghy_rapids"
# Frames in a run: enough for rings to collide with each other and with the rocks.
FRAMES = 96


def run(ledger: Ledger, options: Options) -> None:
    """Build the scene, capture it, and time its steps."""
    frames, rounds = (12, 1) if options.quick else (FRAMES, 5)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    build_scene(PRESET, scene)
    start = scene.flotsam.frame_start
    scene.frame_set(start)
    captured = capture_world(scene, depsgraph_of(scene), None)
    controls = [capture_controls(captured, scene, start + 1 + frame) for frame in range(frames)]
    rates = []
    for number in range(rounds):
        options.tell(f"the demo scene, {number + 1} of {rounds}")
        world = build_world(captured.spec)
        started = time.perf_counter()
        for control in controls:
            step_frame(world, control)
        rates.append(frames / (time.perf_counter() - started))
    ledger.add("demo", f"Demo scene {PRESET}, first {frames} frames, {captured.spec.substeps} substeps", "frames/s",
               rates)
