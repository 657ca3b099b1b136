"""`flotsam.bake_surface`: a finer surface of a baked fluid, as meshes on disk."""

from __future__ import annotations

import bpy
from bpy.props import FloatProperty, IntProperty

from ..names import OP_BAKE_SURFACE
from .poll_reasons import is_grey


class FLOTSAM_OT_bake_surface(bpy.types.Operator):
    """Make a finer mesh of every baked frame, on disk beside its points; Blender waits meanwhile"""

    bl_idname = OP_BAKE_SURFACE
    bl_label = "Bake Finer Surface"
    bl_options = {"REGISTER", "UNDO"}

    detail: FloatProperty(
        name="Cell", description="Width of the cells that the surface is cut into, in particle radii; half as wide "
        "makes four times as many faces", default=1.0, min=0.25, max=4.0, soft_min=0.5, soft_max=2.0,
    )
    smoothing: IntProperty(
        name="Smoothing", description="How often the mesh is smoothed, so that single particles do not show",
        default=15, min=0, max=200, soft_max=50,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Once there are points to wrap; the package is asked for when it is needed."""
        from ..capture.stack import points_modifier

        there = context.object is not None and points_modifier(context.object) is not None
        return not is_grey(cls, None if there else "Bake first; the surface goes around the particles")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """All frames anew; the surface shows them from then on."""
        from ...engine import cache
        from ..write.fine_surface import FOLDER_NAME, PACKAGE, find_package, write_mesh
        from ..write.play import path_in_blend
        from ..write.points import baked_folder
        from ..write.surface_nodes import show_finer

        package = find_package()
        if package is None:
            self.report({"ERROR"}, f"A finer surface needs the Python package {PACKAGE}, which is not installed in "
                        "Blender's Python; Add Surface needs nothing.")
            return {"CANCELLED"}
        folder, manager = baked_folder(context.object), context.window_manager
        try:
            frames = cache.points_frames(folder)
            manager.progress_begin(0, len(frames))
            for done, frame in enumerate(frames):
                write_mesh(package, folder, frame, self.detail, self.smoothing)
                manager.progress_update(done + 1)
        except OSError as error:
            self.report({"ERROR"}, f"The finer surface cannot be made: {error}")
            return {"CANCELLED"}
        finally:
            manager.progress_end()
        rate = context.scene.render.fps / context.scene.render.fps_base
        show_finer(context.object, path_in_blend(folder / FOLDER_NAME) + "/", frames, rate)
        context.scene.frame_set(context.scene.frame_current)
        self.report({"INFO"}, f"{len(frames)} frames have a finer surface.")
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_bake_surface,)
