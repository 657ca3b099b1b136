"""`Scene.flotsam.joints`: joints of rigid bodies, their places and degrees of freedom."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatVectorProperty, PointerProperty, StringProperty

from ...engine.spec import Joint
from .from_spec import TOUCHING
from .interactions import value_properties
from .kinds import traits_of


class FlotsamJoint(bpy.types.PropertyGroup):
    """A row of the list: a rigid body, what it is joined to, place and settings."""

    name: StringProperty(name="Name", description="What this row is for, in your own words", **TOUCHING)
    mute: BoolProperty(name="Mute", description="Join nothing by this row", default=False, options=set(), **TOUCHING)
    a_object: PointerProperty(name="A", description="The rigid body that is joined", type=bpy.types.Object, **TOUCHING)
    b_object: PointerProperty(
        name="B", description="The rigid body or the collider it is joined to; empty for the world",
        type=bpy.types.Object, **TOUCHING,
    )
    to_world: BoolProperty(
        name="To the World", description="Whether A is joined to the world", options=set(), **TOUCHING,
    )
    place: FloatVectorProperty(
        name="Place", description="Where they are joined, from the origin of A and along its axes, before its scale",
        subtype="TRANSLATION", unit="LENGTH", precision=4, options=set(), **TOUCHING,
    )
    axis: FloatVectorProperty(
        name="Axis", description="What a hinge turns about, along the axes of A; its length does not matter",
        default=(0.0, 0.0, 1.0), subtype="XYZ", options=set(), **TOUCHING,
    )


FlotsamJoint.__annotations__.update(value_properties(Joint))


def joined_to(row: FlotsamJoint) -> str:
    """The names of the two joined objects as a phrase."""
    other = "the world" if row.to_world else row.b_object.name
    return f"{row.a_object.name} to {other}"


def trouble_with(row: FlotsamJoint, scene: bpy.types.Scene) -> str:
    """A sentence about an invalid row, "" for a valid row; fast enough for drawing a panel."""
    for side, obj in (("A", row.a_object), ("B", row.b_object)):
        if side == "B" and row.to_world:
            continue
        if obj is None:
            return f"The joint {row.name} has lost its object {side}; remove the row."
        if scene.objects.get(obj.name) != obj:
            return f"The joint {row.name} means {obj.name}, which is not in this scene; remove the row."
    return unfit_pair(row.a_object, None if row.to_world else row.b_object) or ""


def unfit_pair(one: bpy.types.Object, other: bpy.types.Object | None) -> str | None:
    """Why an object cannot be joined to another object, or to the world; None if it can."""
    if not traits_of(one).is_rigid:
        return f"{one.name} is no rigid body; set its Kind in the Physics tab to join it."
    if other is not None and not (traits_of(other).is_rigid or traits_of(other).is_wall):
        return f"{other.name} is neither a rigid body nor a collider; set its Kind in the Physics tab to join it."
    if one == other:
        return f"{one.name} cannot be joined to itself."
    return None


CLASSES = (FlotsamJoint,)
