"""Children of rigid bodies do not follow in Live, which moves the meshes of rigid bodies and not their objects."""

from __future__ import annotations

import bpy

from ..properties.kinds import traits_of


def left_behind(scene: bpy.types.Scene) -> str:
    """A sentence about objects that are parented to rigid bodies, "" without any."""
    found = [
        obj.name for obj in scene.objects
        if obj.parent is not None and traits_of(obj.parent).is_rigid
    ]
    if not found:
        return ""
    who = found[0] if len(found) == 1 else f"{found[0]} and {len(found) - 1} more"
    return f"In Live {who} will stay behind: a child of a rigid body goes along only in a bake or a recording."
