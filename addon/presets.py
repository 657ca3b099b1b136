"""Material presets: `presets/materials/*.toml` as values for a soft body's settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .paths import presets_folder

if TYPE_CHECKING:
    from pathlib import Path

    import bpy

_HEADINGS = {"label", "tip", "values"}


class PresetError(Exception):
    """A preset that cannot be used; one sentence."""


@dataclass(frozen=True)
class MaterialPreset:
    """A material: its name for scripts, its label and tip for people, and the settings it changes."""

    name: str
    label: str
    tip: str
    values: Mapping[str, Any]


def material_presets() -> dict[str, MaterialPreset]:
    """All material presets by name.

    Raises:
        PresetError: a preset file is broken.
    """
    return {path.stem: _read(path) for path in sorted(presets_folder("materials").glob("*.toml"))}


def apply_material(settings: bpy.types.PropertyGroup, name: str) -> None:
    """Set a soft body's settings to a material; those that it does not name go back to their defaults.

    Args:
        settings: `Object.flotsam.spring_graph`.
        name: of the preset.

    Raises:
        PresetError: there is no such preset, or it names a setting that does not exist; nothing has been changed.
    """
    from ..engine.spec import SpringGraphSpec, params_of

    presets = material_presets()
    if name not in presets:
        raise PresetError(f"There is no material preset {name!r}; there are: {', '.join(presets)}.")
    values = presets[name].values
    params = params_of(SpringGraphSpec)
    unknown = sorted(set(values) - set(params))
    if unknown:
        raise PresetError(f"The material preset {name} has an unknown setting {unknown[0]!r}.")
    for key in params:
        settings.property_unset(key)
    for key, value in values.items():
        setattr(settings, key, value)


def _read(path: Path) -> MaterialPreset:
    import tomllib

    try:
        with path.open("rb") as stream:
            table = tomllib.load(stream)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise PresetError(f"The material preset {path.name} cannot be read: {error}.") from error
    if set(table) != _HEADINGS:
        raise PresetError(f"The material preset {path.name} must have exactly label, tip and values.")
    return MaterialPreset(path.stem, table["label"], table["tip"], table["values"])
