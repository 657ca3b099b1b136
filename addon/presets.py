"""Material presets as values for a soft body's settings: ours in `presets/materials/*.toml`, and the user's own.

A user's preset lies in the folder `presets/materials` of `paths.user_folder` and stands before ours of the same name.
What is saved by the button beside the menu lies where Blender keeps all presets, as a script of values.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ..engine.spec import Param, SpringGraphSpec, params_of
from .paths import presets_folder, user_folder

# In the folder of the user's presets of all kinds.
OWN_SUBFOLDER = "flotsam/materials"
# A material says nothing of how fast a body sets out.
SAVED = tuple(name for name in params_of(SpringGraphSpec) if name != "velocity")
_HEADINGS = {"label", "tip", "values"}


class PresetError(Exception):
    """A preset that cannot be used; one sentence."""


class MaterialPreset(NamedTuple):
    """A material: its name for scripts, its label and tip for people, and the settings it changes."""

    name: str
    label: str
    tip: str
    values: Mapping[str, Any]


def material_presets() -> dict[str, MaterialPreset]:
    """All material presets that can be used, by name; cheap enough for a menu."""
    return _all()[0]


def preset_problems() -> list[str]:
    """A sentence for each preset file that cannot be used; cheap enough for a menu."""
    return _all()[1]


def own_materials() -> dict[str, Path]:
    """What the artist has saved, by the name that is shown; cheap enough for a menu."""
    return {
        bpy.path.display_name(path.name, title_case=False): path
        for folder in bpy.utils.preset_paths(OWN_SUBFOLDER) for path in sorted(Path(folder).glob("*.py"))
    }


def apply_material(settings: bpy.types.PropertyGroup, name: str) -> None:
    """Set a soft body's settings to a material; those that it does not name go back to their defaults.

    Args:
        settings: `Object.flotsam.spring_graph`.
        name: of the preset.

    Raises:
        PresetError: there is no such preset, or its file is broken; nothing has been changed.
    """
    presets, problems = _all()
    if name not in presets:
        # A file of that name that cannot be read is what the user wants to hear of.
        raise PresetError(
            next((sentence for sentence in problems if f" {name}.toml " in sentence), None)
            or f"There is no material preset {name!r}; there are: {', '.join(presets)}."
        )
    for key in params_of(SpringGraphSpec):
        settings.property_unset(key)
    for key, value in presets[name].values.items():
        setattr(settings, key, value)


def _all() -> tuple[dict[str, MaterialPreset], list[str]]:
    """Presets by name and the problems of the others; a file is read again only when it has changed."""
    presets: dict[str, MaterialPreset] = {}
    problems: list[str] = []
    for folder in (presets_folder("materials"), user_folder("presets", "materials")):
        for path in sorted(folder.glob("*.toml")):
            try:
                presets[path.stem] = _read(path, path.stat().st_mtime_ns)
            except PresetError as error:
                problems.append(str(error))
            except OSError as error:
                problems.append(f"The material preset {path.name} cannot be read: {error.strerror}.")
    return presets, problems


def _read(path: Path, changed: int) -> MaterialPreset:
    found = _read_once(path, changed)
    if isinstance(found, str):
        raise PresetError(found)
    return found


@lru_cache(maxsize=256)
def _read_once(path: Path, _changed: int) -> MaterialPreset | str:
    """The preset, or what is wrong with it; the time of its last change tells a new content from an old one."""
    import tomllib

    title = f"The material preset {path.name}"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        return f"{title} cannot be read: {' '.join(str(error).split()).rstrip('.')}."
    if set(table) != _HEADINGS or not isinstance(table["values"], dict):
        return f"{title} must have exactly label, tip and values."
    if not (isinstance(table["label"], str) and isinstance(table["tip"], str)):
        return f"{title} must have a text as label and a text as tip."
    params = params_of(SpringGraphSpec)
    for key, value in table["values"].items():
        if key not in params:
            return f"{title} has an unknown setting {key!r}; there are: {', '.join(params)}."
        wanted = _refusal(value, params[key])
        if wanted is not None:
            return f"{title} sets {key} to {value!r}; it must be {wanted}."
    return MaterialPreset(path.stem, table["label"], table["tip"], table["values"])


def _refusal(value: Any, declared: Param) -> str | None:
    """What a value should have been, None when it is right; limits are left to Blender, which keeps within them."""
    if declared.choices:
        names = [choice[0] for choice in declared.choices]
        return None if value in names else "one of " + ", ".join(names)
    default = declared.default
    if isinstance(default, bool):
        return None if isinstance(value, bool) else "true or false"
    if isinstance(default, int):
        return None if _is_number(value) and isinstance(value, int) else "a whole number"
    if isinstance(default, tuple):
        right = isinstance(value, list) and len(value) == len(default) and all(map(_is_number, value))
        return None if right else f"{len(default)} numbers"
    return None if _is_number(value) else "a number"


def _is_number(value: Any) -> bool:
    """Whether a value counts something; True and False are no numbers here, nor is what is not finite."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < float("inf")
