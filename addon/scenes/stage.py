"""Camera, sun, sky and the way the picture is developed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy
from mathutils import Vector

from .looks.shading import colour
from .looks.sky import sky

if TYPE_CHECKING:
    from .plan import Light, View


def add_camera(view: View, collection: bpy.types.Collection) -> bpy.types.Object:
    """A low camera with a little depth of field."""
    lens = bpy.data.cameras.new("Camera")
    lens.lens = view.lens
    lens.clip_start, lens.clip_end = 0.05, 400.0
    lens.dof.use_dof = True
    lens.dof.focus_distance = (Vector(view.focus) - Vector(view.at)).length
    lens.dof.aperture_fstop = view.f_stop
    camera = bpy.data.objects.new("Camera", lens)
    camera.location = view.at
    camera.rotation_euler = (Vector(view.look_at) - Vector(view.at)).to_track_quat("-Z", "Y").to_euler()
    collection.objects.link(camera)
    return camera


def add_light(light: Light, scene: bpy.types.Scene, collection: bpy.types.Collection) -> bpy.types.Object:
    """The sun as a lamp with soft shadows, and the sky as the scene's world."""
    turn, lift = math.radians(light.azimuth), math.radians(light.elevation)
    towards = Vector((math.cos(turn) * math.cos(lift), math.sin(turn) * math.cos(lift), math.sin(lift)))
    lamp = bpy.data.lights.new("Late Sun", "SUN")
    lamp.energy = light.sun
    lamp.color = colour(light.colour)[:3]
    lamp.angle = math.radians(2.5)
    sun = bpy.data.objects.new("Late Sun", lamp)
    sun.location = 12.0 * towards
    sun.rotation_euler = towards.to_track_quat("Z", "Y").to_euler()
    collection.objects.link(sun)
    scene.world = sky("Late Sky", towards, light.sky)
    return sun


def develop(light: Light, scene: bpy.types.Scene) -> None:
    """Set how the picture is turned into colours of the screen."""
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.look = "AgX - Medium High Contrast"
    scene.view_settings.exposure = light.exposure


def add_reflections(scene: bpy.types.Scene) -> None:
    """Let the water mirror what floats on it; rougher things do with the sky."""
    eevee = scene.eevee
    eevee.use_raytracing = True
    eevee.ray_tracing_options.resolution_scale = "1"
    eevee.ray_tracing_options.trace_max_roughness = 0.1
