"""Collider meshes: held particles and their triangles, which follow the frame's controls.

A collider given by poses rotates about its centre, which moves in a line; deformed vertices each move in a line. The
motion is uniform within a frame, so bodies meet a collider at its true velocity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import SpecError
from ..mesh.graph.parts import Parts, closed_parts, find_parts
from ..solver.rotation import PosePath
from ..spec import ColliderSpec, WorldSpec
from ..spec.check import check_params, indices, points
from ..step.stage import Stage
from ..world.builder import Builder, Surface
from ..world.controls import Controls
from ..world.world import State, World
from .base import System
from .rooms import find_rooms, starts_of


class RotatingPath:
    """Path between two poses within a frame."""

    def __init__(self, rest: np.ndarray, pivot: np.ndarray, pose_path: PosePath) -> None:
        """Args: rest: mesh as built, (n, 3) [m]; pivot: centre of rotation, (3,); pose_path: between the poses."""
        self._offset, self._pose_path = rest - pivot, pose_path

    def write_positions(self, done: float, out: np.ndarray) -> None:
        """Positions at the fraction `done` of the path, out (n, 3) [m]."""
        linear, middle = self._pose_path.at(done)
        np.einsum("ij,kj->ik", self._offset, linear, out=out)
        out += middle


class LinearPath:
    """Linear path of each vertex within a frame."""

    def __init__(self, origin: np.ndarray, target: np.ndarray) -> None:
        """Args: origin, target: positions at the start and the end, (n, 3) each [m]."""
        self._origin, self._displacement = origin, target - origin

    def write_positions(self, done: float, out: np.ndarray) -> None:
        """Positions at the fraction `done` of the path, out (n, 3) [m]."""
        np.multiply(self._displacement, done, out=out)
        out += self._origin


@dataclass
class Mover:
    """Pose and path of one collider.

    Attributes:
        start: its first particle; rest: (n, 3) its mesh as built [m]; pivot: (3,) centre of that mesh.
        pose: (4, 4) float64, maps `rest` to the current positions; None if the collider was deformed.
        path: of the running frame, None while the collider is at rest.
    """

    start: int
    rest: np.ndarray
    pivot: np.ndarray
    pose: np.ndarray | None
    path: RotatingPath | LinearPath | None = None

    @property
    def own(self) -> slice:
        """Range of its particles."""
        return slice(self.start, self.start + len(self.rest))

    def set_target(self, name: str, value: np.ndarray, x: np.ndarray) -> None:
        """Set the target at the end of the frame: a pose (4, 4) or vertices (n, 3); raises SpecError."""
        value = np.asarray(value, dtype=np.float64)
        if value.shape != (4, 4):
            target = points(name, "vertices in controls", value)
            if target.shape != self.rest.shape:
                found, wanted = f"{len(target)} of them", f"{len(self.rest)}, as when built"
                raise SpecError(name, "vertices in controls", found, wanted)
            self.path, self.pose = LinearPath(x[self.own].copy(), target), None
            return
        if not np.isfinite(value).all():
            raise SpecError("controls", "colliders", f"a pose of {name} that is not finite", "finite numbers")
        if self.pose is None:
            self.path = LinearPath(x[self.own].copy(), self.rest @ value[:3, :3].T + value[:3, 3])
        elif not np.array_equal(value, self.pose):
            self.path = RotatingPath(self.rest, self.pivot, PosePath(self.pose, value, self.pivot))
        self.pose = value

    def set_velocities(self, done: float, h: float, x: np.ndarray, v: np.ndarray) -> None:
        """Set velocities that reach the fraction `done` of the path after h [s]."""
        if self.path is None:
            return
        # In place, for up to a million vertices: first the new positions, then the velocities towards them.
        velocity = v[self.own]
        self.path.write_positions(done, velocity)
        velocity -= x[self.own]
        velocity /= h

    def halt(self, state: State) -> None:
        """Stop before a frame, until a new target is set."""
        state.v[self.own] = 0.0
        state.x_prev[self.own] = state.x[self.own]
        self.path = None


class Colliders(System):
    """Behaviour of every `ColliderSpec`."""

    takes = ("colliders",)

    def __init__(self, specs: Sequence[ColliderSpec], builder: Builder, spec_of_world: WorldSpec) -> None:
        """Reserve held particles; raises SpecError for a mesh without triangles."""
        super().__init__(specs, builder, spec_of_world)
        self.movers: dict[str, Mover] = {}
        # Bodies have already reserved their particles: see `build._as_reserved`.
        others = starts_of(builder, spec_of_world.systems)
        for spec in specs:
            check_params(spec.name, spec)
            vertices = points(spec.name, "vertices", spec.vertices)
            triangles = indices(spec.name, "triangles", spec.triangles, 3, len(vertices))
            if len(triangles) == 0:
                raise SpecError(spec.name, "triangles", "no triangle", "a mesh with faces to bump into")
            held = np.zeros(len(vertices))
            one_sided = spec.sides == "FRONT"
            surface = _one_sided(vertices, triangles) if one_sided else _two_sided(
                spec.name, vertices, triangles, others, builder
            )
            start = builder.add(
                spec, vertices, np.zeros(3), held, held, 0.5 * float(spec.thickness), 0.0, surface
            )
            middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
            self.movers[spec.name] = Mover(start, vertices, middle, np.eye(4))

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Set the targets of colliders at the end of the frame."""
        state = world.state
        for mover in self.movers.values():
            mover.halt(state)
        for name, value in controls.colliders.items():
            self.movers[name].set_target(name, value, state.x)
            # The broad phase before the first substep needs the velocity.
            self.movers[name].set_velocities(1.0, 1.0 / float(world.spec.frame_rate), state.x, state.v)

    def acts(self) -> bool:
        """Whether any collider moves in this frame."""
        return any(mover.path is not None for mover in self.movers.values())

    def moves_until(self) -> int:
        """One past the last particle of colliders that move in this frame."""
        return max((mover.own.stop for mover in self.movers.values() if mover.path is not None), default=0)

    def advance(self, world: World, gravity: np.ndarray, first: int, count: int) -> None:
        """SYMPLECTIC: colliders follow their paths."""
        if not self.acts():
            return
        state = world.state
        for mover in self.movers.values():
            state.x_prev[mover.own] = state.x[mover.own]
            state.x[mover.own] += world.h * state.v[mover.own]

    def apply(self, stage: Stage, world: World, h: float, done: float) -> None:
        """Advance the paths by a substep."""
        if stage is Stage.MOVE:
            for mover in self.movers.values():
                mover.set_velocities(done, h, world.state.x, world.state.v)

    def memory(self) -> dict[str, Any]:
        """Poses, which cannot be derived from the particles."""
        return {name: mover.pose for name, mover in self.movers.items()}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore the poses of a snapshot."""
        for name, pose in memory.items():
            self.movers[name].pose, self.movers[name].path = pose, None


def _one_sided(vertices: np.ndarray, triangles: np.ndarray) -> Surface:
    """One-sided collision surface: even where it is open, the side behind its faces is the inside."""
    parts = find_parts(vertices, triangles)
    piece = parts.vertex_part[triangles[:, 0]]
    order = np.argsort(piece, kind="stable")
    closed = closed_parts(parts)
    outward = np.where(closed[piece[order], None], parts.triangles, triangles[order])
    return _surface(parts, outward, np.ones_like(closed))


def _two_sided(
    name: str, vertices: np.ndarray, triangles: np.ndarray, others: Sequence[np.ndarray], builder: Builder,
) -> Surface:
    """Two-sided collision surface; a closed piece that is not a room has an outside only.

    Args: others: (m, 3) vertices of each body at the start [m].
    """
    parts = find_parts(vertices, triangles)
    rooms, known = find_rooms(vertices, parts, others), builder.rooms.get(name)
    if known is not None and len(known) == len(rooms):
        rooms |= known
    builder.rooms[name] = rooms
    return _surface(parts, parts.triangles, closed_parts(parts) & ~rooms)


def _surface(parts: Parts, triangles: np.ndarray, closed: np.ndarray) -> Surface:
    return Surface(triangles, parts.hollow[parts.part], parts.part, closed, np.zeros((0, 2), dtype=np.int32))
