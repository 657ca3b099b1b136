"""External influences: effector weights of a body, and the air of the scene."""

from __future__ import annotations

import bpy
from bpy.props import PointerProperty

from ...engine.spec import AirSpec, EffectorWeights
from .from_spec import COMMON, settings_class

FlotsamEffectorWeights = settings_class(
    "FlotsamEffectorWeights", EffectorWeights, "How much of each field, and of gravity, a body takes"
)
FlotsamEffectorWeights.__annotations__["collection"] = PointerProperty(
    name="Effector Collection", description="Only fields in this collection act on the body; empty for all",
    type=bpy.types.Collection, **COMMON,
)
FlotsamAir = settings_class("FlotsamAir", AirSpec, "The air of a scene")

# Fields that Blender uses for hair, boids and smoke.
UNUSED = {"GUIDE": "Curve Guide", "BOID": "Boid", "FLUID_FLOW": "Fluid Flow"}


def has_field(obj: bpy.types.Object) -> bool:
    """Whether an object has a field."""
    return obj.field is not None and obj.field.type != "NONE"


def field_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Objects of a scene with a field, sorted by name."""
    return sorted((obj for obj in scene.objects if has_field(obj)), key=lambda obj: obj.name_full)


def unused_sentence(obj: bpy.types.Object) -> str | None:
    """Why Flotsam does not use the field of an object; None if it does."""
    kind = UNUSED.get(obj.field.type)
    return None if kind is None else f"{obj.name} is a {kind} field, which Flotsam does not use."


CLASSES = (FlotsamEffectorWeights, FlotsamAir)
