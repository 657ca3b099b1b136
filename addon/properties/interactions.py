"""`Scene.flotsam.interactions`: the artist's list of rules between objects; the last matching row decides."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent
from bpy.props import BoolProperty, EnumProperty, PointerProperty, StringProperty

from ...engine.spec import RULES, params_of
from ..names import NO_KIND, SETTINGS
from .from_spec import COMMON, TOUCHING, property_of

# What a side of a row refers to.
ALL, OBJECT, COLLECTION = "ALL", "OBJECT", "COLLECTION"
_SIDE_ITEMS = (
    (ALL, "Everything", "Everything in the simulation"),
    (OBJECT, "Object", "One object of the simulation"),
    (COLLECTION, "Collection", "Every object of the simulation in a collection, and in those within it"),
)
SIDES = ("a", "b")


def use_of(field: str) -> str:
    """Name of the Boolean property that enables an optional value."""
    return f"use_{field}"


def _takes_part(_row: FlotsamInteraction, obj: bpy.types.Object) -> bool:
    return getattr(obj, SETTINGS).kind != NO_KIND


class FlotsamInteraction(bpy.types.PropertyGroup):
    """A row of the list: two sides, a rule between them, and its values."""

    name: StringProperty(name="Name", description="What this row is for, in your own words", **TOUCHING)
    rule: EnumProperty(
        name="Rule", description="What happens where the two meet", options=set(),
        items=[(rule.rule, rule.label, rule.tip) for rule in RULES.values()], **TOUCHING,
    )
    mute: BoolProperty(name="Mute", description="Pass this row over", default=False, options=set(), **TOUCHING)


def _side_properties(side: str, label: str) -> dict[str, Any]:
    return {
        f"{side}_who": EnumProperty(
            name=label, description=f"What is on side {label}", items=_SIDE_ITEMS, options=set(), **TOUCHING
        ),
        f"{side}_object": PointerProperty(
            name=f"{label} Object", description="An object that takes part in Flotsam", type=bpy.types.Object,
            poll=_takes_part, **TOUCHING,
        ),
        f"{side}_collection": PointerProperty(
            name=f"{label} Collection", description="Its objects that take part in Flotsam",
            type=bpy.types.Collection, **TOUCHING,
        ),
    }


def value_properties(rule: type) -> dict[str, Any]:
    """A property for each parameter of a rule, and a Boolean property for each optional parameter."""
    found: dict[str, Any] = {}
    for field, declared in params_of(rule).items():
        if declared.default is None:
            found[use_of(field)] = BoolProperty(
                name=f"Own {declared.label}", description=declared.tip, default=False, options=set(), **TOUCHING
            )
        found[field] = property_of(declared)
    return found


for _side, _label in zip(SIDES, ("A", "B"), strict=True):
    FlotsamInteraction.__annotations__.update(_side_properties(_side, _label))
def _group_of(rule: type) -> type[bpy.types.PropertyGroup]:
    """A property group for the values of one rule; rules may have equal field names, so each has its own group."""
    name = "Flotsam" + "".join(word.title() for word in rule.rule.split("_"))
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": value_properties(rule), "__doc__": rule.tip})


# Versions up to 0.1 stored the values of these rules in the row itself. Only `migrate_old_values` reads them.
_OLD_RULES = ("CONTACT", "SPRING_DASHPOT", "POWER_REPULSION")
_OLD_VALUES = {name: value_properties(RULES[name]) for name in _OLD_RULES}
GROUPS_OF = {rule.rule: _group_of(rule) for rule in RULES.values()}
for _name, _group in GROUPS_OF.items():
    FlotsamInteraction.__annotations__[_name.lower()] = PointerProperty(type=_group, **COMMON)
for _values in _OLD_VALUES.values():
    FlotsamInteraction.__annotations__.update(_values)


def values_group(row: FlotsamInteraction) -> bpy.types.PropertyGroup:
    """The values of a row's current rule."""
    return getattr(row, row.rule.lower())


def side_name(row: FlotsamInteraction, side: str) -> str:
    """Name of what a side of a row refers to."""
    scope = getattr(row, f"{side}_who")
    chosen = None if scope == ALL else getattr(row, f"{side}_{scope.lower()}")
    return "everything" if scope == ALL else "nothing" if chosen is None else chosen.name


def sentence_of(row: FlotsamInteraction) -> str:
    """A row as a sentence: "Fish flee Shark within 3 m"."""
    rule, values = RULES[row.rule], values_group(row)
    formatted = {
        field: f"{getattr(values, field):.4g} {declared.unit}".strip()
        for field, declared in params_of(rule).items() if isinstance(declared.default, int | float)
    }
    sentence = rule.sentence or "{a} and {b}: " + rule.label
    text = sentence.format(a=side_name(row, "a"), b=side_name(row, "b"), **formatted)
    return text[:1].upper() + text[1:]


@persistent
def migrate_old_values(*_args: Any) -> None:
    """Move values written by version 0.1 into the groups of their rules, and unset the old ones."""
    for scene in bpy.data.scenes:
        for row in getattr(scene, SETTINGS).interactions:
            for rule, values in _OLD_VALUES.items():
                for field in values:
                    if row.is_property_set(field):
                        setattr(getattr(row, rule.lower()), field, getattr(row, field))
            for field in {field for values in _OLD_VALUES.values() for field in values}:
                row.property_unset(field)


def trouble_with(row: FlotsamInteraction, scene: bpy.types.Scene) -> str:
    """A sentence about an invalid row, "" for a valid row; fast enough for drawing a panel."""
    for side in SIDES:
        scope = getattr(row, f"{side}_who")
        if scope == ALL:
            continue
        chosen = getattr(row, f"{side}_{scope.lower()}")
        if chosen is None:
            return f"The interaction {row.name} has no {scope.lower()} on side {side.upper()}; choose one."
        if scope == OBJECT and scene.objects.get(chosen.name) != chosen:
            return f"The interaction {row.name} means {chosen.name}, which is not in this scene; choose another object."
    return ""


CLASSES = (*GROUPS_OF.values(), FlotsamInteraction)


def register() -> None:
    """Add the handler that updates files of earlier versions when they are opened."""
    bpy.app.handlers.load_post.append(migrate_old_values)


def unregister() -> None:
    """Remove the handler."""
    bpy.app.handlers.load_post.remove(migrate_old_values)
