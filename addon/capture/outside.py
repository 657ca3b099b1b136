"""External influences on bodies: force fields, air, gravity, effector weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy

from ...engine.spec import EffectorWeights
from ..names import SETTINGS
from ..properties.outside import field_objects
from .air import air_now, capture_air, capture_weights
from .fields import CapturedField, capture_fields, field_controls
from .motion import is_keyed


@dataclass(frozen=True, eq=False)
class CapturedOutside:
    """Data kept of external influences.

    Attributes:
        fields: force fields that move or change.
        names: name of the field's spec, by object name.
        air: name of the air, "" without any.
        scene_keyed: whether gravity or the air may change.
        weighted: names of bodies whose effector weights may change.
    """

    fields: tuple[CapturedField, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    air: str = ""
    scene_keyed: bool = False
    weighted: tuple[str, ...] = ()

    @property
    def needs_visits(self) -> bool:
        """Whether frames must be visited to capture these."""
        return bool(self.fields) or self.scene_keyed or bool(self.weighted)


def capture_outside(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, systems: Sequence[Any], warnings: list[str], by_hand: bool
) -> tuple[list[Any], dict[str, EffectorWeights], CapturedOutside]:
    """Specs of fields and air, effector weights of bodies, and the data to keep.

    Args:
        systems: specs of all participants; other arguments as in `fields.capture_fields`.

    Raises:
        CaptureError: the matrix or settings of a field are not finite.
    """
    bodies = [system for system in systems if system.traits.moves]
    taken = {system.name for system in systems}
    specs, moving, names = capture_fields(scene, depsgraph, bodies, taken, warnings, by_hand)
    objects = [scene.objects[body.name].evaluated_get(depsgraph) for body in bodies]
    weights = capture_weights(objects, names, warnings, scene)
    scene_keyed = is_keyed(scene)
    air = capture_air(scene.evaluated_get(depsgraph), specs, taken | set(names.values()), scene_keyed)
    weighted = tuple(body.name for body in bodies if is_keyed(scene.objects[body.name]) and (specs or weights))
    outside: list[Any] = [*specs, *([air] if air is not None else [])]
    return outside, weights, CapturedOutside(
        tuple(moving), names, "" if air is None else air.name, scene_keyed, weighted
    )


def outside_controls(
    captured: CapturedOutside, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
) -> tuple[dict[str, Any], dict[str, dict[str, float]]]:
    """Fields of `Controls`, and keyed values by name, at the current frame.

    Raises:
        CaptureError: a field's matrix or settings are not finite, or its mesh changes.
    """
    fields, values = field_controls(captured.fields, scene, depsgraph)
    controls: dict[str, Any] = {"fields": fields}
    if captured.scene_keyed:
        evaluated = scene.evaluated_get(depsgraph)
        controls["gravity"] = gravity_of(evaluated)
        if captured.air:
            controls["wind"], values[captured.air] = air_now(evaluated)
    if captured.weighted:
        objects = [scene.objects[name].evaluated_get(depsgraph) for name in captured.weighted]
        found = capture_weights(objects, captured.names, [], scene)
        controls["effector_weights"] = {name: found.get(name, EffectorWeights()) for name in captured.weighted}
    return controls, values


def gravity_of(scene: bpy.types.Scene) -> tuple[float, ...]:
    """Gravity of a scene, (3,) [m/s²]."""
    return tuple(scene.gravity) if scene.use_gravity else (0.0, 0.0, 0.0)


def outside_signature(scene: bpy.types.Scene) -> list[Any]:
    """Equal as long as the same fields act on the same bodies, with the same settings that cannot be animated."""
    settings = [_choices(obj) for obj in field_objects(scene)]
    air = getattr(scene, SETTINGS).air
    return [*settings, None if is_keyed(scene) else [_plain(value) for value in (
        air.wind, air.density, air.drag, air.lift, air.still_air,
    )]]


def _choices(obj: bpy.types.Object) -> list[Any]:
    field_settings = obj.field
    texture = field_settings.texture
    return [
        obj.name_full, obj.hide_viewport, field_settings.type, field_settings.shape, field_settings.falloff_type,
        field_settings.z_direction, field_settings.texture_mode, field_settings.use_absorption,
        "" if texture is None else texture.name_full, field_settings.wind_factor > 0.0,
    ]


def _plain(value: Any) -> Any:
    return tuple(value) if hasattr(value, "__len__") else value

