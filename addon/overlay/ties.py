"""Attachments and joints for the overlay: current positions of their ends, in Live, in a bake, or at rest."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ..capture.mesh import read_points, transform, world_matrix
from ..live import state as live_state
from ..live.session import LiveSession
from ..names import SETTINGS
from ..properties import attachments, joints
from ..properties.interactions import SIDES
from .picture import Pivot, Ties

# Drawn size of a joint as a fraction of the longest side of the joined body.
_PIVOT_FRACTION = 0.08


def signature(scene: bpy.types.Scene) -> tuple[Any, ...]:
    """Equal as long as the rows and the poses of their objects are the same."""
    settings = getattr(scene, SETTINGS)
    tied = ((row.mute, len(row.links), row.a_object, row.b_object) for row in settings.attachments)
    joined = (
        (row.mute, row.kind, tuple(row.place), tuple(row.axis), row.a_object, row.b_object) for row in settings.joints
    )
    rows = (*tied, *joined)
    named = {obj for row in rows for obj in row[-2:] if obj is not None}
    places = sorted((obj.name_full, *(value for line in obj.matrix_world for value in line)) for obj in named)
    return (*((*row[:-2], *(obj and obj.name_full for obj in row[-2:])) for row in rows), *places)


def ties(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, names: set[str] | None) -> Ties:
    """All valid rows that are not muted and have an end among `names`; None for all names."""
    settings, shown = getattr(scene, SETTINGS), dict[str, np.ndarray]()
    links = [np.zeros((0, 2, 3))]
    for row in settings.attachments:
        if row.mute or attachments.trouble_with(row, scene) or not _chosen(row, names):
            continue
        ends = []
        for side in SIDES:
            obj = getattr(row, f"{side}_object")
            if obj.name_full not in shown:
                shown[obj.name_full] = _vertices(obj, depsgraph)
            indices = np.array([getattr(link, side) for link in row.links], dtype=np.int64)
            ends.append(shown[obj.name_full][np.minimum(indices, len(shown[obj.name_full]) - 1)])
        links.append(np.stack(ends, axis=1))
    pivots = [
        _pivot(row, depsgraph) for row in settings.joints
        if not (row.mute or joints.trouble_with(row, scene)) and _chosen(row, names)
    ]
    return Ties(np.concatenate(links), tuple(pivots))


def _chosen(row: bpy.types.PropertyGroup, names: set[str] | None) -> bool:
    ends = (row.a_object, row.b_object)
    return names is None or any(obj is not None and obj.name_full in names for obj in ends)


def _vertices(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """Visible vertices of an object [m], (n, 3); its own mesh if modifiers after Flotsam change the vertex count."""
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.data if len(evaluated.data.vertices) == len(obj.data.vertices) else obj.data
    return transform(world_matrix(evaluated), read_points(mesh))


def _pivot(row: joints.FlotsamJoint, depsgraph: bpy.types.Depsgraph) -> Pivot:
    obj = row.a_object
    matrix = world_matrix(obj.evaluated_get(depsgraph))
    session = live_state.current()
    if session is not None:
        matrix = _moved(session, obj.name_full) @ matrix
    axis = matrix[:3, :3] @ np.array(row.axis) if row.kind == "HINGE" else np.zeros(3)
    size = _PIVOT_FRACTION * max(obj.dimensions)
    return Pivot(transform(matrix, np.array([row.place]))[0], axis, size)


def _moved(session: LiveSession, name: str) -> np.ndarray:
    """Transformation of a rigid body from its pose at the start of Live to its current one, (4, 4)."""
    spec = next((spec for spec in session.captured.spec.systems if spec.name == name), None)
    if spec is None or session.frame is None or name not in session.frame.transforms:
        return np.eye(4)
    start = np.eye(4) if spec.pose is None else spec.pose
    return session.frame.transforms[name] @ np.linalg.inv(start)
