"""`flotsam.add_scene`: a scene preset as ordinary objects, in a new scene or in the open one."""

from __future__ import annotations

import bpy

from ..names import OP_ADD_SCENE
from .poll_reasons import baking, is_grey, live_running

_NEW, _CURRENT = "NEW", "CURRENT"


class FLOTSAM_OT_add_scene(bpy.types.Operator):
    """Add a ready-made scene of bodies, water, light and camera, to edit and bake"""

    bl_idname = OP_ADD_SCENE
    bl_label = "Add Flotsam Scene"
    bl_options = {"REGISTER", "UNDO"}

    preset: bpy.props.StringProperty(
        name="Preset", description="Name of a scene preset", default="rubber_dinghy_rapids", options={"SKIP_SAVE"}
    )
    into: bpy.props.EnumProperty(
        name="Into", description="Where the objects go",
        items=(
            (_NEW, "New Scene", "Into a new scene with light, camera and frame range of its own"),
            (_CURRENT, "This Scene", "Objects only, into the open scene, whose settings stay as they are"),
        ),
        default=_NEW, options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Scenes can be changed in Object Mode only, and not while one is being solved."""
        edited = "Leave Edit Mode first" if context.mode != "OBJECT" else None
        return not is_grey(cls, edited, baking(), live_running())

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tip of the preset, and where it goes."""
        from ..scenes import scene_presets

        preset = scene_presets().get(properties.preset)
        return cls.__doc__ if preset is None else f"{preset.tip}. Opens in a new scene"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Build the preset in a collection of its own."""
        from ..presets import PresetError
        from ..scenes import add_objects, new_scene
        from ..scenes.plan import SceneError
        from ..write.instance_nodes import show_flocks
        from ..write.surface_nodes import wrap_fluids

        before = context.scene
        try:
            if self.into == _CURRENT:
                made = add_objects(self.preset, before)
                added = len(made)
            else:
                scene = new_scene(self.preset)
                made = scene.objects
            wrap_fluids(made)
            show_flocks(made)
        except (PresetError, SceneError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if self.into == _CURRENT:
            self.report({"INFO"}, f"{added} objects were added to the scene {before.name}; its settings are unchanged.")
            return {"FINISHED"}
        if context.window is not None:
            context.window.scene = scene
        self.report({"INFO"}, f"The new scene {scene.name} is open; the scene {before.name} is unchanged.")
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_add_scene,)


def draw_scenes(layout: bpy.types.UILayout) -> None:
    """Draw a row for each scene preset."""
    from ..scenes import scene_presets

    for name, preset in scene_presets().items():
        layout.operator(OP_ADD_SCENE, text=preset.label, icon="SCENE_DATA").preset = name
