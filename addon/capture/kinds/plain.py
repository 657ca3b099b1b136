"""An object of a kind without special capture: its mesh or placement, and its settings."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ....engine.spec import KINDS
from ...names import SETTINGS, settings_field
from ..captured import CapturedBody
from ..checks import refuse_object
from ..mesh import read_mesh, world_matrix
from ..motion import is_moved
from .base import Capturing, Taken, settings_of


def capture(obj: bpy.types.Object, scene: Capturing) -> Taken:
    """Capture a spec with the object's mesh, if its kind needs one, and the data for its bake, if it has output.

    Raises:
        CaptureError: one sentence that names the object and says what to do.
    """
    spec_class = KINDS[getattr(obj, SETTINGS).kind]
    matrix = world_matrix(obj.evaluated_get(scene.depsgraph))
    refuse_object(obj, matrix, scene.by_hand)
    settings = settings_of(getattr(getattr(obj, SETTINGS), settings_field(spec_class.kind)), spec_class)
    geometry: dict[str, Any] = {}
    local = np.zeros((0, 3))
    if spec_class.geometry == "MESH":
        mesh = read_mesh(obj, scene.depsgraph)
        geometry, local = {"vertices": mesh.vertices, "triangles": mesh.triangles}, mesh.local
    spec = spec_class(name=obj.name_full, **geometry, **settings)
    if spec.output == "NONE":
        return Taken(spec)
    return Taken(spec, CapturedBody(
        name=obj.name_full, points=len(local), vertices=len(local), mesh_points=len(obj.data.vertices), matrix=matrix,
        local=local, kinematic=np.empty(0, dtype=np.int32), moves=scene.by_hand or is_moved(obj), deforms=False,
        output=spec.output,
    ))
