"""Rigid bodies led by animation (kinematic): they follow their keyframes and push others, and nothing stops them.

A led body has its mass multiplied by HEAVIER, and the same large inertia about every axis, so that the impulse of a
contact changes only the other side. Each substep gives it the velocity that brings it to its place on the path of the
frame. When released it keeps its velocity and angular velocity.
"""

from __future__ import annotations

import numpy as np

from ..errors import SpecError
from ..solver.rigid.bodies import RigidBodies
from ..solver.rotation import Way, polar, rotation_matrix, turn_vector
from ..spec import VoxelBodySpec

HEAVIER = 1e9


class LedBodies:
    """The led bodies of a world, and their targets in the running frame."""

    def __init__(self, rigid: RigidBodies) -> None:
        """Args: rigid: all rigid bodies, none of them led yet."""
        self._rigid = rigid
        self._mass, self._inertia = rigid.mass.copy(), rigid.inertia.copy()
        self._ways: dict[int, Way] = {}
        self.led: set[int] = set()

    def lead(self, number: int, is_led: bool) -> None:
        """Start to lead a body, or release it."""
        if is_led == (number in self.led):
            return
        rigid = self._rigid
        axes = rotation_matrix(rigid.rotation[number])
        rate = axes @ ((axes.T @ rigid.angular_momentum[number]) / rigid.inertia[number])
        (self.led.add if is_led else self.led.discard)(number)
        rigid.mass[number] = self._mass[number] * (HEAVIER if is_led else 1.0)
        rigid.inertia[number] = HEAVIER * self._inertia[number].max() if is_led else self._inertia[number]
        rigid.angular_momentum[number] = axes @ (rigid.inertia[number] * (axes.T @ rate))

    def begin_frame(self, targets: dict[int, tuple[np.ndarray, np.ndarray]]) -> None:
        """Set the targets at the end of the frame: centre (3,) [m] and rotation (3, 3), by body."""
        rigid, self._ways = self._rigid, {}
        for number, (centre, rotation) in targets.items():
            start, end = np.eye(4), np.eye(4)
            start[:3, :3], start[:3, 3] = rotation_matrix(rigid.rotation[number]), rigid.position[number]
            end[:3, :3], end[:3, 3] = rotation, centre
            self._ways[number] = Way(start, end, np.zeros(3))

    def act(self, gravity: np.ndarray, h: float, done: float) -> None:
        """Set velocities before a substep of h [s], at whose end the fraction `done` of the frame has passed."""
        rigid = self._rigid
        for number in sorted(self.led):
            place, turned = rigid.position[number], rotation_matrix(rigid.rotation[number])
            rotation, centre = self._ways[number].at(done) if number in self._ways else (turned, place)
            # Subtract gravity, which the substep adds again.
            rigid.velocity[number] = (centre - place) / h - h * gravity
            rigid.angular_momentum[number] = rigid.inertia[number, 0] * turn_vector(rotation @ turned.T) / h
            rigid.pushes[:, number] = 0.0
            rigid.still[number] = 0.0


def rigid_pose(spec: VoxelBodySpec) -> np.ndarray:
    """The pose of a spec, (4, 4) float64; raises SpecError for one that scales, mirrors or is not finite."""
    if spec.pose is None:
        return np.eye(4)
    pose = np.asarray(spec.pose, dtype=np.float64)
    if pose.shape != (4, 4) or not np.isfinite(pose).all():
        raise SpecError(spec.name, "pose", f"shape {pose.shape}", "16 finite numbers of shape (4, 4)")
    turn = pose[:3, :3]
    if np.abs(turn @ turn.T - np.eye(3)).max() > 1e-5 or np.linalg.det(turn) < 0.0:
        raise SpecError(spec.name, "pose", turn.tolist(), "a rotation, without scale, shear or mirroring")
    # Remove the rounding error of single-precision matrices.
    pose = pose.copy()
    pose[:3, :3] = polar(turn)[0]
    return pose
