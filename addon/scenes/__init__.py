"""Scene presets: from `presets/scenes/*.toml` to ordinary Blender objects with Flotsam settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import bpy

    from .plan import Plan

__all__ = ["ScenePreset", "build_scene", "scene_plan", "scene_presets"]


@dataclass(frozen=True)
class ScenePreset:
    """How a scene preset is shown: its name for scripts, its label and its tip for people."""

    name: str
    label: str
    tip: str


def scene_presets() -> dict[str, ScenePreset]:
    """All scene presets by name.

    Raises:
        plan.SceneError: a preset file is broken.
    """
    from .plan import read_plan

    plans = {path.stem: read_plan(path) for path in sorted(_folder().glob("*.toml"))}
    return {name: ScenePreset(name, plan.label, plan.tip) for name, plan in plans.items()}


def scene_plan(name: str) -> Plan:
    """The plan behind a preset.

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
    """Build a preset in `scene`, in a collection of its own; returns the objects made.

    The scene's camera, world, frame range and look of the picture become the preset's.

    Raises:
        plan.SceneError: there is no such preset, or it cannot be built.
    """
    from .build import build

    return build(scene_plan(name), scene)


def _folder() -> Path:
    return Path(__file__).resolve().parents[2] / "presets" / "scenes"
