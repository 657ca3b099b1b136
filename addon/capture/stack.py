"""An object's modifier stack: modifiers before Flotsam shape the solved mesh, those after it only the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import takewhile

import bpy

from ..names import (
    GROUP_MARK,
    INSTANCES_MODIFIER,
    LIVE_MODIFIER,
    LIVE_SPLIT_MODIFIER,
    MODIFIER,
    SPLIT_MODIFIER,
    SURFACE_MODIFIER,
)

# Names of the add-on's other modifiers. In Live, an object may have some of these without a Flotsam modifier.
_OTHER_FLOTSAM_MODIFIERS = {SPLIT_MODIFIER, LIVE_SPLIT_MODIFIER, LIVE_MODIFIER, SURFACE_MODIFIER, INSTANCES_MODIFIER}


def flotsam_modifier(obj: bpy.types.Object) -> bpy.types.Modifier | None:
    """The object's Flotsam modifier, or None."""
    modifier = obj.modifiers.get(MODIFIER)
    return modifier if modifier is not None and modifier.type == "MESH_CACHE" else None


def points_modifier(obj: bpy.types.Object) -> bpy.types.Modifier | None:
    """The modifier that shows an object's points in place of its mesh, or None."""
    modifier = obj.modifiers.get(MODIFIER)
    return modifier if modifier is not None and _shows_points(modifier) else None


def _shows_points(modifier: bpy.types.Modifier) -> bool:
    return modifier.type == "NODES" and modifier.node_group is not None and GROUP_MARK in modifier.node_group


def dressing_of(obj: bpy.types.Object) -> bpy.types.Modifier | None:
    """The first of the add-on's modifiers for the look of points, which may exist before any points, or None."""
    return next((found for found in obj.modifiers if found.name in (SURFACE_MODIFIER, INSTANCES_MODIFIER)), None)


def modifiers_before(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """Modifiers before Flotsam, whose result is solved; all of them while there is no Flotsam modifier."""
    return list(takewhile(lambda modifier: not _is_flotsam_modifier(modifier), obj.modifiers))


def _is_flotsam_modifier(modifier: bpy.types.Modifier) -> bool:
    if modifier.name == MODIFIER:
        return modifier.type == "MESH_CACHE" or _shows_points(modifier)
    return modifier.name in _OTHER_FLOTSAM_MODIFIERS


def modifiers_from(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """The Flotsam modifier and all after it."""
    return list(obj.modifiers)[len(modifiers_before(obj)):]


@contextmanager
def bare(objects: Iterable[bpy.types.Object]) -> Iterator[None]:
    """Context with the Flotsam modifier and those after it disabled in the viewport.

    The caller must update the dependency graph inside. After it, Blender updates at the next redraw.
    """
    shown = [modifier for obj in objects for modifier in modifiers_from(obj) if modifier.show_viewport]
    try:
        for modifier in shown:
            modifier.show_viewport = False
        yield
    finally:
        for modifier in shown:
            modifier.show_viewport = True
