"""A rigid body: its mesh, its pose and its stretch."""

from __future__ import annotations

import bpy
import numpy as np

from ....engine.spec import VoxelBodySpec
from ...names import SETTINGS
from ..captured import CapturedBody
from ..checks import refuse_mesh, refuse_object
from ..keyed import keyed_fields
from ..mesh import read_mesh, transform, world_matrix
from ..motion import is_moved
from ..rigid import Rigid, parent_matrix, refuse_rigid, refuse_solid, rigid_warnings, split
from ..sentence import about
from .base import Capturing, Taken, settings_of


def capture(obj: bpy.types.Object, scene: Capturing) -> Taken:
    """Capture a voxel body and the data for its bake.

    Raises:
        CaptureError: one sentence that names the object and says what to do.
    """
    evaluated = obj.evaluated_get(scene.depsgraph)
    matrix = world_matrix(evaluated)
    refuse_object(obj, matrix, scene.by_hand)
    parent = parent_matrix(evaluated)
    refuse_rigid(obj, parent)
    mesh = read_mesh(obj, scene.depsgraph)
    refuse_mesh(obj.name, mesh, False, "", "")
    settings = settings_of(getattr(obj, SETTINGS).voxel_body, VoxelBodySpec)
    refuse_solid(obj.name, mesh, settings["fill"])
    scene.warnings.extend(about(obj.name_full, rigid_warnings(obj, mesh, settings["inside"])))
    pose, stretch = split(matrix)
    is_kinematic = settings["animated"] or "animated" in keyed_fields(obj, VoxelBodySpec)
    spec = VoxelBodySpec(obj.name_full, transform(stretch, mesh.local), mesh.triangles, pose=pose, **settings)
    body = CapturedBody(
        name=obj.name_full,
        points=len(mesh.vertices),
        vertices=len(mesh.vertices),
        mesh_points=len(obj.data.vertices),
        matrix=matrix,
        local=mesh.local,
        kinematic=np.empty(0, dtype=np.int32),
        moves=scene.by_hand or (obj.parent is not None and is_moved(obj.parent)),
        deforms=False,
        rigid=Rigid(stretch, np.linalg.inv(parent) @ matrix, is_kinematic),
        output=spec.output,
    )
    return Taken(spec, body if scene.by_hand else body.for_bake())
