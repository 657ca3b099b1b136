"""The water's surface as a Flotsam object: its origin sets the water level; its mesh only renders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from .looks.water import water
from .mesh import grid_faces, mesh_from_arrays, new_object
from .river import River

if TYPE_CHECKING:
    import numpy as np

    from .plan import Boulder, Plan

SWELL = 0.035


def add_water(plan: Plan, scene: bpy.types.Scene, collection: bpy.types.Collection) -> bpy.types.Object:
    """A sheet with attributes for depth and foam, and a low swell that drifts downstream."""
    mesh = _sheet(plan.river, plan.boulders, plan.flow)
    obj = new_object(mesh, collection, water("Mountain Water", plan.flow, scene))
    obj.location.z = plan.river.level
    # Nothing below it is visible, so its shadow would only cost render time.
    obj.visible_shadow = False
    obj.flotsam.kind = "WATER"
    obj.flotsam.water.flow = plan.flow
    obj.flotsam.water.drag = plan.drag
    _swell(obj, plan, scene, collection)
    return obj


def _sheet(river: River, boulders: tuple[Boulder, ...], flow: tuple[float, float, float]) -> bpy.types.Mesh:
    import numpy as np

    low, high = river.length
    along = np.linspace(0.0, 1.0, 220)
    y = (low + (high - low) * (0.3 * along + 0.7 * along**2.4))[:, None]
    s = np.linspace(-1.0, 1.0, 96)[None, :] * (river.half_width + 0.9) + 0.0 * y
    y = y + 0.0 * s
    x = river.middle(y) + s
    depth = river.level - river.height(s, y)
    foam = 0.55 * np.exp(-np.abs(river.edge(s, y) + 0.05) / 0.12)
    for boulder in boulders:
        foam = np.maximum(foam, _wake(x, y, boulder, flow))
    vertices = np.stack((x, y, 0.0 * x), axis=-1).reshape(-1, 3)
    return mesh_from_arrays(
        "Water", vertices, grid_faces(*x.shape), attributes={"depth": depth.ravel(), "foam": foam.ravel()}
    )


def _wake(x: np.ndarray, y: np.ndarray, boulder: Boulder, flow: tuple[float, float, float]) -> np.ndarray:
    """Foam around a boulder, 0 to 1: a collar, and a wake downstream."""
    import numpy as np

    radius = 0.5 * (boulder.size[0] + boulder.size[1])
    speed = max(float(np.hypot(flow[0], flow[1])), 1e-9)
    dx, dy = x - boulder.at[0], y - boulder.at[1]
    behind = (dx * flow[0] + dy * flow[1]) / speed
    aside = np.abs(dx * flow[1] - dy * flow[0]) / speed
    collar = np.exp(-np.maximum(np.hypot(dx, dy) - 0.95 * radius, 0.0) / 0.14)
    tail = 0.62 * np.exp(-((aside - 0.55 * radius) / (0.4 * radius)) ** 2) * np.exp(-np.maximum(behind, 0.0) / 1.7)
    return np.maximum(collar, np.where(behind > 0.0, tail, 0.0))


def _swell(obj: bpy.types.Object, plan: Plan, scene: bpy.types.Scene, collection: bpy.types.Collection) -> None:
    """Displace the sheet by a noise texture whose coordinates follow an empty that drifts with the flow."""
    drift = bpy.data.objects.new("Water Drift", None)
    drift.empty_display_size = 0.3
    collection.objects.link(drift)
    rate = scene.render.fps / scene.render.fps_base
    for axis in range(3):
        driver = drift.driver_add("location", axis).driver
        driver.type = "SCRIPTED"
        speed = plan.flow[axis] if axis < 2 else 0.12
        driver.expression = f"frame * {speed / rate:.6g}"
    clouds = bpy.data.textures.new("Swell", "CLOUDS")
    clouds.noise_scale = 0.9
    clouds.noise_depth = 1
    displace = obj.modifiers.new("Swell", "DISPLACE")
    displace.texture = clouds
    displace.texture_coords = "OBJECT"
    displace.texture_coords_object = drift
    displace.direction = "Z"
    displace.mid_level = 0.5
    displace.strength = 2.0 * SWELL
