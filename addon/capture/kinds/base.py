"""Input and result of capturing one object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import bpy

from ....engine.spec import params_of
from ..captured import CapturedBody, CapturedCollider


@dataclass(frozen=True, eq=False)
class Capturing:
    """Common input for the capture of a scene's objects.

    Attributes:
        depsgraph: up to date.
        warnings: sentences for the artist, to be extended.
        by_hand: whether the artist may move any object at any time.
        attributes: names of the ones that a bake stores for each vertex besides its position.
    """

    depsgraph: bpy.types.Depsgraph
    warnings: list[str]
    by_hand: bool
    attributes: tuple[str, ...]


class Taken(NamedTuple):
    """A captured object: its spec, the data kept of a body or a collider, and its animated fields."""

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
