"""Water, level with an object's origin."""

from __future__ import annotations

import bpy

from ....engine.spec import WaterSpec
from ...names import SETTINGS
from ..motion import is_moved
from ..sentence import Sentence
from .base import Capturing, Taken, settings_of


def capture(obj: bpy.types.Object, scene: Capturing) -> Taken:
    """Capture water, level with the object's origin.

    Raises:
        CaptureError: one sentence naming the object and the way out.
    """
    if is_moved(obj):
        scene.warnings.append(
            Sentence(f"{obj.name} is animated, but water stays at its level of the first frame.", obj.name_full)
        )
    settings = settings_of(getattr(obj, SETTINGS).water, WaterSpec)
    height = float(obj.evaluated_get(scene.depsgraph).matrix_world.translation.z)
    return Taken(WaterSpec(obj.name_full, height, **settings))
