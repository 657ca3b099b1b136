"""A flock: agents start on the mesh, and the object shows them as points."""

from __future__ import annotations

import bpy
import numpy as np

from ....engine.spec import FlockSpec
from ...names import SETTINGS
from ..captured import CapturedBody
from ..checks import refuse_object
from ..flock_aims import aims_of, goal_warning, places_of, spec_fields, start_places
from ..mesh import transform, world_matrix
from ..motion import is_moved
from ..sentence import Sentence
from .base import Capturing, Taken, settings_of


def capture(obj: bpy.types.Object, scene: Capturing) -> Taken:
    """Capture a flock and the data for its bake.

    Raises:
        CaptureError: one sentence that names the object and says what to do.
    """
    evaluated = obj.evaluated_get(scene.depsgraph)
    matrix = world_matrix(evaluated)
    refuse_object(obj, matrix, scene.by_hand)
    own = getattr(obj, SETTINGS).flock
    mesh = evaluated.to_mesh()
    try:
        local = start_places(mesh, own, obj.name)
    finally:
        evaluated.to_mesh_clear()
    aims = aims_of(obj, scene.depsgraph, scene.by_hand)
    if is_moved(obj):
        said = f"{obj.name} is animated, but its flock starts where the mesh is at the first frame."
        scene.warnings.append(Sentence(said, obj.name_full))
    if said := goal_warning(obj):
        scene.warnings.append(Sentence(said, obj.name_full))
    spec = FlockSpec(
        obj.name_full, transform(matrix, local), **spec_fields(places_of(aims, obj.name, scene.depsgraph)),
        **settings_of(own, FlockSpec),
    )
    return Taken(spec, CapturedBody(
        name=obj.name_full, points=len(local), vertices=len(local), mesh_points=len(obj.data.vertices), matrix=matrix,
        local=local, kinematic=np.empty(0, dtype=np.int32), moves=scene.by_hand or is_moved(obj), deforms=False,
        output=spec.output, aims=aims,
    ))
