"""Queries of Blender and Flotsam for the steps."""

from __future__ import annotations

from collections.abc import Generator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
from driver import OUT, Steps, area, in_view, region, until

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


class Texts:
    """Replaces a layout and records all texts that a panel draws."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def __getattr__(self, _name: str) -> Any:
        return self._draw

    def _draw(self, *arguments: Any, text: str = "", **_options: Any) -> Texts:
        self.found += [text, *(each for each in arguments[:1] if isinstance(each, str))]
        return self


def sidebar_texts() -> str:
    """All texts and buttons that Flotsam's tab in the sidebar draws."""
    panels = import_module(f"{MODULE}.addon.panels.view")
    live = import_module(f"{MODULE}.addon.panels.live")
    layout = Texts()
    with in_view():
        for panel in (panels.FLOTSAM_PT_view_body, live.FLOTSAM_PT_view_live, panels.FLOTSAM_PT_view_bake):
            panel.draw(SimpleNamespace(layout=layout), bpy.context)
    return " ".join(layout.found)


def new_file(name: str) -> Generator[float, None, bpy.types.Scene]:
    """Save an empty file with a range of twelve frames and show Flotsam's tab in the sidebar; returns its scene."""
    bpy.ops.wm.read_homefile(use_factory_startup=False, use_empty=True)
    yield 0.5
    bpy.ops.wm.save_as_mainfile(filepath=str(SAVED.with_name(f"{name}.blend")))
    bpy.context.scene.frame_end = 12
    area().spaces.active.show_region_ui = True
    area().spaces.active.region_3d.view_distance = 9.0
    yield 0.5
    region("UI").active_panel_category = "Flotsam"
    return bpy.context.scene


def choose(obj: bpy.types.Object) -> None:
    """Make an object the only selected and the active one."""
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
