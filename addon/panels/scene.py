"""The Scene tab: the solver's settings, and the frame range and folder of the bake."""

from __future__ import annotations

import bpy

from ..capture.blenders_rigid import rigid_body_warnings
from ..names import OP_RIGID_TO_COLLIDERS, PANEL_SCENE, PANEL_SCENE_CACHE
from .cache import draw_bake, draw_range
from .quality import draw_quality
from .tab import SceneTab, draw_sentence
from .warnings import scene_cache_warnings


class FLOTSAM_PT_scene(SceneTab, bpy.types.Panel):
    """Settings for all bodies of the scene"""

    bl_idname = PANEL_SCENE
    bl_label = "Flotsam"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw quality, and a button and sentences about Blender's own rigid bodies if there are any."""
        self.layout.use_property_split = True
        draw_quality(self.layout, context.scene)
        if context.scene.rigidbody_world is not None:
            self.layout.operator(OP_RIGID_TO_COLLIDERS, icon="RIGID_BODY")
            for sentence in rigid_body_warnings(context.scene):
                draw_sentence(self.layout, context, sentence, "INFO")


class FLOTSAM_PT_scene_cache(SceneTab, bpy.types.Panel):
    """Frames on disk, for all bodies of the scene"""

    bl_idname = PANEL_SCENE_CACHE
    bl_label = "Bake"
    bl_parent_id = PANEL_SCENE

    def draw(self, context: bpy.types.Context) -> None:
        """Draw range, folder and buttons, and warnings about bodies with missing or outdated frames."""
        self.layout.use_property_split = True
        draw_range(self.layout, context.scene)
        draw_bake(self.layout, context)
        for sentence in scene_cache_warnings(context.scene):
            draw_sentence(self.layout, context, sentence)


CLASSES = (FLOTSAM_PT_scene, FLOTSAM_PT_scene_cache)
