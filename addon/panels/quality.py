"""Physics tab: the solver's settings, such as substeps. They belong to the scene; artists look for them here."""

from __future__ import annotations

import bpy

from ...engine.spec import GROUPS, WorldSpec, params_of
from ..names import BODY_KINDS, PANEL_QUALITY, SETTINGS
from .tab import PhysicsTab, draw_parameter, kind_of


def draw_quality(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """Draw a row for each of the scene's parameters."""
    for field, declared in params_of(WorldSpec).items():
        draw_parameter(layout, getattr(scene, SETTINGS), field, declared)


class FLOTSAM_PT_quality(PhysicsTab, bpy.types.Panel):
    """How finely time is cut, for all bodies of the scene"""

    bl_idname = PANEL_QUALITY
    bl_label = GROUPS["quality"].label
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only for bodies, because only they are solved."""
        return kind_of(context) in BODY_KINDS

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the scene's settings."""
        self.layout.use_property_split = True
        draw_quality(self.layout, context.scene)


CLASSES = (FLOTSAM_PT_quality,)
