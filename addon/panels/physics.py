"""The Physics tab: Flotsam's settings of the active object, drawn from the specs, and the bake buttons."""

from __future__ import annotations

import bpy

from ...engine.spec import KINDS, params_of
from ..bake import state
from ..names import (
    MENU_MATERIALS,
    NO_KIND,
    OP_ADD,
    OP_APPLY_PRESET,
    OP_BAKE,
    OP_BAKE_TO_SHAPE_KEYS,
    OP_CLEAR_CACHE,
    OP_REMOVE,
    PANEL_OBJECT,
    SETTINGS,
    settings_field,
)


class FLOTSAM_MT_materials(bpy.types.Menu):
    """Settings of a material for the selected soft bodies"""

    bl_idname = MENU_MATERIALS
    bl_label = "Material"

    def draw(self, context: bpy.types.Context) -> None:
        """A row for each material preset."""
        from ..presets import material_presets

        for name, preset in material_presets().items():
            self.layout.operator(OP_APPLY_PRESET, text=preset.label).preset = name


class FLOTSAM_PT_object(bpy.types.Panel):
    """Settings of the active object"""

    bl_idname = PANEL_OBJECT
    bl_label = "Flotsam"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only where the object takes part."""
        return context.object is not None and getattr(context.object, SETTINGS).kind != NO_KIND

    def draw(self, context: bpy.types.Context) -> None:
        """The kind, its settings group by group, then the bake."""
        settings = getattr(context.object, SETTINGS)
        layout = self.layout
        layout.use_property_split = True
        layout.prop(settings, "kind")
        if settings.kind == "SPRING_GRAPH":
            layout.menu(MENU_MATERIALS)
        for sentence in warnings(context.object):
            layout.label(text=sentence, icon="ERROR")
        group = getattr(settings, settings_field(settings.kind))
        boxes: dict[str, bpy.types.UILayout] = {}
        for field, declared in params_of(KINDS[settings.kind]).items():
            if declared.group not in boxes:
                boxes[declared.group] = layout.box()
                boxes[declared.group].label(text=declared.group.title())
            boxes[declared.group].prop(group, field)
        _draw_bake(layout)


def warnings(obj: bpy.types.Object) -> list[str]:
    """What is wrong in a sentence each; cheap, for it is asked at every redraw."""
    from ..bake.owner import cache_problem

    found = []
    if min(abs(size) for size in obj.scale) < 1e-9:
        found.append("Scaled to zero; give it a scale other than 0")
    problem = cache_problem(obj) if obj.type == "MESH" else None
    if problem is not None:
        found.append(problem)
    if not bpy.data.filepath:
        found.append("File not saved; the bake goes to the user folder")
    return found


def _draw_bake(layout: bpy.types.UILayout) -> None:
    running = state.current()
    if running is not None:
        progress = running.progress
        layout.label(text=f"Frame {progress.done} of {progress.total}; Esc stops and keeps them", icon="TIME")
        return
    row = layout.row(align=True)
    row.operator(OP_BAKE).resume = False
    row.operator(OP_BAKE, text="Resume").resume = True
    layout.operator(OP_BAKE_TO_SHAPE_KEYS)
    layout.operator(OP_CLEAR_CACHE)


def draw_button(panel: bpy.types.Panel, context: bpy.types.Context) -> None:
    """Flotsam's button among those of Blender's own physics."""
    if context.object is None or context.object.type != "MESH":
        return
    if getattr(context.object, SETTINGS).kind == NO_KIND:
        panel.layout.operator(OP_ADD, text="Flotsam", icon="ADD")
    else:
        panel.layout.operator(OP_REMOVE, text="Flotsam", icon="X")


CLASSES = (FLOTSAM_MT_materials, FLOTSAM_PT_object)


def register() -> None:
    """Put the button among Blender's own."""
    bpy.types.PHYSICS_PT_add.append(draw_button)


def unregister() -> None:
    """Take it away."""
    bpy.types.PHYSICS_PT_add.remove(draw_button)
