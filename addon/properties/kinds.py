"""One PropertyGroup for every kind of system the engine knows."""

from __future__ import annotations

import bpy

from ...engine.spec import KINDS
from .from_spec import settings_class


def _class_name(kind: str) -> str:
    return "Flotsam" + "".join(word.title() for word in kind.split("_"))


# Where the mass came from a density, what it comes from once somebody writes a total.
_TOTALS = {"AREA_DENSITY": "AREA", "DENSITY": "VERTEX"}


def _mass_written(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Let the total count from now on: who writes it, in the panel or a script, wants the body to weigh that."""
    if settings.mass_by in _TOTALS:
        settings.mass_by = _TOTALS[settings.mass_by]


_UPDATES = {"SPRING_GRAPH": {"mass": _mass_written}}

SETTINGS_OF: dict[str, type[bpy.types.PropertyGroup]] = {
    kind: settings_class(
        _class_name(kind), spec_class, f"Settings of an object that is a {kind}", _UPDATES.get(kind, {})
    )
    for kind, spec_class in KINDS.items()
}

CLASSES: tuple[type, ...] = tuple(SETTINGS_OF.values())
