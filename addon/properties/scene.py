"""`Scene.flotsam`: substeps, frames and folder of the bake, and the lists of interactions."""

from __future__ import annotations

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ...engine.spec import WorldSpec, params_of
from ..names import CACHE_FOLDER, SETTINGS
from .attachments import FlotsamAttachment
from .from_spec import COMMON, property_of
from .interactions import FlotsamInteraction
from .joints import FlotsamJoint
from .outside import FlotsamAir
from .overlay import FlotsamOverlay

# Values of `range_choice`: nothing chosen yet, the scene's range, the bake's own range.
_UNCHOSEN, _SCENE, _OWN = range(3)


def bake_range(settings: FlotsamScene) -> tuple[int, int]:
    """First and last frame of a bake: those of the scene, unless the artist has set others."""
    if settings.follow_scene:
        return settings.id_data.frame_start, settings.id_data.frame_end
    return settings.frame_start, settings.frame_end


def _follows(settings: FlotsamScene) -> bool:
    """Whether the range follows the scene; files of earlier versions may contain a range of their own."""
    if settings.range_choice != _UNCHOSEN:
        return bool(settings.range_choice == _SCENE)
    return not (settings.is_property_set("frame_start") or settings.is_property_set("frame_end"))


def _follow(settings: FlotsamScene, follow: bool) -> None:
    if not follow and settings.follow_scene:
        settings.frame_start, settings.frame_end = settings.id_data.frame_start, settings.id_data.frame_end
    settings.range_choice = _SCENE if follow else _OWN


def _start_moved(settings: FlotsamScene, _context: bpy.types.Context) -> None:
    """Keep start and end in order, as Blender's own range does: the new value stays and the other one follows."""
    settings.range_choice = _OWN
    if settings.frame_end >= settings.frame_start:
        return
    settings.frame_end = settings.frame_start


def _end_moved(settings: FlotsamScene, _context: bpy.types.Context) -> None:
    settings.range_choice = _OWN
    if settings.frame_start <= settings.frame_end:
        return
    settings.frame_start = settings.frame_end


class FlotsamBake(bpy.types.PropertyGroup):
    """Record of what a bake was made of, so that the panel can tell what has changed since."""

    name: StringProperty(name="Name", description="Stands for the bake", **COMMON)
    things: StringProperty(
        name="Things", description="Digits of all that was captured, by thing and part, as JSON", options=set(),
        **COMMON,
    )
    all_bodies: BoolProperty(
        name="All Bodies", description="Whether all bodies of the scene were baked, and not some alone", options=set(),
        **COMMON,
    )


class FlotsamScene(bpy.types.PropertyGroup):
    """Flotsam's settings of one scene."""

    range_choice: IntProperty(
        name="Range Choice", description="Whether the artist has chosen the range of the bake",
        default=_UNCHOSEN, min=_UNCHOSEN, max=_OWN, options={"HIDDEN"}, **COMMON,
    )
    follow_scene: BoolProperty(
        name="Scene Range", description="Bake the frames of the scene, from its Start to its End",
        get=_follows, set=_follow, options=set(),
    )
    frame_start: IntProperty(
        name="Start", description="First frame of the bake: bodies stand there as they are modelled",
        default=1, options=set(), update=_start_moved, **COMMON,
    )
    frame_end: IntProperty(
        name="End", description="Last frame of the bake",
        default=250, options=set(), update=_end_moved, **COMMON,
    )
    cache_folder: StringProperty(
        name="Folder", description="Where baked frames go; // is the folder of the .blend",
        default=CACHE_FOLDER, subtype="DIR_PATH",
        # Without these options Blender marks a "//" path, and a folder that does not exist yet, as errors.
        options={"PATH_SUPPORTS_BLEND_RELATIVE", "OUTPUT_PATH"}, **COMMON,
    )
    fitted_substeps: IntProperty(
        name="Fitted Substeps", description="Substeps that were set to fit a small body; 0 where the artist chose",
        default=0, min=0, options={"HIDDEN"}, **COMMON,
    )
    attributes: EnumProperty(
        name="Attributes",
        description="What a bake keeps of each vertex of soft bodies beside its place, for materials and nodes",
        items=(
            ("VELOCITY", "Velocity", "Attribute velocity: metres a second along the object's own axes; 12 bytes"),
            ("STRESS", "Stress", "Attribute stress: mean stretch of the springs, below 0 where pressed; 4 bytes"),
        ),
        default={"VELOCITY", "STRESS"}, options={"ENUM_FLAG"}, **COMMON,
    )
    grab_strength: FloatProperty(
        name="Grab Strength",
        description="Live: how many times its own weight pulls at a body for each metre that the mouse is away from it",
        default=20.0, min=0.1, soft_max=200.0, options=set(), **COMMON,
    )
    air: PointerProperty(type=FlotsamAir, **COMMON)
    overlay: PointerProperty(type=FlotsamOverlay, **COMMON)
    interactions: CollectionProperty(
        type=FlotsamInteraction, name="Interactions",
        description="What meets what, and how; the last row that fits a pair decides, and without one they touch",
    )
    interaction_index: IntProperty(name="Chosen Interaction", default=0, min=0, options=set())
    attachments: CollectionProperty(
        type=FlotsamAttachment, name="Attachments", description="What is tied to what: ropes to docks, tarps to frames",
    )
    attachment_index: IntProperty(name="Chosen Attachment", default=0, min=0, options=set())
    joints: CollectionProperty(
        type=FlotsamJoint, name="Joints", description="Which rigid bodies are joined: lids to chests, links to chains",
    )
    joint_index: IntProperty(name="Chosen Joint", default=0, min=0, options=set())
    bakes: CollectionProperty(
        type=FlotsamBake, name="Bakes", description="What the bakes that bodies play were made of",
    )


FlotsamScene.__annotations__.update(
    {field: property_of(declared) for field, declared in params_of(WorldSpec).items()}
)

CLASSES = (FlotsamBake, FlotsamScene)


def register() -> None:
    """Add the settings to all scenes."""
    setattr(bpy.types.Scene, SETTINGS, PointerProperty(type=FlotsamScene, name="Flotsam", **COMMON))


def unregister() -> None:
    """Remove the settings; values stored in a .blend stay in it."""
    delattr(bpy.types.Scene, SETTINGS)
