"""Converts a spec's parameter to a Blender property: type by its default; label, tip and limits as declared."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

import bpy

from ...engine.spec import Param, params_of
from .touched import touch

# Units that Blender can convert and show; any other unit goes into the tooltip.
SUBTYPES = {"m": "DISTANCE"}
UNITS = {"m": "LENGTH", "kg": "MASS", "m/s": "VELOCITY"}
VECTOR_SUBTYPES = {"m": "TRANSLATION", "m/s": "VELOCITY"}

# Minimum for parameters that must be above zero.
LEAST_POSITIVE = 1e-6

COMMON = {"override": {"LIBRARY_OVERRIDABLE"}}
# Keywords for properties that a bake depends on: a write counts as a change.
TOUCHING = {**COMMON, "update": touch}


# Callback after a property was written; receives the property group and the context.
Update = Callable[[bpy.types.PropertyGroup, bpy.types.Context], None]


def settings_class(
    name: str, spec_class: type, doc: str, updates: Mapping[str, Update] | None = None,
    more: Mapping[str, Any] | None = None,
) -> type[bpy.types.PropertyGroup]:
    """A PropertyGroup with one property for each parameter of a spec, of the same name; `updates`: callbacks by field.

    Args: more: additional properties, by field.
    """
    annotations = {
        field: property_of(declared, (updates or {}).get(field)) for field, declared in params_of(spec_class).items()
    }
    annotations |= more or {}
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": annotations, "__doc__": doc})


def property_of(declared: Param, update: Update | None = None) -> Any:
    """The deferred Blender property of one parameter; `update` is called after a write."""
    # A parameter that the solver reads only once must not be animatable.
    keywords: dict[str, Any] = {
        "name": declared.label, "description": tip_of(declared), "update": _touching(update),
        "options": {"ANIMATABLE"} if declared.keyable else set(), **COMMON,
    }
    default = declared.when_given if declared.default is None else declared.default
    if declared.choices:
        return bpy.props.EnumProperty(items=declared.choices, default=default, **keywords)
    if isinstance(default, bool):
        return bpy.props.BoolProperty(default=default, **keywords)
    if isinstance(default, int):
        return bpy.props.IntProperty(default=default, **_range(declared), **keywords)
    if isinstance(default, tuple):
        keywords["subtype"] = VECTOR_SUBTYPES.get(declared.unit, "XYZ")
        return bpy.props.FloatVectorProperty(size=len(default), default=default, **_float_range(declared), **keywords)
    keywords["subtype"] = SUBTYPES.get(declared.unit, "NONE")
    return bpy.props.FloatProperty(
        default=default, unit=UNITS.get(declared.unit, "NONE"), **_float_range(declared), **keywords
    )


def _touching(update: Update | None) -> Update:
    """Callback for a written property: counts the change and calls `update`."""
    if update is None:
        return touch

    def touch_and_update(settings: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
        touch()
        update(settings, context)

    return touch_and_update


def tip_of(declared: Param) -> str:
    """The tooltip, with the unit if Blender does not show it in the field; labels have no space for it."""
    shown_by_blender = declared.unit in UNITS or not declared.unit
    return declared.tip if shown_by_blender else f"{declared.tip}; in {declared.unit}"


def _range(declared: Param) -> dict[str, Any]:
    """Hard and soft limits; without a limit, Blender's default applies."""
    names = ("min", "max", "soft_min", "soft_max")
    ends = zip(names, declared.limits + (declared.soft or declared.limits), strict=True)
    return {end: value for end, value in ends if value is not None}


def _float_range(declared: Param) -> dict[str, Any]:
    limits = _range(declared)
    if declared.positive:
        limits["min"] = max(limits.get("min", 0.0), LEAST_POSITIVE)
    if "min" in limits:
        limits["min"] = single_from(limits["min"], upwards=True)
    if "max" in limits:
        limits["max"] = single_from(limits["max"], upwards=False)
    return {**limits, "precision": declared.precision}


def single_from(limit: float, upwards: bool) -> float:
    """The nearest single-precision number within a limit.

    Blender stores singles: 1e-6 would come back as 9.99999997e-07, which the spec would refuse.
    """
    (nearest,) = struct.unpack("f", struct.pack("f", limit))
    if nearest == limit or (nearest > limit) == upwards:
        return nearest
    (bits,) = struct.unpack("i", struct.pack("f", nearest))
    # Of two singles with the same sign, the one with the larger bit pattern is further from zero.
    (inside,) = struct.unpack("f", struct.pack("i", bits + (1 if upwards == (nearest > 0.0) else -1)))
    return inside
