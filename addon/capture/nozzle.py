"""The nozzle of a fluid: an object whose Z axis a jet follows."""

from __future__ import annotations

import bpy
import numpy as np

from ..names import SETTINGS
from .errors import CaptureError
from .mesh import is_flat, world_matrix


def nozzle_of(obj: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Object | None:
    """The object that a fluid flows from; None for a fluid without a point source.

    Raises:
        CaptureError: it is not in the scene.
    """
    fluid = getattr(obj, SETTINGS).fluid
    if fluid.emission != "POINT":
        return None
    nozzle = fluid.nozzle or obj
    if scene.objects.get(nozzle.name) != nozzle:
        raise CaptureError(f"The nozzle of {obj.name}, {nozzle.name}, is not in this scene; choose another one.")
    return nozzle


def nozzle_pose(nozzle: bpy.types.Object, fluid: str, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """The nozzle's matrix_world (4, 4); raises CaptureError if that is scaled to zero or not finite."""
    matrix = world_matrix(nozzle.evaluated_get(depsgraph))
    if is_flat(matrix):
        raise CaptureError(f"{nozzle.name}, the nozzle of {fluid}, is scaled to zero; keep its scale away from 0.")
    return matrix
