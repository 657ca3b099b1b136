"""A fluid: it fills the mesh at the start or streams in, and the object shows it as points."""

from __future__ import annotations

import math

import bpy
import numpy as np

from ....engine.spec import FluidSpec
from ....engine.spec.kinds.fluid import SPACING_SHARE, layers
from ...names import SETTINGS
from ..captured import CapturedBody
from ..checks import refuse_mesh, refuse_object
from ..mesh import read_mesh, world_matrix
from ..motion import is_moved
from ..nozzle import nozzle_of, nozzle_pose
from ..sentence import Sentence
from .base import Capturing, Taken, settings_of

# Cost of a particle in time and memory, as a number of vertices of a soft body.
PARTICLE_VERTICES = 4


def capture(obj: bpy.types.Object, scene: Capturing) -> Taken:
    """Capture a fluid and the data for its bake.

    Raises:
        CaptureError: one sentence that names the object and says what to do.
    """
    matrix = world_matrix(obj.evaluated_get(scene.depsgraph))
    refuse_object(obj, matrix, scene.by_hand)
    mesh = read_mesh(obj, scene.depsgraph)
    nozzle = nozzle_of(obj, scene.depsgraph.scene)
    if nozzle is None:
        refuse_mesh(obj.name, mesh, False, "", "")
    if is_moved(obj) and nozzle is None:
        said = f"{obj.name} is animated, but its fluid comes from where the mesh is at the first frame."
        scene.warnings.append(Sentence(said, obj.name_full))
    settings = settings_of(getattr(obj, SETTINGS).fluid, FluidSpec)
    pose = None if nozzle is None else nozzle_pose(nozzle, obj.name, scene.depsgraph)
    spec = FluidSpec(obj.name_full, mesh.vertices, mesh.triangles, pose, **settings)
    return Taken(spec, CapturedBody(
        name=obj.name_full, points=len(mesh.vertices), vertices=PARTICLE_VERTICES * particles_of(obj),
        mesh_points=len(obj.data.vertices), matrix=matrix, local=mesh.local, kinematic=np.empty(0, dtype=np.int32),
        moves=scene.by_hand or is_moved(obj), deforms=False, output=spec.output,
        nozzle="" if nozzle is None else nozzle.name_full,
        nozzle_moves=nozzle is not None and (scene.by_hand or is_moved(nozzle)),
    ))


def particles_of(obj: bpy.types.Object) -> int:
    """Estimated number of particles: those that fill the bounding box, or the limit of an emitter."""
    fluid, sides = getattr(obj, SETTINGS).fluid, [float(side) for side in obj.dimensions]
    if fluid.emission in ("INFLOW", "POINT"):
        return int(fluid.limit)
    spacing = fluid.spacing or SPACING_SHARE * max(sides)
    return math.prod(layers(side, spacing) for side in sides) if spacing > 0.0 else 0


def foam_of(obj: bpy.types.Object) -> int:
    """Largest number of spray, foam and bubble particles at one time."""
    fluid = getattr(obj, SETTINGS).fluid
    return int(fluid.foam_limit) if fluid.foam and fluid.emission != "OUTFLOW" else 0
