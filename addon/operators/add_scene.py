"""`flotsam.add_scene`: a scene preset as ordinary objects in the open file."""

from __future__ import annotations

import bpy

from ..names import OP_ADD_SCENE
from .poll_reasons import is_grey


class FLOTSAM_OT_add_scene(bpy.types.Operator):
    """Add a ready-made scene of bodies, water, light and camera, to edit and bake"""

    bl_idname = OP_ADD_SCENE
    bl_label = "Add Flotsam Scene"
    bl_options = {"REGISTER", "UNDO"}

    preset: bpy.props.StringProperty(
        name="Preset", description="Name of a scene preset", default="rubber_dinghy_rapids", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Objects can be added in Object Mode only."""
        return not is_grey(cls, "Leave Edit Mode first" if context.mode != "OBJECT" else None)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Build it in a collection of its own."""
        from ..presets import PresetError
        from ..scenes import build_scene
        from ..scenes.plan import SceneError

        try:
            build_scene(self.preset, context.scene)
        except (PresetError, SceneError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_add_scene,)


def draw_entry(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    """The entries in the Add menu."""
    menu.layout.operator(OP_ADD_SCENE, text="Rubber Dinghy Rapids", icon="MOD_OCEAN")
    menu.layout.operator(OP_ADD_SCENE, text="Harbour", icon="MOD_OCEAN").preset = "harbour"
    menu.layout.operator(OP_ADD_SCENE, text="Ball Pit", icon="MOD_OCEAN").preset = "ball_pit"
    menu.layout.operator(OP_ADD_SCENE, text="Washing Line", icon="FORCE_WIND").preset = "washing_line"
    menu.layout.operator(OP_ADD_SCENE, text="Parachute", icon="FORCE_WIND").preset = "parachute"


def register() -> None:
    """Offer it in the Add menu."""
    bpy.types.VIEW3D_MT_add.append(draw_entry)


def unregister() -> None:
    """Take it out of the Add menu."""
    bpy.types.VIEW3D_MT_add.remove(draw_entry)
