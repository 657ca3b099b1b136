"""`Scene.flotsam.overlay`: what is drawn over bodies in the 3D view."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatProperty

from .from_spec import COMMON

# Items that may be drawn, in the order of the popover.
SHOWN = ("springs", "pins", "spheres", "velocities", "compression", "ties", "fields", "pin_forces")


class FlotsamOverlay(bpy.types.PropertyGroup):
    """What is drawn over the 3D view."""

    springs: BoolProperty(
        name="Springs", description="Edges of soft bodies by how far they are stretched: red shorter, blue longer",
        default=False, options=set(), **COMMON,
    )
    pins: BoolProperty(
        name="Pins", description="Vertices that are held", default=False, options=set(), **COMMON,
    )
    spheres: BoolProperty(
        name="Contact Spheres", description="What others touch of bodies whose Touched is Spheres",
        default=False, options=set(), **COMMON,
    )
    velocities: BoolProperty(
        name="Velocities", description="Where vertices and particles go, as arrows; up to 2,000 of them",
        default=False, options=set(), **COMMON,
    )
    compression: BoolProperty(
        name="Compression", description="How much denser than at rest a fluid is: blue at rest, red from 5 % on; up to "
        "5,000 particles", default=False, options=set(), **COMMON,
    )
    ties: BoolProperty(
        name="Ties and Joints", description="What holds bodies together: links of attachments, joints and their axes",
        default=False, options=set(), **COMMON,
    )
    fields: BoolProperty(
        name="Fields and Wind", description="What force fields do to a body at rest, and the scene's wind, as arrows "
        "around bodies", default=False, options=set(), **COMMON,
    )
    pin_forces: BoolProperty(
        name="Pin Forces", description="What springs pull at pins with: an arrow at each pin, and at the middle of "
        "the pins one for their sum, and one with two heads for the torque, along its axis",
        default=False, options=set(), **COMMON,
    )
    selected_only: BoolProperty(
        name="Selected Only", description="Draw for selected objects only", default=False, options=set(), **COMMON,
    )
    full_stretch: FloatProperty(
        name="Full Color", description="Stretch that is drawn in full red or blue; 0 takes what most springs show",
        default=0.0, min=0.0, soft_max=100.0, max=1e4, precision=2, subtype="PERCENTAGE", options=set(), **COMMON,
    )
    field_length: FloatProperty(
        name="Field Arrows", description="Length of an arrow for each m/s² of a field and each m/s of wind (m); 0 "
        "makes the strongest as long as they are apart",
        default=0.0, min=0.0, soft_max=1.0, max=1e3, options=set(), **COMMON,
    )
    force_length: FloatProperty(
        name="Force Arrows", description="Length of an arrow for each newton (m); 0 makes the strongest half as "
        "long as its body",
        default=0.0, min=0.0, soft_max=1.0, max=1e3, precision=5, options=set(), **COMMON,
    )
    arrow_seconds: FloatProperty(
        name="Arrow Length", description="Arrows are as long as the way in this time (s)",
        default=0.1, min=1e-4, soft_max=1.0, max=1e3, options=set(), **COMMON,
    )


CLASSES = (FlotsamOverlay,)
