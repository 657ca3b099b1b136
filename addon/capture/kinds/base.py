"""What capturing one object gives, and what it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import bpy

from ....engine.spec import params_of
from ..captured import CapturedBody, CapturedCollider


@dataclass(frozen=True, eq=False)
class Capturing:
    """What the capture of a scene tells that of its objects.

    Attributes:
        depsgraph: up to date.
        warnings: sentences for the artist; captures add theirs.
        by_hand: the artist may move any object at any time.
        attributes: what a bake keeps of each vertex beside its position.
    """

    depsgraph: bpy.types.Depsgraph
    warnings: list[str]
    by_hand: bool
    attributes: tuple[str, ...]


class Taken(NamedTuple):
    """An object as the solver gets it: its spec, what is remembered of a body or of a collider, and keyed fields."""

    spec: Any
    body: CapturedBody | None = None
    collider: CapturedCollider | None = None
    keyed: tuple[str, ...] = ()


def settings_of(group: bpy.types.PropertyGroup, spec_class: type) -> dict[str, Any]:
    """The artist's values of a spec's parameters, by field name."""
    values = {name: getattr(group, name) for name in params_of(spec_class) if hasattr(group, name)}
    return {
        name: tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
        for name, value in values.items()
    }
