"""`WallPoses`: poses of bodies and walls in common arrays; walls follow their particles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....compiler.kernels import kernel
from ...rotation import quaternion_of
from ..bodies import RigidBodies
from .wall import Wall


class WallPoses:
    """Poses at the start and the end of a substep, bodies first; without walls these are the arrays of the bodies.

    Attributes:
        position, position_before: (b, 3) of centres; of a wall the mean of its corners [m].
        rotation, rotation_before: (b, 4) quaternions (w, x, y, z); identity for a wall as built.
    """

    def __init__(self, rigid: RigidBodies, walls: Sequence[Wall], x: np.ndarray) -> None:
        """Args: x: (n, 3) positions of particles as built [m]."""
        self._rigid, self._walls = rigid, walls
        self.position, self.rotation = rigid.position, rigid.rotation
        self.position_before, self.rotation_before = rigid.position_before, rigid.rotation_before
        if not walls:
            return
        count = len(rigid.mass) + len(walls)
        self.position, self.position_before = np.zeros((count, 3)), np.zeros((count, 3))
        self.rotation, self.rotation_before = np.zeros((count, 4)), np.zeros((count, 4))
        self._own = np.concatenate([wall.corner for wall in walls])
        self._built = [_frame(x[wall.frame]) for wall in walls]
        self._known, self._known_before = (np.full((len(self._own), 3), np.nan) for _ in range(2))

    def take(self, x: np.ndarray, x_prev: np.ndarray) -> None:
        """Update poses at the end and at the start of the substep; x, x_prev: (n, 3) of particles [m]."""
        rigid = self._rigid
        take_poses(
            rigid.position, rigid.rotation, rigid.position_before, rigid.rotation_before, self.position, self.rotation,
            self.position_before, self.rotation_before,
        )
        # Most walls are static.
        if have_moved(self._own, x, self._known):
            self._place(x, self.position, self.rotation)
        if have_moved(self._own, x_prev, self._known_before):
            self._place(x_prev, self.position_before, self.rotation_before)

    def _place(self, x: np.ndarray, position: np.ndarray, rotation: np.ndarray) -> None:
        """Compute poses of walls with particles at x; position, rotation: out."""
        bodies = len(self._rigid.mass)
        for number, (wall, built) in enumerate(zip(self._walls, self._built, strict=True)):
            position[bodies + number] = x[wall.corner].mean(axis=0)
            rotation[bodies + number] = quaternion_of(_frame(x[wall.frame]) @ built.T)


def _frame(at: np.ndarray) -> np.ndarray:
    """Axes of three points (3, 3), as columns: along the first two, in their plane across that, and the normal."""
    along, aside = at[1] - at[0], at[2] - at[0]
    one = along / np.linalg.norm(along)
    up = np.cross(one, aside)
    up /= np.linalg.norm(up)
    return np.stack([one, np.cross(up, one), up], axis=1)


@kernel
def take_poses(
    position, rotation, position_before, rotation_before, own_position, own_rotation, own_position_before,
    own_rotation_before,
):
    """Copy the poses of bodies to the first rows of the common arrays."""
    for b in range(position.shape[0]):
        for k in range(3):
            own_position[b, k] = position[b, k]
            own_position_before[b, k] = position_before[b, k]
        for k in range(4):
            own_rotation[b, k] = rotation[b, k]
            own_rotation_before[b, k] = rotation_before[b, k]


@kernel
def have_moved(own, x, known):
    """Whether some particles differ from their known positions; known: in and out (p, 3) [m]."""
    moved = False
    for place in range(own.shape[0]):
        for k in range(3):
            if not known[place, k] == x[own[place], k]:
                known[place, k] = x[own[place], k]
                moved = True
    return moved
