"""Material presets as values for a body's settings: built-in ones in `presets/materials/*.toml`, and the user's own.

The values of a preset with a `size` apply to a body of that longest side. For other bodies they are scaled so that
all sag and fold alike (Froude scaling: with equal gravity and density, forces scale with weight). The user's presets
in the folder `presets/materials` of `paths.user_folder` take precedence over built-in ones of the same name. Presets
saved by the button beside the menu are scripts in Blender's own preset folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ..engine.spec import KINDS, Param, SpringGraphSpec, VoxelBodySpec, params_of
from .names import SETTINGS, settings_field
from .paths import presets_folder, user_folder

# Subfolder of Blender's folder of user presets.
OWN_SUBFOLDER = "flotsam/materials"
# Initial motion is not part of a material.
_INITIAL_MOTION = ("velocity", "angular_velocity")
SAVED = tuple(name for name in params_of(SpringGraphSpec) if name not in _INITIAL_MOTION)
_HEADINGS = {"label": str, "tip": str, "values": dict}
_MORE_HEADINGS = {"kind": str, "group": str, "icon": str, "size": (int, float), "vertices": int}
# Kinds that have materials.
SOFT, RIGID = SpringGraphSpec.kind, VoxelBodySpec.kind
# In the order of the menus; the user's own presets come last.
GROUPS = ("Inflated", "Sheets", "Solids", "Rigid", "Own")
# Scaling of a value with a body's size, by unit: exponent of the size, and exponent of the weight.
# Pa = N/m², N·s/m = N / (m/s), where speeds scale with the root of the size.
_EXPONENTS = {"m": (1.0, 0.0), "kg": (0.0, 1.0), "N/m": (-1.0, 1.0), "Pa": (-2.0, 1.0), "N·m": (1.0, 1.0),
              "N·s/m": (-0.5, 1.0)}
# Units of values that are divided among springs in parallel.
_DIVIDED_UNITS = ("N/m", "N·s/m")
# Exponent of weight over size, by the setting `mass_by`; 1 for a total mass, which scales as that of a rope.
_WEIGHT_EXPONENTS = {"AREA_DENSITY": 2.0, "DENSITY": 3.0}


class PresetError(Exception):
    """A preset that cannot be used; one sentence."""


class MaterialPreset(NamedTuple):
    """A material: its name for scripts, its label for people, and the settings it changes.

    Attributes:
        kind: of bodies; size: longest side [m] of the body its values apply to, 0 for any.
        vertices: number in that body, for springs in parallel through a solid; 0 for any.
    """

    name: str
    label: str
    tip: str
    values: Mapping[str, Any]
    kind: str = SOFT
    group: str = "Own"
    icon: str = "MATERIAL"
    size: float = 0.0
    vertices: int = 0

    def values_at(self, size: float, vertices: int = 0) -> dict[str, Any]:
        """The settings for a body with `vertices` vertices and the longest side `size` [m]; 0 if unknown."""
        ratio = size / self.size if self.size and size else 1.0
        vertex_ratio = vertices / self.vertices if self.vertices and vertices else 1.0
        # With the full reduction a fine surface would fold between its struts, so take the root.
        vertex_ratio = min(vertex_ratio, vertex_ratio**0.5)
        weight = _WEIGHT_EXPONENTS.get(self.values.get("mass_by", ""), 1.0)
        params = params_of(KINDS[self.kind])
        found = dict(self.values)
        for key, value in self.values.items():
            if params[key].unit in _EXPONENTS:
                of_size, of_weight = _EXPONENTS[params[key].unit]
                found[key] = value * ratio ** (of_size + of_weight * weight)
            if params[key].unit in _DIVIDED_UNITS:
                found[key] /= vertex_ratio
        return found


def material_presets(kind: str | None = None) -> dict[str, MaterialPreset]:
    """All valid material presets, or those for a kind of body, by name; fast enough for a menu."""
    return {name: preset for name, preset in _read_all()[0].items() if kind in (None, preset.kind)}


def preset_problems() -> list[str]:
    """A sentence for each invalid preset file; fast enough for a menu."""
    return _read_all()[1]


def own_materials() -> dict[str, Path]:
    """The artist's own presets, by label; fast enough for a menu."""
    return {
        bpy.path.display_name(path.name, title_case=False): path
        for folder in bpy.utils.preset_paths(OWN_SUBFOLDER) for path in sorted(Path(folder).glob("*.py"))
    }


def apply_material(obj: bpy.types.Object, name: str) -> None:
    """Set a body's settings to a material, scaled to its size; other settings are reset to their defaults.

    The body's initial motion is kept. The object must be of the material's kind.

    Raises:
        PresetError: there is no such preset, or its file is broken; nothing has been changed.
    """
    preset = material_named(name)
    settings = getattr(getattr(obj, SETTINGS), settings_field(preset.kind))
    for key in params_of(KINDS[preset.kind]):
        if key not in _INITIAL_MOTION:
            settings.property_unset(key)
    for key, value in preset.values_at(longest_side(obj), len(obj.data.vertices)).items():
        setattr(settings, key, value)
    note_material(obj, preset.label)


def note_material(obj: bpy.types.Object, label: str) -> None:
    """Store the label of a body's material; it is valid until one of the body's settings changes."""
    settings = getattr(obj, SETTINGS)
    settings.material, settings.material_values = label, _values_digest(settings)


def material_of(obj: bpy.types.Object) -> str:
    """Label of a body's material if no setting has changed since it was given, else empty. Fast enough for a panel."""
    settings = getattr(obj, SETTINGS)
    is_unchanged = settings.material_values and settings.material_values == _values_digest(settings)
    return settings.material if is_unchanged else ""


def _values_digest(settings: bpy.types.PropertyGroup) -> str:
    group = getattr(settings, settings_field(settings.kind))
    found = (getattr(group, key) for key in params_of(KINDS[settings.kind]) if key not in _INITIAL_MOTION)
    values = [tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value for value in found]
    return hashlib.blake2b(repr((settings.kind, values)).encode(), digest_size=6).hexdigest()


def material_named(name: str) -> MaterialPreset:
    """The preset of that name.

    Raises:
        PresetError: there is no such preset, or its file is broken.
    """
    presets, problems = _read_all()
    if name not in presets:
        # If a file of that name cannot be read, report that.
        raise PresetError(
            next((sentence for sentence in problems if f" {name}.toml " in sentence), None)
            or f"There is no material preset {name!r}; there are: {', '.join(presets)}."
        )
    return presets[name]


def longest_side(obj: bpy.types.Object) -> float:
    """Longest side [m] of an object's local bounding box, with scale; 0 without extent."""
    scales = obj.matrix_world.to_scale()
    return max(
        (max(corner[axis] for corner in obj.bound_box) - min(corner[axis] for corner in obj.bound_box))
        * abs(scales[axis]) for axis in range(3)
    )


def _read_all() -> tuple[dict[str, MaterialPreset], list[str]]:
    """Presets by name, and problems of invalid ones; a file is read again only when it has changed."""
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
    order = sorted(presets.values(), key=lambda preset: GROUPS.index(preset.group))
    return {preset.name: preset for preset in order}, problems


def _read(path: Path, changed: int) -> MaterialPreset:
    found = _read_once(path, changed)
    if isinstance(found, str):
        raise PresetError(found)
    return found


@lru_cache(maxsize=256)
def _read_once(path: Path, _changed: int) -> MaterialPreset | str:
    """The preset, or what is wrong with it; cached by the file's time of last change."""
    import tomllib

    title = f"The material preset {path.name}"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        return f"{title} cannot be read: {' '.join(str(error).split()).rstrip('.')}."
    allowed = {**_HEADINGS, **_MORE_HEADINGS}
    if not set(_HEADINGS) <= set(table) <= set(allowed):
        return f"{title} must have label, tip and values, and may have {', '.join(_MORE_HEADINGS)}; nothing else."
    for heading, value in table.items():
        if not isinstance(value, allowed[heading]) or isinstance(value, bool):
            wanted = {str: "a text", dict: "a table"}.get(allowed[heading], "a number")
            return f"{title} must have {wanted} as {heading}."
    if table.get("kind", SOFT) not in (SOFT, RIGID):
        return f"{title} has the kind {table['kind']!r}; it must be {SOFT} or {RIGID}."
    if table.get("group", "Own") not in GROUPS:
        return f"{title} has the group {table['group']!r}; it must be one of {', '.join(GROUPS)}."
    if table.get("vertices", 0) < 0:
        return f"{title} has {table['vertices']!r} vertices; it must be a count, or 0."
    if not 0.0 <= table.get("size", 0.0) < float("inf"):
        return f"{title} has the size {table['size']!r}; it must be a length in metres, or 0."
    params = params_of(KINDS[table.get("kind", SOFT)])
    for key, value in table["values"].items():
        if key not in params:
            return f"{title} has an unknown setting {key!r}; there are: {', '.join(params)}."
        wanted = _expected(value, params[key])
        if wanted is not None:
            return f"{title} sets {key} to {value!r}; it must be {wanted}."
    return MaterialPreset(path.stem, **table)


def _expected(value: Any, declared: Param) -> str | None:
    """Description of what a value should have been, None if it is valid; Blender itself clamps to limits."""
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
    """Whether a value is a finite number; booleans do not count."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < float("inf")
