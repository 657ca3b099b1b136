"""`Scene.flotsam.attachments`: pairs of objects that are tied, vertex by vertex."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, CollectionProperty, IntProperty, PointerProperty, StringProperty

from ...engine.spec import Attachment
from ..names import SETTINGS
from .from_spec import TOUCHING
from .interactions import SIDES, value_properties
from .kinds import traits_of


class FlotsamLink(bpy.types.PropertyGroup):
    """Two tied vertices."""

    a: IntProperty(
        name="Vertex of A", description="Number of the vertex in the first mesh", min=0, options=set(), **TOUCHING,
    )
    b: IntProperty(
        name="Vertex of B", description="Number of the vertex in the second mesh", min=0, options=set(), **TOUCHING,
    )


class FlotsamAttachment(bpy.types.PropertyGroup):
    """A row of the list: two objects, their tied vertices, and settings."""

    name: StringProperty(name="Name", description="What this row is for, in your own words", **TOUCHING)
    mute: BoolProperty(name="Mute", description="Tie nothing by this row", default=False, options=set(), **TOUCHING)
    a_object: PointerProperty(name="A", description="The body that is tied", type=bpy.types.Object, **TOUCHING)
    b_object: PointerProperty(name="B", description="What it is tied to", type=bpy.types.Object, **TOUCHING)
    a_count: IntProperty(name="Vertices of A", description="How many its mesh had when it was tied", options=set())
    b_count: IntProperty(name="Vertices of B", description="How many its mesh had when it was tied", options=set())
    links: CollectionProperty(type=FlotsamLink, name="Links", description="The vertices that are tied, pair by pair")


FlotsamAttachment.__annotations__.update(value_properties(Attachment))


def trouble_with(row: FlotsamAttachment, scene: bpy.types.Scene) -> str:
    """A sentence about an invalid row, "" for a valid row; fast enough for drawing a panel."""
    for side in SIDES:
        obj = getattr(row, f"{side}_object")
        if obj is None:
            return f"The attachment {row.name} has lost its object {side.upper()}; remove the row."
        if scene.objects.get(obj.name) != obj:
            return f"The attachment {row.name} means {obj.name}, which is not in this scene; remove the row."
        if (trouble := unfit(obj)) is not None:
            return trouble
        before, now = getattr(row, f"{side}_count"), len(obj.data.vertices)
        if before != now:
            return (
                f"{obj.name} had {before} vertices when the attachment {row.name} was made and has {now} now; "
                "remove the row and attach it again."
            )
    return unfit_pair(row.a_object, row.b_object) or ""


def unfit(obj: bpy.types.Object) -> str | None:
    """Why an object cannot be attached; None if it can."""
    if obj.type != "MESH":
        return f"{obj.name} is no mesh and has no vertices to attach."
    traits = traits_of(obj)
    if traits.steers:
        if getattr(obj, SETTINGS).flock.start_on != "VERTICES":
            return f"Agents of {obj.name} do not start on its vertices; set Start On to Vertices to attach them."
        return None
    if not (traits.is_springy or traits.is_rigid or traits.is_wall):
        return f"{obj.name} is no soft or rigid body and no collider; set its Kind in the Physics tab to attach it."
    return None


def unfit_pair(one: bpy.types.Object, other: bpy.types.Object) -> str | None:
    """Why two objects cannot be attached to each other; None if they can."""
    if traits_of(one).is_wall and traits_of(other).is_wall:
        return f"Neither {one.name} nor {other.name} is a soft or rigid body; one of the two has to be."
    if one == other and traits_of(one).is_rigid:
        return f"{one.name} never bends; tie it to another body or a collider."
    return None


CLASSES = (FlotsamLink, FlotsamAttachment)
