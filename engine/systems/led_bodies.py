"""Rigid bodies led by animation (kinematic): they follow their keyframes and push others, and nothing stops them.

A led body has its mass multiplied by MASS_FACTOR, and the same large inertia about every axis, so that the impulse of a
contact changes only the other side. Each substep sets the velocity that moves it to its pose on the path of the frame.
When released it keeps its velocity and angular velocity.
"""

from __future__ import annotations

import numpy as np

from ..errors import SpecError
from ..solver.rigid.bodies import RigidBodies
from ..solver.rotation import PosePath, polar, rotation_matrix, turn_vector
from ..spec import VoxelBodySpec

MASS_FACTOR = 1e9


class LedBodies:
    """The led bodies of a world, and their targets in the running frame."""

    def __init__(self, rigid: RigidBodies) -> None:
        """Args: rigid: all rigid bodies, none of them led yet."""
        self._rigid = rigid
        self._mass, self._inertia = rigid.mass.copy(), rigid.inertia.copy()
        self._paths: dict[int, PosePath] = {}
        self.led: set[int] = set()

    def lead(self, number: int, is_led: bool) -> None:
        """Start to lead a body, or release it."""
        if is_led == (number in self.led):
            return
        rigid = self._rigid
        axes = rotation_matrix(rigid.rotation[number])
        angular_velocity = axes @ ((axes.T @ rigid.angular_momentum[number]) / rigid.inertia[number])
        (self.led.add if is_led else self.led.discard)(number)
        rigid.mass[number] = self._mass[number] * (MASS_FACTOR if is_led else 1.0)
        rigid.inertia[number] = MASS_FACTOR * self._inertia[number].max() if is_led else self._inertia[number]
        rigid.angular_momentum[number] = axes @ (rigid.inertia[number] * (axes.T @ angular_velocity))

    def begin_frame(self, targets: dict[int, tuple[np.ndarray, np.ndarray]]) -> None:
        """Set the targets at the end of the frame: centre (3,) [m] and rotation (3, 3), by body."""
        rigid, self._paths = self._rigid, {}
        for number, (centre, rotation) in targets.items():
            start, end = np.eye(4), np.eye(4)
            start[:3, :3], start[:3, 3] = rotation_matrix(rigid.rotation[number]), rigid.position[number]
            end[:3, :3], end[:3, 3] = rotation, centre
            self._paths[number] = PosePath(start, end, np.zeros(3))

    def act(self, gravity: np.ndarray, h: float, done: float) -> None:
        """Set velocities before a substep of h [s]; `done`: fraction of the frame at the end of the substep."""
        rigid = self._rigid
        for number in sorted(self.led):
            place, orientation = rigid.position[number], rotation_matrix(rigid.rotation[number])
            rotation, centre = self._paths[number].at(done) if number in self._paths else (orientation, place)
            # Subtract gravity, which the substep adds again.
            rigid.velocity[number] = (centre - place) / h - h * gravity
            rigid.angular_momentum[number] = rigid.inertia[number, 0] * turn_vector(rotation @ orientation.T) / h
            rigid.pushes[:, number] = 0.0
            rigid.still[number] = 0.0


def rigid_pose(spec: VoxelBodySpec) -> np.ndarray:
    """The pose of a spec, (4, 4) float64; raises SpecError for one that scales, mirrors or is not finite."""
    if spec.pose is None:
        return np.eye(4)
    pose = np.asarray(spec.pose, dtype=np.float64)
    if pose.shape != (4, 4) or not np.isfinite(pose).all():
        raise SpecError(spec.name, "pose", f"shape {pose.shape}", "16 finite numbers of shape (4, 4)")
    linear = pose[:3, :3]
    if np.abs(linear @ linear.T - np.eye(3)).max() > 1e-5 or np.linalg.det(linear) < 0.0:
        raise SpecError(spec.name, "pose", linear.tolist(), "a rotation, without scale, shear or mirroring")
    # Remove the rounding error of single-precision matrices.
    pose = pose.copy()
    pose[:3, :3] = polar(linear)[0]
    return pose
