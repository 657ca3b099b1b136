"""The air of the scene, and the effector weights of each body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ...engine.spec import AirSpec, EffectorWeights, ForceFieldSpec, params_of
from ..names import SETTINGS
from ..properties.outside import has_field

_WEIGHTS = params_of(EffectorWeights)


def capture_air(
    scene: bpy.types.Scene, fields: Sequence[ForceFieldSpec], taken: set[str], may_blow: bool
) -> AirSpec | None:
    """The scene's air; None if there is no wind, nor still air, now or later.

    Args:
        fields: of the scene; taken: names already in use; may_blow: whether animation may add wind later.
    """
    settings = getattr(scene, SETTINGS).air
    values = {name: _plain(getattr(settings, name)) for name in params_of(AirSpec)}
    blows = any(values["wind"]) or any(field.wind_factor > 0.0 for field in fields)
    if not (blows or values["still_air"] or may_blow):
        return None
    return AirSpec(free_name("Air", taken), **values)


def air_now(scene: bpy.types.Scene) -> tuple[tuple[float, ...], dict[str, float]]:
    """The wind [m/s] and the other keyable values of the air at the current frame."""
    settings = getattr(scene, SETTINGS).air
    keyable = [name for name, declared in params_of(AirSpec).items() if declared.keyable and name != "wind"]
    return tuple(settings.wind), {name: float(getattr(settings, name)) for name in keyable}


def capture_weights(
    objects: Sequence[bpy.types.Object], names: dict[str, str], warnings: list[str], scene: bpy.types.Scene
) -> dict[str, EffectorWeights]:
    """Effector weights by body name, without bodies that have default weights and no effector collection.

    Args:
        objects: of the bodies, evaluated; names: field name by object name.
        warnings: receives a sentence for each field of an effector collection that is not in the scene.
    """
    found = {}
    for obj in objects:
        settings = getattr(obj, SETTINGS).effector_weights
        fields = None
        if settings.collection is not None:
            members = [other for other in settings.collection.all_objects if has_field(other)]
            fields = tuple(names[other.name_full] for other in members if other.name_full in names)
            for other in members:
                if scene.objects.get(other.name) is None:
                    warnings.append(
                        f"The field {other.name} of the collection {settings.collection.name} is not in this scene and "
                        f"does not act on {obj.name}; link it to the scene."
                    )
        values = {name: _plain(getattr(settings, name)) for name in _WEIGHTS}
        if fields is not None or any(values[name] != declared.default for name, declared in _WEIGHTS.items()):
            found[obj.name_full] = EffectorWeights(fields, **values)
    return found


def free_name(base: str, taken: set[str]) -> str:
    """The base name, with apostrophes added until it is not taken."""
    while base in taken:
        base += "'"
    return base


def _plain(value: Any) -> Any:
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
