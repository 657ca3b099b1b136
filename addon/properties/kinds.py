"""One PropertyGroup for every kind of system in the engine."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...engine.spec import KINDS, SpringGraphSpec
from ...engine.spec.traits import Traits
from ..names import SETTINGS, settings_field
from .from_spec import settings_class
from .pointers import pointer_properties


def _class_name(kind: str) -> str:
    return "Flotsam" + "".join(word.title() for word in kind.split("_"))


# Values of `mass_by`: the one for a total mass, by the corresponding one for a density.
_TOTALS = {"AREA_DENSITY": "AREA", "DENSITY": "VERTEX"}


def _mass_written(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Switch to total mass when the panel or a script writes it, because a density would override it."""
    if settings.mass_by in _TOTALS:
        settings.mass_by = _TOTALS[settings.mass_by]


_UPDATES = {SpringGraphSpec.kind: {"mass": _mass_written}}

SETTINGS_OF: dict[str, type[bpy.types.PropertyGroup]] = {
    kind: settings_class(
        _class_name(kind), spec_class, f"Settings of an object that is a {kind}", _UPDATES.get(kind, {}),
        pointer_properties(kind),
    )
    for kind, spec_class in KINDS.items()
}

CLASSES: tuple[type, ...] = tuple(SETTINGS_OF.values())

_NO_TRAITS = Traits()


def spec_class_of(obj: bpy.types.Object) -> type | None:
    """The specification of an object's kind; None for objects without a kind."""
    return KINDS.get(getattr(obj, SETTINGS).kind)


def values_of(obj: bpy.types.Object) -> bpy.types.PropertyGroup | None:
    """The settings of an object's kind; None for objects without a kind."""
    settings = getattr(obj, SETTINGS)
    return getattr(settings, settings_field(settings.kind)) if settings.kind in KINDS else None


def traits_of(obj: bpy.types.Object) -> Traits:
    """Traits of an object's kind; all False without a kind."""
    spec_class = spec_class_of(obj)
    return _NO_TRAITS if spec_class is None else spec_class.traits


def is_body(obj: bpy.types.Object) -> bool:
    """Whether a bake writes frames for an object."""
    spec_class = spec_class_of(obj)
    return spec_class is not None and spec_class.output != "NONE"


def in_order_of_kinds(objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Objects sorted by kind, in their own order within a kind; spring graphs come first."""
    place = {kind: number for number, kind in enumerate(KINDS)}
    return sorted(objects, key=lambda obj: place[getattr(obj, SETTINGS).kind])
