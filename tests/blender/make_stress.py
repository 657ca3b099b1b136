"""Plates with known stress, and rendering of a bake in a Blender without the add-on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpy
from make_scene import mesh_object, pin, soft

# Runs without the add-on; the last line of output is JSON.
_HEAD = """
import json, sys
import bpy
import numpy as np
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
assert not hasattr(bpy.types.Object, "flotsam") and "flotsam" not in sys.modules
def told(obj, name):
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    # Whoever lets go of the geometry loses what is in it.
    geometry = evaluated.evaluated_geometry() if POINTS else None
    data = geometry.pointcloud if POINTS else evaluated.data
    found = data.attributes.get(name)
    if found is None:
        return None
    field, width = {"FLOAT_VECTOR": ("vector", 3), "FLOAT": ("value", 1), "INT": ("value", 1)}[found.data_type]
    flat = np.empty(len(found.data) * width, np.int32 if found.data_type == "INT" else np.float32)
    found.data.foreach_get(field, flat)
    return flat.reshape(-1, 3).tolist() if width == 3 else flat.tolist()
"""


def plate(name: str, x: float, scale: float) -> bpy.types.Object:
    """A level plate of 25 pinned vertices, scaled from 1 at frame 1 to `scale` at frame 5.

    Its stress at frame 5 is scale - 1.
    """
    step = 0.25
    vertices = [((i - 2) * step, (j - 2) * step, 0.0) for j in range(5) for i in range(5)]
    faces = [(5 * j + i, 5 * j + i + 1, 5 * j + i + 6, 5 * j + i + 5) for j in range(4) for i in range(4)]
    obj = soft(mesh_object(name, vertices, faces))
    pin(obj, range(25))
    obj.location.x = x
    for frame, size in ((1, 1.0), (5, scale)):
        obj.scale = (size, size, size)
        obj.keyframe_insert("scale", frame=frame)
    for curve in _curves(obj):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    return obj


def _curves(obj: bpy.types.Object) -> list[bpy.types.FCurve]:
    animation = obj.animation_data
    bags = [strip.channelbag(animation.action_slot) for strip in animation.action.layers[0].strips]
    return [curve for bag in bags for curve in bag.fcurves]


def in_bare_blender(blend: Path, body: str, points: bool = False) -> Any:
    """The value of `result` after running statements in a .blend opened in a Blender without Flotsam."""
    code = f"POINTS = {points}\n{_HEAD}\n{body}\nprint('RESULT', json.dumps(result))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(blend)], capture_output=True, text=True, timeout=300, cwd=blend.parent,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert done.returncode == 0 and lines, done.stdout + done.stderr
    return json.loads(lines[-1].removeprefix("RESULT "))
