"""Queries of Blender and Flotsam for the steps."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import bpy
import numpy as np
from driver import OUT, Steps, in_view, until

MODULE = "bl_ext.user_default.flotsam"
SAVED = OUT / "user" / "sitting.blend"


def bodies() -> list[bpy.types.Object]:
    """Soft bodies of the scene."""
    return [obj for obj in bpy.context.scene.objects if obj.flotsam.kind == "SPRING_GRAPH"]


def session() -> Any:
    """The running live session, None when there is none."""
    return import_module(f"{MODULE}.addon.live.state").current()


def job() -> Any:
    """The running bake as panels see it, None when there is none."""
    return import_module(f"{MODULE}.addon.bake.state").current()


def traces() -> list[str]:
    """Names of objects with a modifier of a live session."""
    return [obj.name for obj in bpy.data.objects if "Flotsam Live" in obj.modifiers]


def shown(name: str = "Ring") -> np.ndarray:
    """Vertices (n, 3) in world space as the viewport shows them."""
    evaluated = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = np.array(evaluated.matrix_world)
    local = np.empty(len(evaluated.data.vertices) * 3, dtype=np.float32)
    evaluated.data.attributes["position"].data.foreach_get("vector", local)
    return local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def begin_live() -> Steps:
    """Start Live with the button, and wait for its tenth frame."""
    with in_view():
        assert bpy.ops.flotsam.live("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from until(lambda: session().recorded >= 10, "ten frames of Live")
