"""Material presets as values for a body's settings: ours in `presets/materials/*.toml`, and the user's own.

The values of a preset with a `size` hold for a body of that longest side; another one gets them scaled, so that it
sags, folds and swings alike (Froude's law: gravity and density stay, so forces grow as weight does). A user's preset
lies in the folder `presets/materials` of `paths.user_folder` and stands before ours of the same name.
What is saved by the button beside the menu lies where Blender keeps all presets, as a script of values.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ..engine.spec import KINDS, Param, SpringGraphSpec, VoxelBodySpec, params_of
from .names import SETTINGS, settings_field
from .paths import presets_folder, user_folder

# In the folder of the user's presets of all kinds.
OWN_SUBFOLDER = "flotsam/materials"
# A material says nothing of how fast a body sets out.
_STARTS = ("velocity", "angular_velocity")
SAVED = tuple(name for name in params_of(SpringGraphSpec) if name not in _STARTS)
_HEADINGS = {"label": str, "tip": str, "values": dict}
_MORE_HEADINGS = {"kind": str, "group": str, "icon": str, "size": (int, float), "vertices": int}
# Kinds that have materials.
SOFT, RIGID = SpringGraphSpec.kind, VoxelBodySpec.kind
# In the order of the menus; those of the user come last.
GROUPS = ("Inflated", "Sheets", "Solids", "Rigid", "Own")
# How a value grows with a body's size, by its unit: as this power of the size, and as that power of the weight.
# Pa = N/m², N·s/m = N / (m/s), where speeds grow as the root of the size.
_GROWTH = {"m": (1.0, 0.0), "kg": (0.0, 1.0), "N/m": (-1.0, 1.0), "Pa": (-2.0, 1.0), "N·m": (1.0, 1.0),
           "N·s/m": (-0.5, 1.0)}
# What each of many springs that share a load has less of, the more there are.
_SHARED = ("N/m", "N·s/m")
# How weight grows with size; a total is one of a rope.
_WEIGHT = {"AREA_DENSITY": 2.0, "DENSITY": 3.0}


class PresetError(Exception):
    """A preset that cannot be used; one sentence."""


class MaterialPreset(NamedTuple):
    """A material: its name for scripts, how it is shown to people, and the settings it changes.

    Attributes:
        kind: of the bodies it is for; size: longest side [m] of the body its values hold for, 0 for any.
        vertices: how many that body has, where its springs run side by side through a solid; 0 for any.
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
        """The settings of a body of `vertices` whose longest side is `size` [m]; 0 where one is not known."""
        ratio = size / self.size if self.size and size else 1.0
        crowd = vertices / self.vertices if self.vertices and vertices else 1.0
        # A fine surface whose springs lost all of that would fold between its struts; it loses the root of it.
        crowd = min(crowd, crowd**0.5)
        weight = _WEIGHT.get(self.values.get("mass_by", ""), 1.0)
        params = params_of(KINDS[self.kind])
        found = dict(self.values)
        for key, value in self.values.items():
            if params[key].unit in _GROWTH:
                of_size, of_weight = _GROWTH[params[key].unit]
                found[key] = value * ratio ** (of_size + of_weight * weight)
            if params[key].unit in _SHARED:
                found[key] /= crowd
        return found


def material_presets(kind: str | None = None) -> dict[str, MaterialPreset]:
    """All material presets that can be used, or those for a kind of body, by name; cheap enough for a menu."""
    return {name: preset for name, preset in _all()[0].items() if kind in (None, preset.kind)}


def preset_problems() -> list[str]:
    """A sentence for each preset file that cannot be used; cheap enough for a menu."""
    return _all()[1]


def own_materials() -> dict[str, Path]:
    """What the artist has saved, by the name that is shown; cheap enough for a menu."""
    return {
        bpy.path.display_name(path.name, title_case=False): path
        for folder in bpy.utils.preset_paths(OWN_SUBFOLDER) for path in sorted(Path(folder).glob("*.py"))
    }


def apply_material(obj: bpy.types.Object, name: str) -> None:
    """Set a body's settings to a material, scaled to its size; those it does not name go back to their defaults.

    How the body moves at first stays. The object must be of the material's kind.

    Raises:
        PresetError: there is no such preset, or its file is broken; nothing has been changed.
    """
    preset = material_named(name)
    settings = getattr(getattr(obj, SETTINGS), settings_field(preset.kind))
    for key in params_of(KINDS[preset.kind]):
        if key not in _STARTS:
            settings.property_unset(key)
    for key, value in preset.values_at(longest_side(obj), len(obj.data.vertices)).items():
        setattr(settings, key, value)


def material_named(name: str) -> MaterialPreset:
    """The preset of that name.

    Raises:
        PresetError: there is no such preset, or its file is broken.
    """
    presets, problems = _all()
    if name not in presets:
        # A file of that name that cannot be read is what the user wants to hear of.
        raise PresetError(
            next((sentence for sentence in problems if f" {name}.toml " in sentence), None)
            or f"There is no material preset {name!r}; there are: {', '.join(presets)}."
        )
    return presets[name]


def longest_side(obj: bpy.types.Object) -> float:
    """Longest side [m] of the box around an object along its own axes, as it is scaled; 0 for what has no extent."""
    scales = obj.matrix_world.to_scale()
    return max(
        (max(corner[axis] for corner in obj.bound_box) - min(corner[axis] for corner in obj.bound_box))
        * abs(scales[axis]) for axis in range(3)
    )


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
    order = sorted(presets.values(), key=lambda preset: GROUPS.index(preset.group))
    return {preset.name: preset for preset in order}, problems


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
        wanted = _refusal(value, params[key])
        if wanted is not None:
            return f"{title} sets {key} to {value!r}; it must be {wanted}."
    return MaterialPreset(path.stem, **table)


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
