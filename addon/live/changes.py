"""Detects changes of the captured scene during a live session: some microseconds per object, no mesh is read."""

from __future__ import annotations

from typing import Any

import bpy

from ...engine.spec import KINDS, WorldSpec, params_of, uses_mesh
from ..capture.keyed import keyed_fields
from ..capture.motion import is_keyed
from ..capture.outside import gravity_of, outside_signature
from ..names import SETTINGS, settings_field
from ..properties.pointers import pointed_at


def signature(scene: bpy.types.Scene) -> list[Any]:
    """Equal as long as the same objects take part with the same settings and vertex counts."""
    settings = getattr(scene, SETTINGS)
    gravity = None if is_keyed(scene) else gravity_of(scene)
    world = [_plain(getattr(settings, name)) for name in params_of(WorldSpec) if hasattr(settings, name)]
    found: list[Any] = [gravity, scene.render.fps, scene.render.fps_base, *world]
    found += outside_signature(scene)
    found += [_values(row) for row in settings.interactions]
    found += [[_values(row), len(row.links)] for row in settings.attachments]
    found += [_values(row) for row in settings.joints]
    found += [_object_values(obj) for obj in scene.objects if getattr(obj, SETTINGS).kind in KINDS]
    return found


def _object_values(obj: bpy.types.Object) -> list[Any]:
    """Values of an object. Its mode is included, because Edit Mode and painting may change the mesh or the pins."""
    settings = getattr(obj, SETTINGS)
    spec_class = KINDS[settings.kind]
    group, keyed = getattr(settings, settings_field(settings.kind)), keyed_fields(obj, spec_class)
    values = [_plain(getattr(group, name)) for name in params_of(spec_class) if name not in keyed]
    values += [(field, target.name_full) for field, target in pointed_at(group, settings.kind).items()]
    height = None if uses_mesh(spec_class, group) else obj.matrix_world.translation.z
    weights = None if is_keyed(obj) else _values(settings.effector_weights)
    size = len(obj.data.vertices) if obj.type == "MESH" else 0
    return [obj.name_full, settings.kind, obj.mode, size, height, obj.hide_viewport, values, keyed, weights]


def _values(group: bpy.types.PropertyGroup) -> list[Any]:
    """Every plain value of a group."""
    return [
        _plain(getattr(group, declared.identifier)) for declared in group.bl_rna.properties
        if declared.identifier != "rna_type" and declared.type != "COLLECTION"
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, bpy.types.ID):
        return value.name_full
    if isinstance(value, bpy.types.PropertyGroup):
        return tuple(_values(value))
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


