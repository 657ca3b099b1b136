"""An object's modifier stack: what comes before Flotsam shapes the body, what comes after only dresses it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy

from ..names import GROUP_MARK, INSTANCES_MODIFIER, LIVE_MODIFIER, MODIFIER, SURFACE_MODIFIER


def flotsam_modifier(obj: bpy.types.Object) -> bpy.types.Modifier | None:
    """The object's Flotsam modifier, None before it has one."""
    modifier = obj.modifiers.get(MODIFIER)
    return modifier if modifier is not None and modifier.type == "MESH_CACHE" else None


def points_modifier(obj: bpy.types.Object) -> bpy.types.Modifier | None:
    """The modifier that plays an object's points in place of its mesh, None when it has none."""
    modifier = obj.modifiers.get(MODIFIER)
    if modifier is None or modifier.type != "NODES" or modifier.node_group is None:
        return None
    return modifier if GROUP_MARK in modifier.node_group else None


def dressing_of(obj: bpy.types.Object) -> bpy.types.Modifier | None:
    """The first of our modifiers that dress points, which may be there before there are any; None without."""
    return next((found for found in obj.modifiers if found.name in (SURFACE_MODIFIER, INSTANCES_MODIFIER)), None)


def modifiers_before(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """Modifiers whose result the solver starts from; all of them when there is no Flotsam modifier yet."""
    # A live session shows an object that was never given the modifier, too.
    own = flotsam_modifier(obj) or points_modifier(obj) or obj.modifiers.get(LIVE_MODIFIER) or dressing_of(obj)
    stack = list(obj.modifiers)
    return stack[: stack.index(own)] if own is not None else stack


def modifiers_from(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """The Flotsam modifier and all that come after it."""
    return list(obj.modifiers)[len(modifiers_before(obj)):]


@contextmanager
def bare(objects: Iterable[bpy.types.Object]) -> Iterator[None]:
    """Switch off the Flotsam modifier and those after it, and switch them back on whatever happens.

    The caller updates the dependency graph inside; the one who leaves lets Blender do it at the next redraw.
    """
    shown = [modifier for obj in objects for modifier in modifiers_from(obj) if modifier.show_viewport]
    try:
        for modifier in shown:
            modifier.show_viewport = False
        yield
    finally:
        for modifier in shown:
            modifier.show_viewport = True
