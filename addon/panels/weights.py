"""Physics tab: settings that vertex groups vary over the body."""

from __future__ import annotations

import bpy

from ...engine.spec import SpringGraphSpec, weighted_params
from ..names import PANEL_WEIGHTS
from ..properties.kinds import traits_of
from .tab import PhysicsTab, draw_sentence


class FLOTSAM_PT_weights(PhysicsTab, bpy.types.Panel):
    """Settings that are stronger in some places than in others"""

    bl_idname = PANEL_WEIGHTS
    bl_label = "Weights"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only soft bodies have weights."""
        return context.object is not None and traits_of(context.object).is_springy

    def draw(self, context: bpy.types.Context) -> None:
        """Draw a sentence for each vertex group that exists, and one about those that could be added."""
        groups = context.object.vertex_groups
        missing = []
        for field, declared in weighted_params(SpringGraphSpec).items():
            if field in groups:
                sentence = f'{declared.label} is multiplied with the weights of the group "{field}".'
                draw_sentence(self.layout, context, sentence, "GROUP_VERTEX")
            else:
                missing.append(f'"{field}"')
        if missing:
            names = " or ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
            sentence = f"To make a setting weaker in places, paint a vertex group named {names}."
            draw_sentence(self.layout, context, sentence, "WPAINT_HLT")


CLASSES = (FLOTSAM_PT_weights,)
