"""What is wrong, in a sentence each. All are asked at every redraw, so none reads a mesh or walks the scene."""

from __future__ import annotations

import bpy

from ..names import SETTINGS


def object_warnings(obj: bpy.types.Object) -> list[str]:
    """About the object as a whole."""
    if min(abs(size) for size in obj.scale) < 1e-9:
        return ["Scaled to zero; give it a scale other than 0 on every axis."]
    return []


def air_warnings(obj: bpy.types.Object) -> list[str]:
    """About a soft body's air."""
    from ..capture.stack import modifiers_before

    settings = getattr(obj, SETTINGS).spring_graph
    if obj.type != "MESH" or settings.pressure == 0.0 or settings.pressure_law != "GAS":
        return []
    mesh = obj.data
    # Modifiers such as Solidify may close what is open here.
    if modifiers_before(obj):
        return []
    if not mesh.polygons:
        return ["A mesh without faces holds no air; add faces, or set Pressure to 0."]
    # In a closed surface every edge lies between two faces, so it is met by two of their corners.
    if len(mesh.loops) < 2 * len(mesh.edges):
        return ["The mesh is open; Flotsam closes its holes with flat lids to hold the air."]
    return []


def cache_warnings(obj: bpy.types.Object, scene: bpy.types.Scene) -> list[str]:
    """About what is baked and where it lies."""
    from ..bake.owner import cache_problem

    found = []
    problem = cache_problem(obj, scene) if obj.type == "MESH" else None
    if problem is not None:
        found.append(problem)
    if not bpy.data.filepath:
        found.append("The file is not saved; save it to keep the bake beside it.")
    return found
