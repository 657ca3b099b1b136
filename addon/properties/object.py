"""`Object.flotsam`: an object's kind, its settings for each kind, and data of its last bake."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, PointerProperty, StringProperty

from ...engine.spec import KINDS
from ..names import MODIFIER, NO_KIND, PIN_GROUP, SETTINGS, settings_field
from .from_spec import COMMON
from .kinds import SETTINGS_OF
from .outside import FlotsamEffectorWeights
from .touched import touch

# Label and tip of each kind.
LABELS = {
    NO_KIND: ("None", "Flotsam leaves this object alone"),
    **{kind: (spec_class.label, spec_class.tip) for kind, spec_class in KINDS.items()},
}

# The numbers are stored in .blend files, so a new kind must be added at the end of KINDS.
KIND_ITEMS = tuple((kind, *LABELS[kind], number) for number, kind in enumerate((NO_KIND, *KINDS)))


class FlotsamBaked(bpy.types.PropertyGroup):
    """Data of the last bake, from which later changes of mesh or settings are detected."""

    path: StringProperty(
        name="Baked Frames", description="The file with the baked frames, when it was baked", options=set(), **COMMON,
    )
    fingerprint: StringProperty(
        name="Fingerprint", description="Stands for everything baked with", options=set(), **COMMON,
    )
    record: StringProperty(
        name="Record", description="Which of the scene's records tells what it was baked with", options=set(), **COMMON,
    )
    name: StringProperty(name="Name", description="What the object was called, when it was baked", **COMMON)
    # Only in bakes by Flotsam 0.1, which had no records.
    settings: StringProperty(
        name="Settings", description="Stands for the object's settings, when it was baked", options=set(), **COMMON,
    )
    world: StringProperty(
        name="World", description="Stands for the settings of the scene, when it was baked", options=set(), **COMMON,
    )
    uid: IntProperty(
        name="Session", description="Tells the object that was baked from copies of it", options=set(), **COMMON,
    )
    vertex_count: IntProperty(
        name="Vertices", description="Vertices of the mesh before its modifiers, when it was baked",
        default=0, min=0, options=set(), **COMMON,
    )
    first: IntProperty(name="First Frame", description="Of the keys that a bake wrote", options=set(), **COMMON)
    last: IntProperty(name="Last Frame", description="Of the keys that a bake wrote", options=set(), **COMMON)
    # State of a rigid body before its bake, restored when the bake is cleared.
    action: PointerProperty(name="Own Action", type=bpy.types.Action, **COMMON)
    slot: StringProperty(name="Own Slot", options=set(), **COMMON)
    rotation_mode: StringProperty(name="Own Rotation Mode", options=set(), **COMMON)
    location: FloatVectorProperty(name="Own Location", size=3, options=set(), **COMMON)
    rotation: FloatVectorProperty(name="Own Rotation", size=4, options=set(), **COMMON)


def _kind_chosen(settings: FlotsamObject, _context: bpy.types.Context) -> None:
    """Remove the unused modifier of a soft body that was never baked, when the object's kind changes."""
    touch()
    obj = settings.id_data
    modifier = obj.modifiers.get(MODIFIER)
    idle = modifier is not None and modifier.type == "MESH_CACHE" and not modifier.show_viewport
    spec_class = KINDS.get(settings.kind)
    is_mesh = spec_class is not None and spec_class.output == "MESH"
    if not is_mesh and idle and settings.baked.vertex_count == 0:
        obj.modifiers.remove(modifier)


class FlotsamObject(bpy.types.PropertyGroup):
    """Flotsam's settings of one object."""

    kind: EnumProperty(
        name="Kind", description="What this object is to the solver",
        items=KIND_ITEMS, default=NO_KIND, options=set(), update=_kind_chosen, **COMMON,
    )
    effector_weights: PointerProperty(type=FlotsamEffectorWeights, **COMMON)
    pin_group: StringProperty(
        name="Pin Group", description="Vertices with more than half the weight in this group are held, or go where the "
        "animated object goes",
        default=PIN_GROUP, options=set(), update=touch, **COMMON,
    )
    pin_stiffness: FloatProperty(
        name="Soft Pins", description="Stiffness of the springs that draw vertices with part of the weight to their "
        "places, times the weight; only a full weight holds then. 0 holds all with more than half the weight; in N/m",
        default=0.0, min=0.0, soft_max=1e4, max=1e9, precision=1, options=set(), update=touch, **COMMON,
    )
    surface_cell: FloatProperty(
        name="Cell", description="Width of the cells that the finer surface is cut into, in particle radii; half as "
        "wide makes four times as many faces",
        default=1.0, min=0.25, max=4.0, soft_min=0.5, soft_max=2.0, options=set(), **COMMON,
    )
    surface_smoothing: IntProperty(
        name="Smoothing", description="How often a mesh of the finer surface is smoothed, so that single particles do "
        "not show",
        default=15, min=0, max=200, soft_max=50, options=set(), **COMMON,
    )
    material: StringProperty(name="Material", description="Label of the preset that was applied last", **COMMON)
    material_values: StringProperty(
        name="Material Values", description="Stands for the values that it gave", options=set(), **COMMON,
    )
    baked: PointerProperty(type=FlotsamBaked, **COMMON)


FlotsamObject.__annotations__.update(
    {settings_field(kind): PointerProperty(type=group, **COMMON) for kind, group in SETTINGS_OF.items()}
)

CLASSES = (FlotsamBaked, FlotsamObject)


def register() -> None:
    """Add the settings to all objects."""
    setattr(bpy.types.Object, SETTINGS, PointerProperty(type=FlotsamObject, name="Flotsam", **COMMON))


def unregister() -> None:
    """Remove the settings; values stored in a .blend stay in it."""
    delattr(bpy.types.Object, SETTINGS)
