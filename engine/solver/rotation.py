"""Rotations: quaternions (w, x, y, z), polar decomposition, interpolation between poses."""

from __future__ import annotations

import math

import numpy as np


def quaternion_of(rotation: np.ndarray) -> np.ndarray:
    """Unit quaternion (4,) of a rotation matrix (3, 3); divides by its largest component (Shepperd 1978)."""
    xx, yy, zz = np.diag(rotation)
    squares = np.array([1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz])
    symmetric, antisymmetric = rotation + rotation.T, rotation - rotation.T
    axial = np.array([antisymmetric[2, 1], antisymmetric[0, 2], antisymmetric[1, 0]])
    largest = int(squares.argmax())
    if largest == 0:
        parts = np.array([squares[0], *axial])
    else:
        axis = largest - 1
        parts = np.array([axial[axis], *symmetric[axis]])
        parts[largest] = squares[largest]
    return parts / np.linalg.norm(parts)


def turn_vector(rotation: np.ndarray) -> np.ndarray:
    """Rotation vector (3,), axis times angle [rad], with an angle of at most pi."""
    w, *axis = quaternion_of(rotation)
    size = math.hypot(*axis)
    if size < 1e-15:
        return np.zeros(3)
    angle = 2.0 * math.atan2(size, abs(w))
    return np.array(axis) * (math.copysign(angle, w) / size)


def rotation_of(rotation_vector: np.ndarray) -> np.ndarray:
    """Rotation matrix (3, 3) of a rotation vector [rad] (Rodrigues)."""
    angle = float(np.linalg.norm(rotation_vector))
    x, y, z = rotation_vector
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    if angle < 1e-8:
        return np.eye(3) + cross
    return np.eye(3) + math.sin(angle) / angle * cross + (1.0 - math.cos(angle)) / angle**2 * cross @ cross


def polar(linear: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Polar decomposition into rotation and stretch, (3, 3) each; a reflection goes into the stretch."""
    u, sizes, vt = np.linalg.svd(linear)
    if np.linalg.det(u @ vt) < 0.0:
        u, sizes = u * [1.0, 1.0, -1.0], sizes * [1.0, 1.0, -1.0]
    return u @ vt, vt.T @ (sizes[:, None] * vt)


class PosePath:
    """Interpolation between two poses: the pivot moves along a line; rotation about it and stretch change linearly."""

    def __init__(self, start: np.ndarray, end: np.ndarray, pivot: np.ndarray) -> None:
        """Args: start, end: poses, (4, 4) each; pivot: in the body's coordinates, (3,) [m]."""
        self._end = end[:3, :3]
        self._from, self._to = (pose[:3, :3] @ pivot + pose[:3, 3] for pose in (start, end))
        self._first_rotation, self._stretch = polar(start[:3, :3])
        last, self._last_stretch = polar(self._end)
        self._rotation_vector = turn_vector(last @ self._first_rotation.T)

    def at(self, fraction: float) -> tuple[np.ndarray, np.ndarray]:
        """Linear part (3, 3) and position of the pivot (3,) [m] at this fraction of the motion."""
        if fraction >= 1.0:
            return self._end, self._to
        stretch = self._stretch + fraction * (self._last_stretch - self._stretch)
        linear = rotation_of(fraction * self._rotation_vector) @ self._first_rotation @ stretch
        return linear, self._from + fraction * (self._to - self._from)


def rotation_matrix(q: np.ndarray) -> np.ndarray:
    """Rotation matrix (3, 3) of a unit quaternion (4,)."""
    return rotation_matrices(q[None])[0]


def rotation_matrices(q: np.ndarray) -> np.ndarray:
    """Rotation matrices (b, 3, 3) of unit quaternions (b, 4)."""
    w, x, y, z = q.T
    cross = np.zeros((len(q), 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -z, y, -x
    cross -= cross.transpose(0, 2, 1).copy()
    return np.eye(3) + 2.0 * w[:, None, None] * cross + 2.0 * cross @ cross
