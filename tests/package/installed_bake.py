"""Runs in a separate Python: install the zip in an empty user folder as Blender does, enable it, bake a torus.

Arguments: a folder with bpy and numpy but without numba, llvmlite, tqdm and Flotsam; the zip; a working folder. The
last line of output is JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])

import bpy  # noqa: E402

ZIP, FOLDER = sys.argv[2], Path(sys.argv[3])
MODULE = "bl_ext.user_default.flotsam"


def without_extension() -> list[str]:
    """Our packages that can be imported before the install; must be empty for a valid test."""
    from importlib.util import find_spec

    return [name for name in ("numba", "llvmlite", "tqdm", "flotsam") if find_spec(name) is not None]


def bake_torus() -> float:
    """A falling torus of 24 × 12 vertices; returns how far its lowest point fell [m]."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.mesh.primitive_torus_add(major_segments=24, minor_segments=12, location=(0.0, 0.0, 5.0))
    ring = bpy.context.object
    bpy.ops.flotsam.add(kind="SPRING_GRAPH")
    scene = bpy.context.scene
    scene.flotsam.frame_start, scene.flotsam.frame_end = 1, 5
    bpy.ops.wm.save_as_mainfile(filepath=str(FOLDER / "ring.blend"))
    if bpy.ops.flotsam.bake() != {"FINISHED"}:
        raise RuntimeError("the bake did not finish")
    heights = []
    for frame in (1, 5):
        scene.frame_set(frame)
        seen = ring.evaluated_get(bpy.context.evaluated_depsgraph_get())
        heights.append(min((seen.matrix_world @ vertex.co).z for vertex in seen.data.vertices))
    return heights[0] - heights[1]


def main() -> None:
    found = {"before": without_extension()}
    installed = bpy.ops.extensions.package_install_files(filepath=ZIP, repo="user_default", enable_on_install=True)
    found["installed"] = sorted(installed)
    found["enabled"] = MODULE in bpy.context.preferences.addons
    found["numba_when_enabled"] = "numba" in sys.modules
    found["fell"] = bake_torus()
    found["baked"] = [path.name for path in sorted(FOLDER.rglob("*.pc2"))]
    found["numba"] = sys.modules["numba"].__file__
    print(json.dumps(found))


main()
