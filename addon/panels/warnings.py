"""Warnings, one sentence each. They are computed at every redraw, so none reads a mesh or iterates over the scene."""

from __future__ import annotations

import math
import time

import bpy

from ...engine.spec import uses_mesh
from ..names import BODY_KINDS, NO_KIND, OP_MATCH_LEVELS, OP_SELECT, SETTINGS
from ..properties.kinds import spec_class_of, traits_of, values_of
from .tab import draw_sentence

# Interval between scans of all bodies of a scene, of which there may be hundreds [s]; largest number of rows shown.
_LOOK_SECONDS, _MOST_ROWS = 1.0, 4
# Largest number of warnings of the last bake that are shown.
_MOST_WARNINGS = 8
# Number of a collider's triangles above which a warning appears; memory per triangle, measured with a million [B].
_MANY_TRIANGLES, _BYTES_EACH = 300_000, 700
# Largest drag coefficient of a hull; pressure of a stream [Pa] from which a larger coefficient gets a warning, about
# the air pressure of a swim ring.
_DRAG_OF_HULLS, _CRUSHING_PRESSURE = 0.3, 200.0
_looked: tuple[str, float, list[str]] = ("", 0.0, [])


def object_warnings(obj: bpy.types.Object) -> list[str]:
    """Warnings about the object as a whole."""
    if min(abs(size) for size in obj.scale) < 1e-9:
        return ["Scaled to zero; give it a scale other than 0 on every axis."]
    if traits_of(obj).lifts:
        from ..capture.kinds.water import wave_warnings

        return _stream_warnings(getattr(obj, SETTINGS).water) + wave_warnings(obj)
    if obj.type == "MESH" and traits_of(obj).is_wall:
        # A face with n corners has n - 2 triangles.
        triangles = len(obj.data.loops) - 2 * len(obj.data.polygons)
        if triangles > _MANY_TRIANGLES:
            return [
                f"{obj.name} has {triangles:,} triangles, which take about {triangles * _BYTES_EACH / 1e9:.1f} GB "
                "and a while before the first frame; Decimate it, or make a coarser mesh the collider in its place."
            ]
    return []


def _stream_warnings(water: bpy.types.PropertyGroup) -> list[str]:
    """Warn about a stream that crushes bodies held in it, because Drag acts on the whole wet surface."""
    speed = math.hypot(*water.flow)
    pressure = 0.5 * water.density * water.drag * speed**2
    if water.law != "HYDROSTATIC" or water.drag < 1.01 * _DRAG_OF_HULLS or pressure < _CRUSHING_PRESSURE:
        return []
    return [
        f"A stream of {speed:.1f} m/s with a Drag of {water.drag:g} pushes what is held in it with {pressure:,.0f} Pa; "
        "for rings, balls and boats set Drag to 0.1 to 0.3."
    ]


def air_warnings(obj: bpy.types.Object) -> list[str]:
    """Warnings about a soft body's gas."""
    from ..capture.stack import modifiers_before

    settings = getattr(obj, SETTINGS).spring_graph
    if obj.type != "MESH" or settings.pressure == 0.0 or settings.pressure_law != "GAS":
        return []
    mesh = obj.data
    # Modifiers such as Solidify may close an open mesh.
    if modifiers_before(obj):
        return []
    if not mesh.polygons:
        return ["A mesh without faces holds no air; add faces, or set Pressure to 0."]
    # In a closed surface every edge has two faces, so there are two loops per edge.
    if len(mesh.loops) < 2 * len(mesh.edges):
        return ["The mesh is open; Flotsam closes its holes with flat lids to hold the air."]
    return []


def tear_warnings(obj: bpy.types.Object) -> list[str]:
    """Why a soft body with Tear cannot tear."""
    from ..capture.checks import TO_TEAR, no_tear

    settings = getattr(obj, SETTINGS).spring_graph
    found = no_tear(obj.name, {field: getattr(settings, field) for field, *_ in TO_TEAR}) if settings.tear else None
    return [] if found is None else [found]


def cache_warnings(obj: bpy.types.Object, scene: bpy.types.Scene) -> list[str]:
    """Warnings about the bake and its files."""
    from ..bake.owner import cache_problem

    found = []
    problem = cache_problem(obj, scene) if obj.type == "MESH" else None
    if problem is not None:
        found.append(problem)
    if not bpy.data.filepath:
        found.append("The file is not saved; save it to keep the bake beside it.")
    return found


def scene_cache_warnings(scene: bpy.types.Scene) -> list[str]:
    """Sentences about bodies of the scene with missing or outdated frames."""
    global _looked
    name, at, found = _looked
    now = time.monotonic()
    if name != scene.name or now - at > _LOOK_SECONDS:
        found = _scene_problems(scene)
        _looked = (scene.name, now, found)
    return found


def _scene_problems(scene: bpy.types.Scene) -> list[str]:
    from ..bake.owner import cache_problem

    taking_part = [obj for obj in scene.objects if getattr(obj, SETTINGS).kind != NO_KIND and obj.type == "MESH"]
    problems = [problem for obj in taking_part if (problem := cache_problem(obj, scene)) is not None]
    # Bodies that were baked together have the same sentence about a change.
    found = list(dict.fromkeys(problems))
    more = len(found) - _MOST_ROWS
    return found[:_MOST_ROWS] + ([f"And {more} more do not fit."] if more > 0 else [])


def draw_last_warnings(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the warnings of the last bake, with a button that selects the object of each."""
    from ..bake.said import warnings_of

    found = warnings_of(context.scene.name)
    if not found:
        return
    box = layout.box()
    box.label(text="The last bake warned:")
    for sentence in found[:_MOST_WARNINGS]:
        if sentence.about:
            box.operator(OP_SELECT, text=sentence.about, icon="RESTRICT_SELECT_OFF").name = sentence.about
        draw_sentence(box, context, sentence)
    if len(found) > _MOST_WARNINGS:
        box.label(text=f"And {len(found) - _MOST_WARNINGS} more, in the Info editor.")


def draw_levels(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the choice between viewport and render levels, where they differ and only one could play the bake."""
    from ..capture.levels import unlike_modifiers

    obj = context.object
    has_waves = traits_of(obj).lifts and uses_mesh(spec_class_of(obj), values_of(obj))
    if obj.type != "MESH" or not (has_waves or getattr(obj, SETTINGS).kind in BODY_KINDS):
        return
    unlike = unlike_modifiers(obj, context.scene)
    if not unlike:
        return
    where = "before Flotsam differs between viewport and render, so the render does not play a bake"
    if has_waves:
        where = "differs between viewport and render, so what floats does not lie on the waves of the render"
    draw_sentence(layout, context, f"{unlike[0].name} {where}. Give both the same:")
    row = layout.row(align=True)
    row.operator(OP_MATCH_LEVELS, text="Render Levels", icon="RESTRICT_RENDER_OFF").to = "RENDER"
    row.operator(OP_MATCH_LEVELS, text="Viewport Levels", icon="RESTRICT_VIEW_OFF").to = "VIEWPORT"
