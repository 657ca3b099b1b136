"""A collider: its mesh, and whether it may move."""

from __future__ import annotations

import bpy

from ....engine.spec import ColliderSpec
from ...names import SETTINGS
from ..captured import CapturedCollider
from ..checks import refuse_mesh, refuse_object
from ..mesh import read_mesh, world_matrix
from ..motion import is_deformed, is_moved
from .base import Capturing, Taken, settings_of


def capture(obj: bpy.types.Object, scene: Capturing) -> Taken:
    """Capture a collider; keeps its data if it moves or deforms.

    Raises:
        CaptureError: one sentence that names the object and says what to do.
    """
    matrix = world_matrix(obj.evaluated_get(scene.depsgraph))
    refuse_object(obj, matrix, scene.by_hand)
    mesh = read_mesh(obj, scene.depsgraph)
    refuse_mesh(obj.name, mesh, False, "", "")
    deforms, moving = is_deformed(obj), None
    if deforms or scene.by_hand or is_moved(obj):
        moving = CapturedCollider(obj.name_full, matrix, mesh.local, deforms)
    settings = settings_of(getattr(obj, SETTINGS).collider, ColliderSpec)
    return Taken(ColliderSpec(obj.name_full, mesh.vertices, mesh.triangles, **settings), collider=moving)
