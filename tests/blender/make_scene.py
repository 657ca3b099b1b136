"""Small scenes shared by the tests of capture and bake."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import bpy
import flotsam


def fresh_scene(folder: Path | None = None, frames: tuple[int, int] = (1, 6)) -> bpy.types.Scene:
    """An empty scene with the add-on registered; saved as scene.blend when a folder is given."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    if not hasattr(bpy.types.Object, "flotsam"):
        flotsam.register()
    scene = bpy.context.scene
    scene.flotsam.frame_start, scene.flotsam.frame_end = frames
    scene.flotsam.substeps = 5
    if folder is not None:
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    return bpy.context.scene


def mesh_object(
    name: str, vertices: Sequence[Sequence[float]], faces: Sequence[Sequence[int]] = (),
    edges: Sequence[Sequence[int]] = (),
) -> bpy.types.Object:
    """A selected, active object in the scene."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, edges, faces)
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    bpy.context.view_layer.update()
    return obj


def cube(name: str = "Cube", size: float = 0.5, z: float = 2.0) -> bpy.types.Object:
    """A cube of 8 vertices and 6 quads, outward faces."""
    h = size / 2.0
    vertices = [(x, y, t) for t in (-h, h) for y in (-h, h) for x in (-h, h)]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    obj = mesh_object(name, vertices, faces)
    obj.location.z = z
    bpy.context.view_layer.update()
    return obj


def sheet(name: str = "Sheet", count: int = 6, size: float = 1.0) -> bpy.types.Object:
    """A level grid of count x count vertices in the XY plane."""
    step = size / (count - 1)
    vertices = [(i * step - size / 2, j * step - size / 2, 0.0) for j in range(count) for i in range(count)]
    faces = [
        (j * count + i, j * count + i + 1, (j + 1) * count + i + 1, (j + 1) * count + i)
        for j in range(count - 1) for i in range(count - 1)
    ]
    return mesh_object(name, vertices, faces)


def ring(name: str = "Ring", major: int = 16, minor: int = 8, z: float = 1.0) -> bpy.types.Object:
    """A torus of major x minor vertices, radii 0.5 and 0.15."""
    vertices, faces = [], []
    for i in range(major):
        for j in range(minor):
            a, b = 2 * math.pi * i / major, 2 * math.pi * j / minor
            r = 0.5 + 0.15 * math.cos(b)
            vertices.append((r * math.cos(a), r * math.sin(a), 0.15 * math.sin(b)))
            k, m = (i + 1) % major, (j + 1) % minor
            faces.append((i * minor + j, k * minor + j, k * minor + m, i * minor + m))
    obj = mesh_object(name, vertices, faces)
    obj.location.z = z
    bpy.context.view_layer.update()
    return obj


def soft(obj: bpy.types.Object, **settings: object) -> bpy.types.Object:
    """Make an object a soft body with the Flotsam modifier at the end of its stack."""
    obj.flotsam.kind = "SPRING_GRAPH"
    for name, value in settings.items():
        setattr(obj.flotsam.spring_graph, name, value)
    modifier = obj.modifiers.new("Flotsam", "MESH_CACHE")
    modifier.show_viewport = modifier.show_render = False
    return obj


def pin(obj: bpy.types.Object, vertices: Sequence[int], weight: float = 1.0) -> None:
    """Add vertices to the pin group."""
    group = obj.vertex_groups.get("pins") or obj.vertex_groups.new(name="pins")
    group.add(list(vertices), weight, "REPLACE")


def ground(z: float = 0.0) -> bpy.types.Object:
    """A collider four metres wide."""
    obj = mesh_object("Ground", [(-2, -2, z), (2, -2, z), (2, 2, z), (-2, 2, z)], [(0, 1, 2, 3)])
    obj.flotsam.kind = "COLLIDER"
    return obj


def world_positions(obj: bpy.types.Object, frame: int) -> list[tuple[float, ...]]:
    """Vertices of an object in world space as Blender shows them at a frame."""
    bpy.context.scene.frame_set(frame)
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    places = [tuple(evaluated.matrix_world @ vertex.co) for vertex in mesh.vertices]
    evaluated.to_mesh_clear()
    return places
