"""Modifiers before and after the one that plays a mesh that tears; the mesh itself stays as its artist made it.

The first one gives every face its own vertices, in the order of the face corners: frames have a row for each corner.
The second one merges vertices in the same place, so that untorn parts are shaded and subdivided as one surface.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy

from ..names import MERGE_MODIFIER, SPLIT_MODIFIER
from .attributes import attributes_modifier
from .node_groups import GroupBuilder, drop_group, group_named, plays_our_group

# Vertices nearer than this are merged [units of the object].
_MERGE_DISTANCE = 1e-6


def split_around(obj: bpy.types.Object, player: bpy.types.Modifier, before: str, after: str) -> None:
    """Add the two modifiers, with these names, before and after `player`; existing ones stay."""
    if before not in obj.modifiers:
        _add(obj, before, "Flotsam Split", _build_split)
        obj.modifiers.move(len(obj.modifiers) - 1, list(obj.modifiers).index(player))
    if after not in obj.modifiers:
        _add(obj, after, "Flotsam Merge", _build_merge)
        last = attributes_modifier(obj)
        stack = list(obj.modifiers)
        place = max(stack.index(player), stack.index(last) if last is not None else 0) + 1
        obj.modifiers.move(len(stack) - 1, place)


def remove_split(obj: bpy.types.Object) -> None:
    """Remove the modifiers before and after the one that plays a bake."""
    for name in (SPLIT_MODIFIER, MERGE_MODIFIER):
        modifier = obj.modifiers.get(name)
        if not plays_our_group(modifier):
            continue
        if modifier.is_override_data:
            # A removed override modifier would come back when the file is opened again.
            modifier.show_viewport = modifier.show_render = False
            continue
        group = modifier.node_group
        obj.modifiers.remove(modifier)
        drop_group(group)


def _add(
    obj: bpy.types.Object, name: str, group: str, build: Callable[[str], bpy.types.NodeTree]
) -> None:
    modifier = obj.modifiers.new(name, "NODES")
    modifier.node_group = group_named(group, build)
    modifier.show_expanded = False


def _build_split(name: str) -> bpy.types.NodeTree:
    nodes = GroupBuilder(name, {})
    captured = nodes.add("GeometryNodeCaptureAttribute", nodes.source.outputs["Geometry"], domain="CORNER")
    captured.capture_items.new("INT", "Corner")
    nodes.give(captured.inputs["Corner"], nodes.add("GeometryNodeInputIndex"))
    split = nodes.add("GeometryNodeSplitEdges", captured)
    ordered = nodes.add("GeometryNodeSortElements", split, domain="POINT")
    nodes.give(ordered.inputs["Sort Weight"], captured.outputs["Corner"])
    nodes.end(ordered)
    return nodes.group


def _build_merge(name: str) -> bpy.types.NodeTree:
    nodes = GroupBuilder(name, {})
    merged = nodes.add("GeometryNodeMergeByDistance", nodes.source.outputs["Geometry"])
    nodes.give(merged.inputs["Distance"], _MERGE_DISTANCE)
    nodes.end(merged)
    return nodes.group
