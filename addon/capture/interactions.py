"""Scene's list of interactions → rules between systems."""

from __future__ import annotations

from typing import Any

import bpy

from ...engine.spec import RULES, params_of
from ...engine.spec.rules.base import PairForce, names_of
from ...engine.spec.traits import Traits
from ..names import SETTINGS
from ..properties.interactions import ALL, OBJECT, SIDES, FlotsamInteraction, trouble_with, use_of, values_group


def capture_rules(scene: bpy.types.Scene, traits: dict[str, Traits], warnings: list[str]) -> tuple[Any, ...]:
    """Rules of the rows that are not muted, in their order.

    Args:
        scene: whose list it is.
        traits: of the participating systems, by name.
        warnings: receives a sentence for each row that matches no participant, or moves none.
    """
    rules, names = [], set(traits)
    for row in getattr(scene, SETTINGS).interactions:
        if row.mute:
            continue
        trouble = trouble_with(row, scene)
        sides = [_names(row, side, names) for side in SIDES] if not trouble else []
        if not trouble and not all(sides):
            trouble = f"The interaction {row.name} names nothing that takes part; choose others or mute it."
        if trouble:
            warnings.append(trouble)
            continue
        rules.append(RULES[row.rule](*sides, **values_of(values_group(row), RULES[row.rule])))
        if why := _why_nothing_moves(rules[-1], traits):
            warnings.append(f"The interaction {row.name} moves nothing: {why}; swap its sides, or choose others.")
    return tuple(rules)


def _why_nothing_moves(rule: Any, traits: dict[str, Traits]) -> str:
    """Why a pair force acts on nothing; "" if it acts."""
    if not isinstance(rule, PairForce) or "*" in (rule.a, rule.b):
        return ""
    a, b = ([traits[name] for name in names_of(side)] for side in (rule.a, rule.b))
    if any(one.moves for one in a) or any(one.moves and not (rule.urge and one.steers) for one in b):
        return ""
    if any(one.moves for one in b):
        return "what is on side A does not move, and agents on side B heed only rules whose side A they are on"
    return "what is on both sides does not move"


def _names(row: FlotsamInteraction, side: str, names: set[str]) -> str | tuple[str, ...]:
    """Systems of a side: "*", or the participants among an object or a collection."""
    scope = getattr(row, f"{side}_who")
    if scope == ALL:
        return "*"
    chosen = getattr(row, f"{side}_{scope.lower()}")
    if scope == OBJECT:
        return chosen.name_full if chosen.name_full in names else ()
    return tuple(obj.name_full for obj in chosen.all_objects if obj.name_full in names)


def values_of(group: bpy.types.PropertyGroup, rule: type) -> dict[str, float]:
    """Values of a rule's parameters, without optional ones that are switched off."""
    return {
        field: getattr(group, field)
        for field, declared in params_of(rule).items()
        if declared.default is not None or getattr(group, use_of(field))
    }
