"""`flotsam.add_body`: ready-made bodies and water from the Add menu, with a material and settings that suit them."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, FloatProperty, StringProperty
from bpy_extras.object_utils import AddObjectHelper, object_data_add
from mathutils import Matrix

from ...engine.spec import KINDS
from ..names import BODY_KINDS, MENU_ADD, OP_ADD_BODY, PIN_GROUP, SETTINGS, settings_field
from ..scenes.shapes import SHAPES, Shape, mesh_of, settings_of
from .add import add_kind, give_material, material_names
from .add_scene import draw_scenes
from .fit_steps import fit_steps
from .poll_reasons import is_grey


class FLOTSAM_OT_add_body(AddObjectHelper, bpy.types.Operator):
    """Add a body that is ready to be solved"""

    bl_idname = OP_ADD_BODY
    bl_label = "Add Flotsam Body"
    bl_options = {"REGISTER", "UNDO"}

    shape: EnumProperty(
        name="Shape", description="What is added",
        items=[(name, shape.label, shape.tip, shape.icon, number) for number, (name, shape) in
               enumerate(SHAPES.items())],
        default="RING",
    )
    material: StringProperty(
        name="Material", description="What it is made of: name of a material preset; without one, as is usual for it",
        search=material_names, options={"SKIP_SAVE"},
    )
    size: FloatProperty(
        name="Size", description="Longest side of the body; 0 takes the usual one", default=0.0, min=0.0,
        soft_max=10.0, unit="LENGTH", subtype="DISTANCE", options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Objects can be added in Object Mode only."""
        return not is_grey(cls, "Leave Edit Mode first" if context.mode != "OBJECT" else None)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tip of the shape."""
        return SHAPES[properties.shape].tip

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Create the mesh and set its kind, material and settings."""
        from ..presets import PresetError, material_named

        shape = SHAPES[self.shape]
        try:
            chosen = material_named(self.material) if self.material else None
        except PresetError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if chosen is not None and chosen.kind != shape.kind:
            # Water has no material; anything else may be soft or rigid.
            if shape.kind not in BODY_KINDS:
                self.report({"ERROR"}, f"{shape.label} is of no material; leave Material empty.")
                return {"CANCELLED"}
            if shape.loose:
                self.report({"ERROR"}, f"{shape.label} has no faces to make a solid of; choose a soft material.")
                return {"CANCELLED"}
            shape = shape._replace(kind=chosen.kind)
        mesh = mesh_of(shape)
        usual = max(max(corner.co[k] for corner in mesh.vertices) - min(corner.co[k] for corner in mesh.vertices)
                    for k in range(3))
        mesh.transform(Matrix.Scale((self.size or usual) / usual, 4))
        obj = object_data_add(context, mesh, operator=self)
        add_kind(obj, shape.kind)
        try:
            _give_settings(obj, shape, self.material, usual, self.size or usual)
        except PresetError as error:
            self.report({"WARNING"}, str(error))
        if shape.pins:
            reach = max(abs(vertex.co.x) for vertex in mesh.vertices)
            ends = [vertex.index for vertex in mesh.vertices if abs(vertex.co.x) > (1.0 - 1e-4) * reach]
            obj.vertex_groups.new(name=PIN_GROUP).add(ends, 1.0, "REPLACE")
        context.view_layer.update()
        message = fit_steps(context.scene, [obj] if self.size else [])
        if message is not None:
            self.report({"INFO"}, message)
        return {"FINISHED"}


def _give_settings(obj: bpy.types.Object, shape: Shape, material: str, usual: float, size: float) -> None:
    """Set the chosen material, or without one the shape's own settings; usual, size: longest side [m]."""
    own = getattr(getattr(obj, SETTINGS), settings_field(shape.kind))
    if not material:
        for field, value in settings_of(shape, usual, size).items():
            setattr(own, field, value)
        return
    give_material(obj, material)
    if KINDS[shape.kind].traits.is_springy and not obj.data.polygons:
        own.graph = "EDGES"


class FLOTSAM_MT_add(bpy.types.Menu):
    """Bodies and scenes that are ready to be solved"""

    bl_idname = MENU_ADD
    bl_label = "Flotsam"

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw a row for each body, then for each scene."""
        self.layout.operator_context = "INVOKE_REGION_WIN"
        for name, shape in SHAPES.items():
            self.layout.operator(OP_ADD_BODY, text=shape.label, icon=shape.icon).shape = name
        self.layout.separator()
        draw_scenes(self.layout)


CLASSES = (FLOTSAM_OT_add_body, FLOTSAM_MT_add)


def draw_entry(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    """Draw the entry in the Add menu."""
    menu.layout.menu(MENU_ADD, icon="MOD_FLUIDSIM")


def register() -> None:
    """Add the entry to the Add menu."""
    bpy.types.VIEW3D_MT_add.append(draw_entry)


def unregister() -> None:
    """Remove the entry from the Add menu."""
    bpy.types.VIEW3D_MT_add.remove(draw_entry)
