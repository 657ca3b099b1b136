"""`RigidBodies`: the 6-DoF state of all rigid bodies of a world."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .columns import BodyColumns, RigidContactBuffer
from .hulls.hull import Hull
from .links.soft_ties import SoftTies
from .motion import place_some


@dataclass
class RigidBodies:
    """Arrays over rigid bodies. Their particles are contiguous in the world's arrays.

    Particles are the vertices of the meshes, or only the hull's corners of a convex body where no system needs more.

    The state stores angular momentum and not angular velocity: without torque it stays constant to the last bit.

    Attributes:
        first: the first particle of all bodies; start, stop: (b,) int64 range of each body's particles.
        local: (p, 3) float64, particles relative to the centre, along the principal axes [m].
        system: (b,) system of each body.
        mass: (b,) [kg]; inertia: (b, 3) about the principal axes [kg m²].
        position: (b, 3) of centres [m]; rotation: (b, 4) quaternions (w, x, y, z) of the principal axes.
        velocity: (b, 3) [m/s]; angular_momentum: (b, 3) along the world's axes [kg m²/s].
        hulls: of each body, in its mesh's vertices; None for bodies that are round or not convex.
        mesh: (m, 3) float64, all mesh vertices, in coordinates as `local`; bodies of one shape share them.
        mesh_start, mesh_stop: (b,) int64 range of each body in `mesh`.
        round_rows: (r, ...) of particles of round bodies, see `roundness.find_roundness`, along the principal axes;
            bodies of one shape share them; round_first: (b,) int64 row of each body's first particle, or -1.
        position_before, rotation_before: poses at the start of the substep; delayed impulses shift them.
        began, began_turned: positions and rotations at the first contact search of the substep.
        force, torque: (b, 3) external force [N] and torque about the centre [N m] in the substep; spread_force,
            spread_torque: likewise, of water; pushes: (4, b, 3), these four arrays in one.
        contact_buffer: contacts of the substep; ties: ties to soft particles, None without any.
        reach: (b,) distance of the furthest particle from the centre [m]; still: (b,) time spent still [s].
        borne: (b,) the part of each body's mass that soft particles supported in the last substep [kg].
    """

    first: int
    start: np.ndarray
    stop: np.ndarray
    local: np.ndarray
    system: np.ndarray
    mass: np.ndarray
    inertia: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    velocity: np.ndarray
    angular_momentum: np.ndarray
    hulls: list[Hull | None]
    mesh: np.ndarray
    mesh_start: np.ndarray
    mesh_stop: np.ndarray
    round_rows: np.ndarray
    round_first: np.ndarray
    began: np.ndarray = field(init=False)
    began_turned: np.ndarray = field(init=False)
    position_before: np.ndarray = field(init=False)
    rotation_before: np.ndarray = field(init=False)
    pushes: np.ndarray = field(init=False)
    force: np.ndarray = field(init=False)
    torque: np.ndarray = field(init=False)
    spread_force: np.ndarray = field(init=False)
    spread_torque: np.ndarray = field(init=False)
    contact_buffer: RigidContactBuffer = field(default_factory=RigidContactBuffer)
    ties: SoftTies | None = None
    reach: np.ndarray = field(init=False)
    still: np.ndarray = field(init=False)
    borne: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.position_before, self.rotation_before = self.position.copy(), self.rotation.copy()
        far = np.linalg.norm(self.local, axis=1)
        self.reach = np.array([
            far[i - self.first : j - self.first].max() for i, j in zip(self.start, self.stop, strict=True)
        ])
        self.still, self.borne = np.zeros(len(self.mass)), np.zeros(len(self.mass))
        self.began, self.began_turned = self.position.copy(), self.rotation.copy()
        self.pushes = np.zeros((4, len(self.mass), 3))
        self.force, self.torque, self.spread_force, self.spread_torque = self.pushes

    @cached_property
    def columns(self) -> BodyColumns:
        """The state of all bodies, as kernels take it; these arrays are never replaced."""
        return BodyColumns(
            self.mass, self.inertia, self.position, self.rotation, self.velocity, self.angular_momentum,
            self.position_before, self.rotation_before, self.force, self.torque, self.spread_force,
            self.spread_torque, self.reach,
        )

    @property
    def particles(self) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
        """`first`, `start`, `stop` and `local`, as `motion.place_particles` takes them."""
        return self.first, self.start, self.stop, self.local

    @property
    def own(self) -> slice:
        """Range of the particles of all rigid bodies."""
        return slice(self.first, self.first + len(self.local))

    def place(self, some: np.ndarray, x: np.ndarray) -> None:
        """Compute the positions of the particles of bodies `some` (k,): out x (n, 3) [m]."""
        place_some(some, self.first, self.start, self.stop, self.local, self.position, self.rotation, x)

    def reset_to_search_pose(self, some: np.ndarray, common: np.ndarray, x: np.ndarray) -> None:
        """Reset bodies `some` (k,) to their poses at the first contact search of the substep, moved by `common`.

        Args: common: (k, 3) displacement of each body [m]; x: (n, 3) particles, in and out [m].
        """
        self.position[some], self.rotation[some] = self.began[some] + common, self.began_turned[some]
        self.place(some, x)

    def gain(self, velocity: np.ndarray, angular_momentum: np.ndarray) -> None:
        """Add changes of velocity (b, 3) [m/s] and of angular momentum (b, 3) [kg m²/s]."""
        self.velocity += velocity
        self.angular_momentum += angular_momentum

    def of_systems(self, count: int) -> np.ndarray:
        """Rigid body of each system, (count,) int32, -1 for other systems."""
        numbers = np.full(count, -1, dtype=np.int32)
        numbers[self.system] = np.arange(len(self.system))
        return numbers

    def memory(self) -> dict[str, np.ndarray]:
        """The arrays that change, for a snapshot."""
        changing = ("position", "rotation", "velocity", "angular_momentum", "still", "borne")
        return {name: getattr(self, name) for name in changing}

    def recall(self, memory: dict[str, np.ndarray]) -> None:
        """Restore `memory`, in place."""
        for name, values in memory.items():
            getattr(self, name)[:] = values
