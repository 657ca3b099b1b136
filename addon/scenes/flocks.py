"""Flocks of a scene: the box that agents start in, what they are shown as, their path, and what they want of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import bpy

from ..names import HAS_REST, SHOWN_AS
from .creatures import REST, poses_of
from .flock_plan import Flock, Will
from .plan import SceneError

# Of a flock's plan, what is no setting of its own name.
_SHAPE = {"name", "creature", "scale", "at", "size", "path"}
_CREATURES = ("starling", "duckling", "duck", "fish", "shark")


def add_flocks(flocks: Sequence[Flock], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Boxes that become flocks, and paths; what they are shown as lies in collections that no view layer shows.

    Raises:
        SceneError: a creature that there is not.
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
    own = box.flotsam.flock
    own.start_on = "VOLUME"
    for field in fields(Flock):
        if field.name not in _SHAPE:
            setattr(own, field.name, getattr(flock, field.name))
    made = [box]
    if flock.path:
        goal = _goal(flock, collection)
        own.goal_object = goal
        made.append(goal)
    poses = bpy.data.collections.new(f"{flock.name} Poses")
    for pose in poses_of(flock.creature, flock.scale):
        poses.objects.link(pose)
    if flock.creature in REST:
        poses[HAS_REST] = True
    # What lies above the scenes makes instances of it.
    box[SHOWN_AS] = poses
    return made


def _goal(flock: Flock, collection: bpy.types.Collection) -> bpy.types.Object:
    """An empty for one place, a round path for several."""
    name = f"{flock.name} Goal"
    if len(flock.path) == 1:
        goal = bpy.data.objects.new(name, None)
        goal.location = flock.path[0]
    else:
        curve = bpy.data.curves.new(name, "CURVE")
        curve.dimensions = "3D"
        spline = curve.splines.new("BEZIER")
        spline.bezier_points.add(len(flock.path) - 1)
        for point, place in zip(spline.bezier_points, flock.path, strict=True):
            point.co = place
            point.handle_left_type = point.handle_right_type = "AUTO"
        spline.use_cyclic_u = True
        goal = bpy.data.objects.new(name, curve)
    goal.hide_render = True
    collection.objects.link(goal)
    return goal


def add_wills(wills: Sequence[Will], scene: bpy.types.Scene, made: Sequence[bpy.types.Object]) -> None:
    """Rows of the scene's interactions between what was made.

    Raises:
        SceneError: a side that was not made.
    """
    # The scene may hold others of the same names, so Blender may have given these a number.
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
