"""Flocks of a scene: the box that agents start in, the creatures that show them, their goal, and their interactions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import bpy

from ..names import HAS_REST, SHOWN_AS
from .creatures import REST, poses_of
from .flock_plan import Flock, Will
from .plan import SceneError

# Fields of `Flock` that do not have a setting of the same name.
_NOT_SETTINGS = {"name", "creature", "scale", "at", "size", "path"}
_CREATURES = ("starling", "duckling", "duck", "fish", "shark")


def add_flocks(flocks: Sequence[Flock], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Boxes that become flocks, and goals; their creatures are in collections that are not in any view layer.

    Raises:
        SceneError: a creature is unknown.
    """
    return [obj for flock in flocks for obj in _add_flock(flock, collection)]


def _add_flock(flock: Flock, collection: bpy.types.Collection) -> list[bpy.types.Object]:
    if flock.creature not in _CREATURES:
        raise SceneError(f"{flock.name} asks for the creature {flock.creature!r}; there are {', '.join(_CREATURES)}.")
    corners = [(0.5 * x, 0.5 * y, 0.5 * z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(flock.name)
    mesh.from_pydata([tuple(a * b for a, b in zip(corner, flock.size, strict=True)) for corner in corners], [], sides)
    box = bpy.data.objects.new(flock.name, mesh)
    box.location, box.display_type = flock.at, "BOUNDS"
    collection.objects.link(box)
    box.flotsam.kind = "FLOCK"
    settings = box.flotsam.flock
    settings.start_on = "VOLUME"
    for field in fields(Flock):
        if field.name not in _NOT_SETTINGS:
            setattr(settings, field.name, getattr(flock, field.name))
    made = [box]
    if flock.path:
        goal = _goal(flock, collection)
        settings.goal_object = goal
        made.append(goal)
    poses = bpy.data.collections.new(f"{flock.name} Poses")
    for pose in poses_of(flock.creature, flock.scale):
        poses.objects.link(pose)
    if flock.creature in REST:
        poses[HAS_REST] = True
    # The caller makes instances of it, see `write.instance_nodes.show_flocks`.
    box[SHOWN_AS] = poses
    return made


def _goal(flock: Flock, collection: bpy.types.Collection) -> bpy.types.Object:
    """An empty for a single point, a closed curve for several."""
    name = f"{flock.name} Goal"
    if len(flock.path) == 1:
        goal = bpy.data.objects.new(name, None)
        goal.location = flock.path[0]
    else:
        curve = bpy.data.curves.new(name, "CURVE")
        curve.dimensions = "3D"
        spline = curve.splines.new("BEZIER")
        spline.bezier_points.add(len(flock.path) - 1)
        for point, location in zip(spline.bezier_points, flock.path, strict=True):
            point.co = location
            point.handle_left_type = point.handle_right_type = "AUTO"
        spline.use_cyclic_u = True
        goal = bpy.data.objects.new(name, curve)
    goal.hide_render = True
    collection.objects.link(goal)
    return goal


def add_interactions(wills: Sequence[Will], scene: bpy.types.Scene, made: Sequence[bpy.types.Object]) -> None:
    """Add interactions between the new objects to the scene's list.

    Raises:
        SceneError: a named object is not among `made`.
    """
    # Blender may have appended a number, as the scene may contain other objects of the same names.
    named = {obj.name.split(".")[0]: obj for obj in made}
    for will in wills:
        row = scene.flotsam.interactions.add()
        row.name, row.rule = f"{will.a} and {will.b}", will.rule.upper()
        for side, name in (("a", will.a), ("b", will.b)):
            if name not in named:
                raise SceneError(f"A will names {name!r}, which is not in the scene.")
            setattr(row, f"{side}_who", "OBJECT")
            setattr(row, f"{side}_object", named[name])
        values = getattr(row, will.rule)
        for field in ("reach", "strength", "gap", "in_line"):
            if hasattr(values, field):
                setattr(values, field, getattr(will, field))
