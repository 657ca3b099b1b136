"""Compatibility of bakes by Flotsam 0.1: digests of settings as that version computed them."""

from __future__ import annotations

import hashlib
from typing import Any

import bpy

from ..capture.keys import has_keys
from ..capture.motion import is_keyed
from ..names import SETTINGS, settings_field

# Parameters of that version, in its order; for keyed bodies it left out those that can be keyed.
_PARAMS = {
    "SPRING_GRAPH": (
        "graph", "rings", "struts", "stiffness", "damping", "bending", "yield_strain", "creep",
        "max_plastic_strain", "break_strain", "mass", "mass_by", "pressure", "pressure_law",
        "segment_radius", "contact", "proxy_count", "thickness", "self_collision", "friction",
        "restitution", "air_drag", "velocity",
    ),
    "VOXEL_BODY": (
        "voxel_size", "fill", "inside", "density", "mass", "thickness", "friction", "restitution",
        "velocity", "angular_velocity",
    ),
}
_KEYABLE = {"pressure"}
_WORLD_PARAMS = (
    "substeps", "spring_steps", "solving_error", "integrator", "most_substeps", "precision",
)


def change_since_0_1(obj: bpy.types.Object, scene: bpy.types.Scene | None) -> str | None:
    """What has changed since Flotsam 0.1 baked a body; None if nothing that it recorded has changed."""
    baked = getattr(obj, SETTINGS).baked
    if getattr(obj, SETTINGS).kind not in _PARAMS or baked.settings not in ("", _settings_digest(obj)):
        return f"The settings of {obj.name} have changed since the bake; bake again."
    if scene is not None and baked.world not in ("", _world_digest(scene)):
        return "The settings of the scene have changed since the bake; bake again."
    return None


def _settings_digest(obj: bpy.types.Object) -> str:
    settings = getattr(obj, SETTINGS)
    group = getattr(settings, settings_field(settings.kind))
    # Ignore keyframes written by a bake.
    keyed = is_keyed(obj) and not has_keys(obj)
    names = [name for name in _PARAMS[settings.kind] if not (keyed and name in _KEYABLE)]
    return _digest([keyed, *(_plain(getattr(group, name)) for name in names)])


def _world_digest(scene: bpy.types.Scene) -> str:
    settings, keyed = getattr(scene, SETTINGS), is_keyed(scene)
    gravity = tuple(scene.gravity) if scene.use_gravity and not keyed else None
    frames = (settings.frame_start, scene.render.fps, scene.render.fps_base)
    return _digest([keyed, gravity, frames, *(_plain(getattr(settings, name)) for name in _WORLD_PARAMS)])


def _plain(value: Any) -> Any:
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


def _digest(values: list[Any]) -> str:
    return hashlib.blake2b(repr(values).encode(), digest_size=8).hexdigest()
