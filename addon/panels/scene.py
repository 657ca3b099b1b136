"""The Scene tab: how finely time is cut, which frames are baked and where they go."""

from __future__ import annotations

import bpy

from ...engine.spec import WorldSpec, params_of
from ..names import PANEL_SCENE, SETTINGS


class FLOTSAM_PT_scene(bpy.types.Panel):
    """Settings of the whole bake"""

    bl_idname = PANEL_SCENE
    bl_label = "Flotsam"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "scene"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Quality, then frames and folder."""
        settings = getattr(context.scene, SETTINGS)
        layout = self.layout
        layout.use_property_split = True
        for field in (*params_of(WorldSpec), "frame_start", "frame_end", "cache_folder"):
            layout.prop(settings, field)


CLASSES = (FLOTSAM_PT_scene,)
