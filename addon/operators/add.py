"""`flotsam.add`: selected objects become soft or rigid bodies of a material, colliders or water."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, StringProperty

from ...engine.spec import KINDS
from ..names import MODIFIER, NO_KIND, OP_ADD, SETTINGS, settings_field
from ..properties.kinds import traits_of
from ..properties.object import KIND_ITEMS
from .fit_steps import fit_steps
from .poll_reasons import baking, is_grey

_KINDS = tuple(item for item in KIND_ITEMS if item[0] != NO_KIND)
_CAN_BECOME_MESHES = ("CURVE", "SURFACE", "META", "FONT", "CURVES", "POINTCLOUD")


def material_names(_operator: bpy.types.Operator, _context: bpy.types.Context, _typed: str) -> list[str]:
    """Names of all material presets, for the search field of an operator."""
    from ..presets import material_presets

    return list(material_presets())


class FLOTSAM_OT_add(bpy.types.Operator):
    """Let the selected objects take part in Flotsam"""

    bl_idname = OP_ADD
    bl_label = "Add Flotsam"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(
        name="Kind", description="What the selected objects become",
        items=_KINDS, default=_KINDS[0][0],
    )
    material: StringProperty(
        name="Material", description="What they are made of, scaled to the size of each: name of a material preset, "
        "which decides the kind too; without one, soft bodies get one that suits their mesh",
        search=material_names, options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Something must be selected, and no bake be running."""
        if is_grey(cls, baking()):
            return False
        return not is_grey(cls, "Nothing is selected; select a mesh" if not context.selected_objects else None)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tip of the material or of the kind."""
        from ..presets import material_presets

        preset = material_presets().get(properties.material)
        if preset is not None:
            return preset.tip
        return next((item[2] for item in _KINDS if item[0] == properties.kind), cls.__doc__)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Add all objects that can take part; report the reason for each of the others."""
        from ..presets import PresetError, material_named

        try:
            kind = material_named(self.material).kind if self.material else self.kind
        except PresetError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        done, with_material = [], []
        for obj in context.selected_objects:
            reason = why_not_kind(obj, kind)
            if reason is None:
                add_kind(obj, kind)
                if give_material(obj, self.material):
                    with_material.append(obj)
                done.append(obj)
            else:
                self.report({"WARNING"}, reason)
        message = fit_steps(context.scene, with_material)
        if message is not None:
            self.report({"INFO"}, message)
        return {"FINISHED"} if done else {"CANCELLED"}


def why_not_kind(obj: bpy.types.Object, kind: str) -> str | None:
    """Why an object cannot become that kind, None when it can."""
    from ..write.mesh_cache import is_ours

    if obj.library is not None:
        return f"{obj.name} is linked from another file and cannot be changed; make it local or override it first."
    spec_class = KINDS[kind]
    if spec_class.geometry != "MESH":
        return None
    if obj.type in _CAN_BECOME_MESHES:
        return f"{obj.name} is no mesh; convert it with Object > Convert > Mesh first."
    if obj.type != "MESH":
        return f"{obj.name} is no mesh and cannot become one; select a mesh."
    # In Edit Mode the mesh data are outdated until updated.
    obj.update_from_editmode()
    if not obj.data.vertices:
        return f"{obj.name} has no vertices; add some geometry first."
    if not obj.data.polygons and (spec_class.traits.is_wall or spec_class.traits.is_rigid):
        why = "to bump into" if spec_class.traits.is_wall else "to make a solid of"
        return f"{obj.name} has no faces {why}; fill it with faces first."
    if spec_class.output == "MESH" and MODIFIER in obj.modifiers and not is_ours(obj):
        return f'{obj.name} has another modifier named "{MODIFIER}"; rename that one first.'
    return None


def add_kind(obj: bpy.types.Object, kind: str) -> None:
    """Make an object a kind that `why_not_kind` allows."""
    getattr(obj, SETTINGS).kind = kind
    if KINDS[kind].output == "MESH" and MODIFIER not in obj.modifiers:
        # Disabled until the bake; it shows the artist where in the stack the solved shape enters.
        modifier = obj.modifiers.new(MODIFIER, "MESH_CACHE")
        modifier.show_viewport = modifier.show_render = False


def give_material(obj: bpy.types.Object, material: str) -> bool:
    """Give a body a material for its kind; returns whether it got one.

    With "", a soft body with unchanged settings gets one that suits its mesh, so that it is not limp; other bodies stay
    as they are.

    Raises:
        PresetError: there is no such material.
    """
    from ..presets import apply_material

    settings = getattr(obj, SETTINGS)
    chosen = material
    if not chosen and traits_of(obj).is_springy and not _is_changed(settings):
        chosen = suitable_material(obj.data)
    if chosen:
        apply_material(obj, chosen)
    return bool(chosen)


def suitable_material(mesh: bpy.types.Mesh) -> str:
    """Name of a material for the type of mesh: strands, a sheet, or a solid."""
    if not mesh.polygons:
        return "rope"
    # In a closed surface every edge has two faces, so there are two loops per edge.
    return "rubber" if len(mesh.loops) >= 2 * len(mesh.edges) else "cloth"


def _is_changed(settings: bpy.types.PropertyGroup) -> bool:
    """Whether any setting of the soft body differs from its default."""
    own = getattr(settings, settings_field(settings.kind))
    return any(own.is_property_set(field) for field in own.bl_rna.properties.keys() if field != "rna_type")


CLASSES = (FLOTSAM_OT_add,)
