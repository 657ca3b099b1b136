"""Settings that refer to Blender objects, which no spec can declare because the engine imports no Blender."""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy

from ...engine.spec import FlockSpec, FluidSpec
from .from_spec import COMMON
from .touched import touch


class Pointed(NamedTuple):
    """Display of a pointer: label, tip, group (a key of GROUPS), and the choice with which it applies, see `Param`."""

    label: str
    tip: str
    group: str
    only_with: tuple[str, ...] | None = None


# By kind and field.
POINTERS: dict[str, dict[str, Pointed]] = {
    FlockSpec.kind: {
        "goal_object": Pointed(
            "Goal Object", "Where the agents want to go: the origin of an object, or along a curve; agents that land "
            "settle on the vertices of a mesh", "flocking",
        ),
        "predator_object": Pointed(
            "Predator", "Agents flee from the origin of this object; for one that is solved, use the interaction Flee",
            "flocking",
        ),
    },
    FluidSpec.kind: {
        "nozzle": Pointed(
            "Nozzle", "The jet leaves the origin of this object along its Z axis, and follows it where it moves; "
            "without one, those of the fluid itself", "fluid", ("emission", "POINT"),
        ),
    },
}


def _changed(_settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    touch()


def pointer_properties(kind: str) -> dict[str, Any]:
    """The deferred Blender properties for a kind's pointers, by field."""
    return {
        field: bpy.props.PointerProperty(
            name=pointed.label, description=pointed.tip, type=bpy.types.Object, update=_changed, **COMMON
        )
        for field, pointed in POINTERS.get(kind, {}).items()
    }


def pointed_at(settings: bpy.types.PropertyGroup, kind: str) -> dict[str, bpy.types.Object]:
    """Objects that the settings of a kind refer to, by field."""
    found = {field: getattr(settings, field) for field in POINTERS.get(kind, {})}
    return {field: obj for field, obj in found.items() if obj is not None}
