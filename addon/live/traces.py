"""Removes modifiers of live sessions, also without a session; imports no numpy."""

from __future__ import annotations

import bpy

from ..names import GROUP_MARK, LIVE_MERGE_MODIFIER, LIVE_MODIFIER, LIVE_SPLIT_MODIFIER


def remove_live_modifiers(obj: bpy.types.Object | None) -> None:
    """Remove the modifiers of a live session from an object, if it has any."""
    for name in (LIVE_SPLIT_MODIFIER, LIVE_MODIFIER, LIVE_MERGE_MODIFIER):
        modifier = None if obj is None else obj.modifiers.get(name)
        if modifier is None:
            continue
        group = modifier.node_group if modifier.type == "NODES" else None
        obj.modifiers.remove(modifier)
        if group is not None and group.library is None and group.users == 0 and GROUP_MARK in group:
            bpy.data.node_groups.remove(group)


def remove_all_live_modifiers() -> None:
    """Remove the modifiers of live sessions from all objects of the file."""
    for obj in bpy.data.objects:
        if obj.library is None and LIVE_MODIFIER in obj.modifiers:
            remove_live_modifiers(obj)
