"""Capture of objects, by kind. A kind without a line here is captured by `plain`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import bpy

from ....engine.spec import ColliderSpec, FlockSpec, FluidSpec, SpringGraphSpec, VoxelBodySpec, WaterSpec
from ...names import SETTINGS
from ..keyed import keyed_fields
from . import collider, flock, fluid, plain, rigid, soft, water
from .base import Capturing, Taken, settings_of

_CAPTURES: dict[str, Callable[[bpy.types.Object, Capturing], Taken]] = {
    SpringGraphSpec.kind: soft.capture,
    VoxelBodySpec.kind: rigid.capture,
    ColliderSpec.kind: collider.capture,
    WaterSpec.kind: water.capture,
    FluidSpec.kind: fluid.capture,
    FlockSpec.kind: flock.capture,
}


def capture_object(obj: bpy.types.Object, scene: Capturing) -> Taken:
    """Capture an object by its kind, with its animated fields; raises CaptureError."""
    taken = _CAPTURES.get(getattr(obj, SETTINGS).kind, plain.capture)(obj, scene)
    fields = keyed_fields(obj, type(taken.spec))
    if fields and hasattr(taken.spec, "keyed"):
        taken = taken._replace(spec=replace(taken.spec, keyed=fields))
    return taken._replace(keyed=fields)


__all__ = ["Capturing", "Taken", "capture_object", "settings_of"]
