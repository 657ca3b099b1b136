"""Scene presets: from `presets/scenes/*.toml` to ordinary Blender objects with Flotsam settings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import bpy

    from .plan import Plan

__all__ = ["ScenePreset", "add_objects", "build_scene", "new_scene", "scene_plan", "scene_presets"]


@dataclass(frozen=True)
class ScenePreset:
    """A scene preset in the menu: its name in scripts, its label and its tooltip."""

    name: str
    label: str
    tip: str


@lru_cache(maxsize=1)
def scene_presets() -> dict[str, ScenePreset]:
    """All scene presets by name; the files are read once, so calls are cheap enough for drawing a menu.

    Raises:
        plan.SceneError: a preset file is broken.
    """
    from .plan import read_plan

    plans = {path.stem: read_plan(path) for path in sorted(_folder().glob("*.toml"))}
    return {name: ScenePreset(name, plan.label, plan.tip) for name, plan in plans.items()}


def scene_plan(name: str) -> Plan:
    """The plan of a preset.

    Raises:
        plan.SceneError: there is no such preset, or its file is broken.
    """
    from .plan import SceneError, read_plan

    path = _folder() / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(entry.stem for entry in _folder().glob("*.toml")))
        raise SceneError(f"There is no scene preset {name!r}; there are: {known}.")
    return read_plan(path)


def build_scene(name: str, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Build a preset in `scene`, in a new collection; returns the new objects.

    The preset sets the scene's camera, world, frame range and color management.

    Raises:
        plan.SceneError: there is no such preset, or it cannot be built.
    """
    from .build import build

    return build(scene_plan(name), scene)


def new_scene(name: str) -> bpy.types.Scene:
    """Build a preset in a new scene, named after the preset; existing scenes do not change.

    Raises:
        plan.SceneError: there is no such preset, or it cannot be built; the new scene has been removed.
    """
    import bpy

    from .plan import SceneError

    scene = bpy.data.scenes.new(scene_plan(name).label)
    try:
        build_scene(name, scene)
    except SceneError:
        bpy.data.scenes.remove(scene)
        raise
    return scene


def add_objects(name: str, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Add a preset's bodies, water and scenery to `scene` in a new collection; the scene's settings do not change.

    Raises:
        plan.SceneError: there is no such preset, or it cannot be built.
    """
    from .build import build_objects

    return build_objects(scene_plan(name), scene)[1]


def _folder() -> Path:
    return Path(__file__).resolve().parents[2] / "presets" / "scenes"
