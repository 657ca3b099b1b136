"""Bodies for the overlay: the last Live frame, the bake at the scene's current frame, or the evaluated mesh.

Only reads data, because it runs while a view is drawn. `signature` detects changes within microseconds per body.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...engine import SpringGraphSpec, cache
from ..capture.mesh import read_edges, read_points, read_rest, read_triangles, transform, world_matrix
from ..live import state as live_state
from ..live.session import LiveSession
from ..names import SETTINGS
from ..paths import kernel_cache_folder
from ..properties.kinds import traits_of
from ..properties.overlay import SHOWN
from ..solver.spheres import Spheres, spheres_of
from ..write import baked_file
from . import fields, particles, ties
from .picture import DisplaySettings, Subject
from .springs import spring_fields, springs_of_object

_spheres: dict[tuple[Any, ...], Spheres] = {}


def display_settings(scene: bpy.types.Scene) -> DisplaySettings:
    """Display settings of the artist."""
    chosen = getattr(scene, SETTINGS).overlay
    return DisplaySettings(
        **{name: getattr(chosen, name) for name in SHOWN}, selected_only=chosen.selected_only,
        full_stretch=chosen.full_stretch, arrow_seconds=chosen.arrow_seconds, field_length=chosen.field_length,
        force_length=chosen.force_length,
    )


def signature(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, changes: int) -> tuple[Any, ...]:
    """Equal as long as the picture is the same; `changes` counts mesh changes."""
    display = display_settings(scene)
    session, seen = live_state.current(), chosen_names(scene, view_layer)
    seen = None if seen is None else tuple(sorted(seen))
    rows = (*(ties.signature(scene) if display.ties else ()), *(fields.signature(scene) if display.fields else ()))
    if session is not None:
        number = -1 if session.frame is None else session.frame.number
        return (display, seen, rows, id(session), id(session.captured), id(session.frame), number)
    return (display, seen, rows, changes, scene.frame_current_final, *map(_state_of, _bodies(view_layer)))


def chosen_names(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> set[str] | None:
    """Full names of the selected objects if only those are drawn, None for all."""
    if not getattr(scene, SETTINGS).overlay.selected_only:
        return None
    return {obj.name_full for obj in view_layer.objects if obj.select_get(view_layer=view_layer)}


def subjects(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, depsgraph: bpy.types.Depsgraph) -> list[Subject]:
    """All visible bodies that should be drawn."""
    session, seen = live_state.current(), chosen_names(scene, view_layer)
    if session is not None:
        shown = [*_of_session(session), *particles.of_session(session)]
        return [subject for subject in shown if seen is None or subject.name in seen]
    bodies = [obj for obj in _bodies(view_layer) if seen is None or obj.name_full in seen]
    points = [particles.of_object(obj, scene, depsgraph) for obj in bodies if particles.is_points(obj)]
    meshes = [_of_object(obj, scene, depsgraph) for obj in bodies if not particles.is_points(obj)]
    return [*meshes, *(subject for subject in points if subject is not None)]


def _bodies(view_layer: bpy.types.ViewLayer) -> list[bpy.types.Object]:
    return [
        obj for obj in view_layer.objects
        if (traits_of(obj).is_springy or particles.is_points(obj)) and obj.type == "MESH" and obj.visible_get()
    ]


def _state_of(obj: bpy.types.Object) -> tuple[Any, ...]:
    file, settings = baked_file(obj), getattr(obj, SETTINGS)
    pinned = settings.pin_group, settings.spring_graph.release_pins
    return obj.name_full, pinned, file and (file, _samples(file)), tuple(map(tuple, obj.matrix_world))


def _samples(file: Any) -> int:
    """Finished samples of a file, 0 if it cannot be read."""
    try:
        return cache.read_header(file).samples
    except OSError:
        return 0


def _of_session(session: LiveSession) -> list[Subject]:
    found = []
    for spec in session.captured.spec.systems:
        if not spec.traits.is_springy:
            continue
        start = spec.vertices if spec.start is None else spec.start
        frame = session.frame
        known = frame is not None and len(frame.positions.get(spec.name, ())) == len(start)
        springs = session.springs.get(spec.name)
        if springs is not None and springs.pairs.max() >= len(start):
            # The mesh has changed since these springs were built.
            springs = None
        pin_loads = frame.pins.get(spec.name) if known else None
        pins = (() if spec.release_pins else spec.pins) if pin_loads is None else pin_loads["vertex"]
        found.append(Subject(
            spec.name, frame.positions[spec.name] if known else start, pins=np.asarray(pins, dtype=np.int64),
            pin_forces=None if pin_loads is None else pin_loads["force"],
            velocities=frame.velocities.get(spec.name) if known else None,
            spheres=session.spheres.get(spec.name), **spring_fields(springs, spec.vertices, spec.edges),
        ))
    return found


def _of_object(obj: bpy.types.Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Subject:
    """The baked frame of an object, or its evaluated mesh."""
    evaluated = obj.evaluated_get(depsgraph)
    matrix = world_matrix(evaluated)
    played = _played(obj, scene)
    mesh = evaluated.data
    if played is not None and len(mesh.vertices) != len(played[0]):
        # A modifier after Flotsam changed the vertex count; the object's own mesh may match the solved one.
        mesh = obj.data
    edges = read_edges(mesh)
    if played is None:
        local = read_points(mesh)
        first, velocities = local, None
    else:
        local, before, first = played
        rate = scene.render.fps / scene.render.fps_base
        velocities = rate * np.einsum("ij,kj->ik", (local - before).astype(np.float64), matrix[:3, :3])
        if len(mesh.vertices) != len(local):
            edges = np.zeros((0, 2), dtype=np.int32)
    rest = read_rest(mesh)
    rest = first if rest is None or len(rest) != len(local) else rest
    world_rest = transform(matrix, rest)
    springs = springs_of_object(obj, mesh, world_rest) if len(mesh.vertices) == len(local) else None
    return Subject(
        obj.name_full, transform(matrix, local), pins=_pins(evaluated, mesh, len(local)), velocities=velocities,
        spheres=_spheres_of(obj, mesh, world_rest), **spring_fields(springs, world_rest, edges),
    )


def _played(obj: bpy.types.Object, scene: bpy.types.Scene) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Positions (n, 3) in object space at the scene's frame, at the one before, and at the first."""
    file = baked_file(obj)
    if file is None or not any(mod.show_viewport for mod in obj.modifiers if mod.type == "MESH_CACHE"):
        return None
    try:
        header = cache.read_header(file)
        if not header.samples:
            return None
        last = header.samples - 1
        sample = min(max(int(scene.frame_current - header.start), 0), last)
        return tuple(cache.read_sample(file, number) for number in (sample, max(sample - 1, 0), 0))
    except OSError:
        return None


def _spheres_of(obj: bpy.types.Object, mesh: bpy.types.Mesh, rest: np.ndarray) -> Spheres | None:
    """Proxy spheres from the engine, computed once per shape and settings; None if not yet available."""
    settings = getattr(obj, SETTINGS).spring_graph
    if settings.contact != "PROXIES" or len(mesh.vertices) != len(rest):
        return None
    key = (obj.name_full, len(rest), rest[:16].tobytes(), settings.proxy_count, settings.thickness)
    if key not in _spheres:
        found = spheres_of(SpringGraphSpec(
            obj.name_full, rest, read_triangles(mesh) if mesh.polygons else None, read_edges(mesh),
            contact="PROXIES", proxy_count=settings.proxy_count, thickness=settings.thickness,
        ), kernel_cache_folder())
        if found is None:
            return None
        if len(_spheres) > 64:
            _spheres.clear()
        _spheres[key] = found
    return _spheres[key]


def _pins(obj: bpy.types.Object, mesh: bpy.types.Mesh, count: int) -> np.ndarray:
    """Vertices with a weight above 0.5 in the pin group, (p,); none in frames that release them."""
    settings = getattr(obj, SETTINGS)
    group = obj.vertex_groups.get(settings.pin_group)
    if settings.spring_graph.release_pins or group is None or len(mesh.vertices) != count:
        return np.zeros(0, dtype=np.int64)
    index = group.index
    return np.array([
        vertex.index for vertex in mesh.vertices
        if any(entry.group == index and entry.weight > 0.5 for entry in vertex.groups)
    ], dtype=np.int64)
