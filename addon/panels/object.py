"""The Physics tab: the kind and material of the active object; its settings are in the sub-panels."""

from __future__ import annotations

import bpy

from ...engine.spec import KINDS, FluidSpec
from ..names import (
    NO_KIND,
    OP_ADD_INSTANCES,
    OP_ADD_SURFACE,
    OP_BAKE_SURFACE,
    OP_COPY_TO_SELECTED,
    PANEL_OBJECT,
    SETTINGS,
)
from .cache import draw_running
from .materials import MATERIAL_KINDS, draw_materials
from .tab import draw_sentence, kind_of
from .warnings import object_warnings


class FLOTSAM_PT_object(bpy.types.Panel):
    """Settings of the active object"""

    bl_idname = PANEL_OBJECT
    bl_label = "Flotsam"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only for objects that take part in Flotsam."""
        return kind_of(context) != NO_KIND

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the kind, a material to start from, and warnings about the object as a whole."""
        settings = getattr(context.object, SETTINGS)
        layout = self.layout
        layout.use_property_split = True
        row = layout.row(align=True)
        row.prop(settings, "kind")
        row.operator(OP_COPY_TO_SELECTED, text="", icon="COPYDOWN")
        if settings.kind == FluidSpec.kind:
            layout.operator(OP_ADD_SURFACE, icon="MOD_REMESH")
            _draw_finer(layout, context)
        if KINDS[settings.kind].output == "POINTS":
            layout.operator(OP_ADD_INSTANCES, icon="OUTLINER_OB_POINTCLOUD")
        elif settings.kind in MATERIAL_KINDS:
            draw_materials(layout, context)
        for sentence in object_warnings(context.object):
            draw_sentence(layout, context, sentence)


def _draw_finer(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw settings and button of the finer surface, once there are points to wrap."""
    from ..capture.stack import points_modifier

    if points_modifier(context.object) is None:
        layout.operator(OP_BAKE_SURFACE, icon="MESH_DATA")
        return
    if draw_running(layout, context):
        return
    settings = getattr(context.object, SETTINGS)
    column = layout.column(align=True)
    column.prop(settings, "surface_cell")
    column.prop(settings, "surface_smoothing")
    column.operator(OP_BAKE_SURFACE, icon="MESH_DATA")


CLASSES = (FLOTSAM_PT_object,)
