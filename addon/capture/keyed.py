"""Animated settings of an object, and their values at a frame."""

from __future__ import annotations

import bpy

from ...engine.spec import keyable_params
from ..names import SETTINGS, settings_field
from .key_digest import keyed_channels


def keyed_fields(obj: bpy.types.Object, spec_class: type) -> tuple[str, ...]:
    """Animated fields of an object's spec, in the order of the spec."""
    paths = {path for path, _component in keyed_channels(obj)}
    if not paths:
        return ()
    prefix = f"{SETTINGS}.{settings_field(spec_class.kind)}."
    return tuple(name for name in keyable_params(spec_class) if prefix + name in paths)


def keyed_values(
    obj: bpy.types.Object, fields: tuple[str, ...], depsgraph: bpy.types.Depsgraph
) -> dict[str, float | tuple[float, ...]]:
    """Values of settings of an evaluated object, by field."""
    settings = getattr(obj.evaluated_get(depsgraph), SETTINGS)
    group = getattr(settings, settings_field(settings.kind))
    found = {name: getattr(group, name) for name in fields}
    return {name: tuple(value) if hasattr(value, "__len__") else float(value) for name, value in found.items()}
