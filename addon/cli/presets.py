"""`presets`: lists the presets, one per line."""

from __future__ import annotations

from ..presets import material_presets, preset_problems
from ..scenes import scene_presets


def run() -> None:
    """Print scenes, then materials."""
    for heading, presets in (("Scenes", scene_presets()), ("Materials", material_presets())):
        print(heading)
        width = max(map(len, presets), default=0)
        for name, preset in presets.items():
            print(f"  {name:{width}}  {preset.tip}")
    for sentence in preset_problems():
        print(f"Note: {sentence}")
