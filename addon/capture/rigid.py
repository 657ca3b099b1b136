"""Rigid bodies: a stretched mesh and its initial pose, and the conversion to keyframes.

    matrix_world = pose S,   matrix_world of a frame = transform S,   matrix_basis = (parent's)^-1 matrix_world

S contains scale and mirroring, so objects with the same mesh and scale share voxels in any orientation.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...engine import Frame
from ..properties.kinds import traits_of
from .errors import CaptureError
from .mesh import MeshArrays, transform, world_matrix
from .motion import is_deformed

# A matrix as four points: its origin and the ends of its axes.
CORNERS = np.vstack((np.zeros(3), np.eye(3)))
# Decimals to which a stretch is rounded, so that equal scales agree; matrices are in single precision.
_DIGITS = 6
# Relative tolerance for unequal lengths of a parent's axes, and for their deviation from right angles.
_SHEAR_TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class Rigid:
    """Stretch of a rigid body's mesh, and placement of its object in the parent's space.

    Attributes:
        stretch: (4, 4) maps object space to the coordinates of the spec's vertices.
        basis: matrix_basis at the start, (4, 4) float64.
        is_kinematic: whether animation moves it, at least in some frames.
    """

    stretch: np.ndarray
    basis: np.ndarray
    is_kinematic: bool = False


def split(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pose and stretch of a (4, 4) matrix, whose product is the matrix; the pose is a rigid motion."""
    u, lengths, v = np.linalg.svd(matrix[:3, :3])
    sign = np.sign(np.linalg.det(u @ v))
    pose, stretch = np.eye(4), np.eye(4)
    pose[:3, :3], pose[:3, 3] = sign * (u @ v), matrix[:3, 3]
    unit = 10.0 ** np.floor(np.log10(lengths[0]))
    stretch[:3, :3] = unit * np.round(sign * (v.T * lengths) @ v / unit, _DIGITS)
    return pose, stretch


def parent_matrix(evaluated: bpy.types.Object) -> np.ndarray:
    """The matrix that maps an object's matrix_basis to its matrix_world, (4, 4) float64."""
    return world_matrix(evaluated) @ np.linalg.inv(np.array(evaluated.matrix_basis, dtype=np.float64))


def placed(frame: Frame, name: str, rigid: Rigid) -> np.ndarray:
    """The four points of a rigid body's matrix_world in a frame [m], (4, 3)."""
    return transform(frame.transforms[name] @ rigid.stretch, CORNERS)


def refuse_rigid(obj: bpy.types.Object, parent: np.ndarray) -> None:
    """Refuse an object that keyframes of location and rotation cannot place in the world.

    Raises:
        CaptureError: one sentence that says what to do.
    """
    active = next((constraint.name for constraint in obj.constraints if not constraint.mute), None)
    if active is not None:
        raise CaptureError(f"{obj.name} has the constraint {active}, which would pull at its keyframes; mute it first.")
    if obj.rigid_body is not None:
        raise CaptureError(f"{obj.name} is in Blender's Rigid Body World too; remove it from one of the two.")
    for curve in obj.animation_data.drivers if obj.animation_data is not None else ():
        if curve.data_path in ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle"):
            raise CaptureError(f"{obj.name} has a driver on its {curve.data_path}, which beats keyframes; delete it.")
    ancestor = obj.parent
    while ancestor is not None:
        if traits_of(ancestor).is_rigid:
            raise CaptureError(
                f"{obj.name} is a child of {ancestor.name}, which is a rigid body itself; clear its parent first "
                "(Object > Parent > Clear and Keep Transformation)."
            )
        ancestor = ancestor.parent
    lengths = np.linalg.norm(parent[:3, :3], axis=0)
    angles = parent[:3, :3].T @ parent[:3, :3] / np.outer(lengths, lengths) - np.eye(3)
    if np.ptp(lengths) > _SHEAR_TOLERANCE * lengths.max() or np.abs(angles).max() > _SHEAR_TOLERANCE:
        raise CaptureError(
            f"{obj.name} has a parent with an uneven scale, which would shear it as it turns; apply that scale "
            "(Object > Apply > Scale) or clear the parent."
        )


def refuse_solid(name: str, mesh: MeshArrays, fill: str) -> None:
    """Refuse a mesh without extent, and a flat mesh that should be filled.

    Raises:
        CaptureError: says what to do.
    """
    used = mesh.vertices[np.unique(mesh.triangles)]
    if np.ptp(used, axis=0).max() == 0.0:
        raise CaptureError(f"{name} has all its faces in one place; spread its vertices out.")
    thinnest = np.linalg.eigh(np.cov((used - used.mean(axis=0)).T))[1][:, 0]
    if fill != "SURFACE" and np.ptp(used @ thinnest) < 1e-6 * np.ptp(used, axis=0).max():
        raise CaptureError(f"{name} is flat and encloses no volume; give it thickness, or set Fill to Surface.")


def rigid_warnings(obj: bpy.types.Object, mesh: MeshArrays, inside: str) -> list[str]:
    """Warnings about a body that can be solved but may not behave as intended."""
    found = []
    if is_deformed(obj):
        found.append(f"{obj.name}: its mesh is animated, but a rigid body keeps its shape of the first frame.")
    if inside == "PARITY":
        sides = np.sort(mesh.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        if (np.unique(sides, axis=0, return_counts=True)[1] % 2).any():
            found.append(f"{obj.name} is open, and parity finds no inside there; set Inside to Winding Number.")
    return found
