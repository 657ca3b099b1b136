"""Open sea as a Flotsam object: bodies ride on the mesh that is rendered, which an Ocean modifier makes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from .looks.sea import sea
from .mesh import mesh_from_arrays, new_object

if TYPE_CHECKING:
    from .ocean_plan import Ocean
    from .plan import Plan, Timing

# Distance of the horizon [m], and depth of the distant sea below the mean level, lower than all troughs [m].
_HORIZON, _BELOW = 390.0, 0.8


def add_ocean(
    ocean: Ocean, plan: Plan, scene: bpy.types.Scene, collection: bpy.types.Collection, scenery: bpy.types.Collection
) -> list[bpy.types.Object]:
    """The water, and a level sea behind it up to the horizon, which takes no part in the simulation."""
    import numpy as np

    look = sea("Deep Sea", plan.flow, scene)
    square = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    face = np.array([[0, 1, 2, 3]])
    # The modifier replaces this mesh by its own.
    water = new_object(mesh_from_arrays("Sea", 0.5 * ocean.size * square, face), collection, look)
    water.location = (*ocean.at, plan.river.level)
    water.visible_shadow = False
    water.flotsam.kind = "WATER"
    own = water.flotsam.water
    own.surface, own.flow, own.drag = "MESH", plan.flow, plan.drag
    _make_waves(water, ocean)
    _animate(water, plan.timing, scene)
    far = new_object(mesh_from_arrays("Far Sea", _HORIZON * square, face), scenery, look)
    far.location = (0.0, ocean.at[1] + (ocean.tiles[1] - 1.5) * ocean.size + _HORIZON, plan.river.level - _BELOW)
    far.visible_shadow = False
    return [water, far]


def _make_waves(water: bpy.types.Object, ocean: Ocean) -> None:
    """Give the water its modifier; viewport and render show the mesh that bodies float on."""
    waves = water.modifiers.new("Ocean", "OCEAN")
    waves.geometry_mode = "GENERATE"
    waves.spatial_size, (waves.repeat_x, waves.repeat_y) = ocean.size, ocean.tiles
    waves.resolution = waves.viewport_resolution = ocean.resolution
    waves.wind_velocity, waves.wave_direction = ocean.wind, math.radians(ocean.direction)
    waves.wave_alignment, waves.wave_scale, waves.choppiness = ocean.alignment, ocean.scale, ocean.choppiness
    waves.wave_scale_min, waves.random_seed = ocean.shortest, ocean.seed


def _animate(water: bpy.types.Object, timing: Timing, scene: bpy.types.Scene) -> None:
    """Animate the waves in real time, before and after the preset's frames too."""
    waves, rate = water.modifiers["Ocean"], scene.render.fps / scene.render.fps_base
    for frame in (timing.start, timing.end):
        waves.time = frame / rate
        waves.keyframe_insert("time", frame=frame)
    action = water.animation_data.action
    curves = action.fcurves if hasattr(action, "fcurves") else action.layers[0].strips[0].channelbags[0].fcurves
    for curve in curves:
        curve.extrapolation = "LINEAR"
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
