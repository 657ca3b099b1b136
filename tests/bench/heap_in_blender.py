"""A pile of boxes as Blender's rigid bodies, in a separate scene."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

import bpy
import numpy as np
from mathutils import Matrix

SUBSTEPS, ITERATIONS = 10, 10
CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
# Thickness of walls and floor, and height of walls, which are planes in our world [m].
THICK, HIGH = 2.0, 16.0

Stage = tuple[list[bpy.types.Object], Callable[[int], None]]


@contextmanager
def in_blender(
    box_poses: np.ndarray, side: float, half_width: float, friction: float, density: float, frames: int
) -> Generator[Stage, None, None]:
    """Boxes with sides of `side` [m] at poses (n, 4, 4) in a bin; yields their objects and a function to set the frame.

    Bullet multiplies the friction coefficients of two surfaces, so each gets the square root of the pair's coefficient.
    """
    before = bpy.context.window.scene if bpy.context.window else None
    scene = bpy.data.scenes.new("Heap")
    # A frame change evaluates the scene of the window.
    if before is not None:
        bpy.context.window.scene = scene
    with bpy.context.temp_override(scene=scene):
        bpy.ops.rigidbody.world_add()
    bodies = bpy.data.collections.new("Bodies")
    world = scene.rigidbody_world
    world.collection, world.substeps_per_frame, world.solver_iterations = bodies, SUBSTEPS, ITERATIONS
    scene.frame_start, scene.frame_end = 1, frames
    world.point_cache.frame_start, world.point_cache.frame_end = 1, frames
    meshes = [_cuboid(side, side, side)]
    boxes = [_object(scene, bodies, meshes[0], Matrix(pose.tolist()), friction) for pose in box_poses]
    for obj in boxes:
        obj.rigid_body.mass = density * side**3
        obj.rigid_body.linear_damping = obj.rigid_body.angular_damping = 0.0
    for size, centre in _walls(half_width):
        meshes.append(_cuboid(*size))
        _object(scene, bodies, meshes[-1], Matrix.Translation(centre), friction).rigid_body.type = "PASSIVE"
    try:
        yield boxes, scene.frame_set
    finally:
        if before is not None:
            bpy.context.window.scene = before
        bpy.data.batch_remove([*bodies.objects, *meshes, bodies])
        bpy.data.scenes.remove(scene)


def poses(objects: list[bpy.types.Object]) -> np.ndarray:
    """Poses of boxes in the current frame: (n, 4, 4)."""
    return np.array([obj.matrix_world for obj in objects])


def _cuboid(x: float, y: float, z: float) -> bpy.types.Mesh:
    mesh = bpy.data.meshes.new("cuboid")
    mesh.from_pydata([(a * x, b * y, c * z) for a, b, c in CORNERS], [], FACES)
    return mesh


def _object(
    scene: bpy.types.Scene, bodies: bpy.types.Collection, mesh: bpy.types.Mesh, pose: Matrix, friction: float
) -> bpy.types.Object:
    obj = bpy.data.objects.new("box", mesh)
    obj.matrix_world = pose
    scene.collection.objects.link(obj)
    bodies.objects.link(obj)
    obj.rigid_body.collision_shape = "BOX"
    obj.rigid_body.friction, obj.rigid_body.restitution = friction**0.5, 0.0
    return obj


def _walls(half_width: float) -> list[tuple[tuple[float, float, float], tuple[float, float, float]]]:
    """Sizes and centres of a floor and four walls."""
    wide, distance = 2.0 * half_width + 4.0, half_width + THICK / 2.0
    walls = [((wide, wide, THICK), (0.0, 0.0, -THICK / 2.0))]
    for side in (-1.0, 1.0):
        walls.append(((THICK, wide, HIGH), (side * distance, 0.0, HIGH / 2.0)))
        walls.append(((wide, THICK, HIGH), (0.0, side * distance, HIGH / 2.0)))
    return walls
