"""A body's weights of force fields, in the Physics tab, and the scene's air, in the Scene tab."""

from __future__ import annotations

import bpy

from ...engine.spec import GROUPS, KINDS, AirSpec, EffectorWeights, params_of
from ..names import PANEL_AIR, PANEL_FIELD_WEIGHTS, PANEL_SCENE, SETTINGS
from ..properties.outside import field_objects, unused_sentence
from .tab import PhysicsTab, SceneTab, draw_parameter, draw_sentence, kind_of


class FLOTSAM_PT_field_weights(PhysicsTab, bpy.types.Panel):
    """How much of each field, and of gravity, the body takes"""

    bl_idname = PANEL_FIELD_WEIGHTS
    bl_label = GROUPS["field_weights"].label
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only for kinds that move."""
        spec = KINDS.get(kind_of(context))
        return spec is not None and spec.traits.moves

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the collection, then a row for each weight."""
        layout, settings = self.layout, getattr(context.object, SETTINGS).effector_weights
        layout.use_property_split = True
        layout.prop(settings, "collection")
        for field, declared in params_of(EffectorWeights).items():
            draw_parameter(layout, settings, field, declared)


class FLOTSAM_PT_air(SceneTab, bpy.types.Panel):
    """What faces feel of wind and still air"""

    bl_idname = PANEL_AIR
    bl_label = "Air"
    bl_parent_id = PANEL_SCENE
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw a row for each setting, and a sentence for each field that is not used."""
        layout, settings = self.layout, getattr(context.scene, SETTINGS).air
        layout.use_property_split = True
        for field, declared in params_of(AirSpec).items():
            draw_parameter(layout, settings, field, declared)
        for sentence in filter(None, map(unused_sentence, field_objects(context.scene))):
            draw_sentence(layout, context, sentence)


CLASSES = (FLOTSAM_PT_field_weights, FLOTSAM_PT_air)
