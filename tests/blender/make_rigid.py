"""A small scene of rigid bodies, and helpers to read their keyframes."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from make_scene import fresh_scene

FRAMES = 24


def rigid_scene(folder: Path) -> bpy.types.Scene:
    """An empty saved file with a range of one second."""
    return fresh_scene(folder, (1, FRAMES))


def add_box(
    name: str, location: tuple[float, float, float], rotation: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> bpy.types.Object:
    """A crate of half a metre, nine voxels across."""
    bpy.ops.mesh.primitive_cube_add(size=0.5, location=location, rotation=rotation)
    box = bpy.context.object
    box.name = name
    box.flotsam.kind = "VOXEL_BODY"
    box.flotsam.voxel_body.voxel_size = 0.06
    box.select_set(False)
    return box


def add_floor() -> bpy.types.Object:
    """A plane of 20 m at height 0."""
    bpy.ops.mesh.primitive_plane_add(size=20.0)
    floor = bpy.context.object
    floor.flotsam.kind = "COLLIDER"
    floor.select_set(False)
    return floor


def curves_of(obj: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The F-Curves of an object."""
    animation = obj.animation_data
    strip = animation.action.layers[0].strips[0]
    return list(strip.channelbag(animation.action_slot).fcurves)


def place_at(scene: bpy.types.Scene, obj: bpy.types.Object, frame: int) -> np.ndarray:
    """matrix_world at a frame, (4, 4)."""
    scene.frame_set(frame)
    return np.array(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
