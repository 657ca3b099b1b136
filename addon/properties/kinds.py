"""One PropertyGroup for every kind of system the engine knows."""

from __future__ import annotations

import bpy

from ...engine.spec import KINDS
from .from_spec import settings_class


def _class_name(kind: str) -> str:
    return "Flotsam" + "".join(word.title() for word in kind.split("_"))


SETTINGS_OF: dict[str, type[bpy.types.PropertyGroup]] = {
    kind: settings_class(_class_name(kind), spec_class, f"Settings of an object that is a {kind}")
    for kind, spec_class in KINDS.items()
}

CLASSES: tuple[type, ...] = tuple(SETTINGS_OF.values())
