"""What a live session leaves in a scene while it runs, and how it is found without it: no numpy in here."""

from __future__ import annotations

import bpy

from ..names import GROUP_MARK, LIVE_MODIFIER


def take_modifier(obj: bpy.types.Object | None) -> None:
    """Take the modifier of a live session off an object that has it."""
    modifier = None if obj is None else obj.modifiers.get(LIVE_MODIFIER)
    if modifier is None:
        return
    group = modifier.node_group if modifier.type == "NODES" else None
    obj.modifiers.remove(modifier)
    if group is not None and group.library is None and group.users == 0 and GROUP_MARK in group:
        bpy.data.node_groups.remove(group)


def take_all_modifiers() -> None:
    """Take the modifiers of live sessions off all objects of the file."""
    for obj in bpy.data.objects:
        if obj.library is None and LIVE_MODIFIER in obj.modifiers:
            take_modifier(obj)
