"""Camera, sun, sky and color management."""

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
    azimuth, elevation = math.radians(light.azimuth), math.radians(light.elevation)
    to_sun = Vector(
        (math.cos(azimuth) * math.cos(elevation), math.sin(azimuth) * math.cos(elevation), math.sin(elevation))
    )
    lamp = bpy.data.lights.new("Late Sun", "SUN")
    lamp.energy = light.sun
    lamp.color = colour(light.colour)[:3]
    lamp.angle = math.radians(2.5)
    sun = bpy.data.objects.new("Late Sun", lamp)
    sun.location = 12.0 * to_sun
    sun.rotation_euler = to_sun.to_track_quat("Z", "Y").to_euler()
    collection.objects.link(sun)
    scene.world = sky("Late Sky", to_sun, light.sky)
    return sun


def set_view_transform(light: Light, scene: bpy.types.Scene) -> None:
    """Set the scene's view transform, look and exposure."""
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.look = "AgX - Medium High Contrast"
    scene.view_settings.exposure = light.exposure


def add_reflections(scene: bpy.types.Scene) -> None:
    """Ray-trace reflections of floating objects in the water; rougher surfaces reflect only the sky."""
    eevee = scene.eevee
    eevee.use_raytracing = True
    eevee.ray_tracing_options.resolution_scale = "1"
    eevee.ray_tracing_options.trace_max_roughness = 0.1
