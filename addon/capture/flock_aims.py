"""Goals and predators of a flock: objects, curves and meshes as points."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np
from mathutils.geometry import interpolate_bezier

from ...engine import FlockControl
from ...engine.spec import KINDS
from ..names import SETTINGS
from .checks import refuse_places
from .errors import CaptureError
from .mesh import inverse, is_flat, read_points, transform, world_matrix
from .motion import is_deformed, is_moved

# Agents land on vertices with at least this vertical component of the unit normal, about 45 degrees, if there are any.
LEAST_UP = 0.7
# Fractional part of the golden ratio. The fractional parts of its first k multiples are evenly spread for every k.
GOLDEN_FRACTION = 0.6180339887498949


class FlockAims(NamedTuple):
    """Goal and predator of a flock.

    Attributes:
        goal, predator: names of the objects, "" for none; lands: whether it lands; moves: whether they may move.
        landing_vertices: (k,) vertices of the goal to land on, in the order of the agents; None for a disc.
    """

    goal: str
    predator: str
    lands: bool
    moves: bool
    landing_vertices: np.ndarray | None = None


def aims_of(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, by_hand: bool) -> FlockAims:
    """Goal and predator in the settings of a flock.

    Raises:
        CaptureError: such an object is not in the scene, or is the flock itself.
    """
    settings, scene = getattr(obj, SETTINGS).flock, depsgraph.scene
    names = {}
    for field, what, way_out in (
        ("goal_object", "goal", "choose another one, or none"), ("predator_object", "predator", "choose another one"),
    ):
        aim = getattr(settings, field)
        names[field] = ""
        if aim is None:
            continue
        if aim == obj:
            raise CaptureError(f"{obj.name} is its own {what}; {way_out}.")
        if scene.objects.get(aim.name) != aim:
            raise CaptureError(f"The {what} of {obj.name}, {aim.name}, is not in this scene any more; {way_out}.")
        names[field] = aim.name_full
    found = [aim for field in names if (aim := getattr(settings, field)) is not None]
    moves = by_hand or any(is_moved(aim) or (aim.type == "MESH" and is_deformed(aim)) for aim in found)
    lands, goal = settings.arrival == "LAND", settings.goal_object
    landing_vertices = (
        _find_landing_vertices(goal.evaluated_get(depsgraph))
        if lands and goal is not None and goal.type == "MESH" else None
    )
    return FlockAims(names["goal_object"], names["predator_object"], lands, moves, landing_vertices)


def goal_warning(obj: bpy.types.Object) -> str:
    """A warning if a flock's goal is a moving body of the same simulation, else ""."""
    goal = getattr(obj, SETTINGS).flock.goal_object
    if goal is None or not (kind := KINDS.get(getattr(goal, SETTINGS).kind)) or not kind.traits.moves:
        return ""
    return (
        f"{obj.name} goes for the place where {goal.name} starts, for {goal.name} is solved in the same bake; "
        "to go after it, take the rule Seek in Interactions."
    )


def places_of(aims: FlockAims, name: str, depsgraph: bpy.types.Depsgraph) -> FlockControl:
    """Positions of a flock's goal and predator now.

    Raises:
        CaptureError: an object is gone or has no finite position, or a path has fewer than two points.
    """
    goal, predator = (_object(aim, name) for aim in (aims.goal, aims.predator))
    no_points = np.zeros((0, 3))
    path = perches = no_points
    if goal is not None:
        evaluated = goal.evaluated_get(depsgraph)
        matrix = world_matrix(evaluated)
        path = _path(goal, matrix) if goal.type == "CURVE" else matrix[:3, 3][None].copy()
        if aims.landing_vertices is not None and goal.type == "MESH":
            points = read_points(evaluated.data)
            perches = transform(matrix, points[aims.landing_vertices[aims.landing_vertices < len(points)]])
    predators = no_points if predator is None else world_matrix(predator.evaluated_get(depsgraph))[:3, 3][None].copy()
    for aim, places in ((goal, path), (goal, perches), (predator, predators)):
        if aim is not None:
            refuse_places(aim.name, places, ("point", "points"))
    return FlockControl(path, perches, predators)


def spec_fields(control: FlockControl) -> dict[str, np.ndarray | None]:
    """Positions at the start, by field of the specification."""
    return {field: value if len(value) else None for field in ("goal_path", "perches", "predators")
            for value in (getattr(control, field),)}


def start_places(mesh: bpy.types.Mesh, settings: bpy.types.PropertyGroup, name: str) -> np.ndarray:
    """Start positions of agents in object space, (n, 3); raises CaptureError if there are none or one is not finite."""
    if settings.start_on == "FACES":
        places = np.empty(3 * len(mesh.polygons), dtype=np.float32)
        mesh.polygons.foreach_get("center", places)
        places = places.reshape(-1, 3)
    else:
        places = read_points(mesh)
    if len(places) == 0:
        what = "faces" if settings.start_on == "FACES" else "vertices"
        raise CaptureError(f"{name} has no {what} for agents to start on; give it some, or choose another Start On.")
    refuse_places(name, places, ("face", "faces") if settings.start_on == "FACES" else ("vertex", "vertices"))
    if settings.start_on == "VOLUME":
        low, high = places.min(axis=0), places.max(axis=0)
        places = low + (high - low) * np.random.default_rng(0).random((int(settings.count), 3))
    return places.astype(np.float64)


def _object(name: str, flock: str) -> bpy.types.Object | None:
    if not name:
        return None
    found = bpy.data.objects.get((name, None)) or next((o for o in bpy.data.objects if o.name_full == name), None)
    if found is None:
        raise CaptureError(f"{name}, which {flock} heeds, was deleted or renamed meanwhile; start again.")
    return found


def _find_landing_vertices(evaluated: bpy.types.Object) -> np.ndarray:
    """Vertices to land on: upward-facing ones, else all; ordered so that any first k are spread over the mesh."""
    mesh, matrix = evaluated.data, world_matrix(evaluated)
    chosen = np.arange(len(mesh.vertices))
    if len(mesh.polygons) and not is_flat(matrix):
        normals = np.empty(3 * len(chosen), dtype=np.float32)
        mesh.vertex_normals.foreach_get("vector", normals)
        upward = np.einsum("ij,ki->kj", inverse(matrix)[:3, :3], normals.reshape(-1, 3))
        is_top = upward[:, 2] >= LEAST_UP * np.linalg.norm(upward, axis=1)
        chosen = np.flatnonzero(is_top) if is_top.any() else chosen
    return chosen[np.argsort(GOLDEN_FRACTION * np.arange(len(chosen)) % 1.0, kind="stable")]


def _path(obj: bpy.types.Object, matrix: np.ndarray) -> np.ndarray:
    """Points along the first spline of a curve [m], (k, 3) in world space."""
    spline = obj.data.splines[0] if obj.data.splines else None
    points = () if spline is None else spline.bezier_points if spline.type == "BEZIER" else spline.points
    if len(points) < 2:
        count = "no point" if len(points) == 0 else "one point"
        raise CaptureError(f"{obj.name} is a path of {count}; give it two or more, or take an empty as the goal.")
    ends = [*points, points[0]] if spline.use_cyclic_u else list(points)
    if spline.type == "BEZIER":
        steps = spline.resolution_u + 1
        found = [
            point for one, other in zip(ends, ends[1:], strict=False)
            for point in interpolate_bezier(one.co, one.handle_right, other.handle_left, other.co, steps)
        ]
    else:
        found = [point.co[:3] for point in ends]
    return transform(matrix, np.array(found, dtype=np.float64))


