"""Data kept of a captured scene: the bodies to bake, and the colliders that move."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ...engine.spec import WorldSpec
from .flock_aims import FlockAims
from .outside import CapturedOutside
from .rigid import CORNERS, Rigid
from .soft_pins import SoftPins


@dataclass(frozen=True, eq=False)
class CapturedBody:
    """Data kept of an object to bake.

    Attributes:
        name: of the object and of its system.
        points: number of vertices at the Flotsam modifier, or of the points of a matrix, see `rigid.CORNERS`.
        vertices: number of solved vertices, after the modifiers before Flotsam.
        mesh_points: number of vertices of its own mesh, before all modifiers.
        matrix: matrix_world at the start, (4, 4) float64.
        local: positions in object space at the start, (points, 3) float64.
        kinematic: indices of vertices that follow animation: the pins, or all of an animated body, (p,) int32.
        moves: whether its matrix_world may change.
        deforms: whether kinematic or softly pinned vertices may move in object space.
        count_may_change: whether its vertex count may change, which is an error in any frame.
        rigid: for a rigid body, its stretch and basis; None for others.
        as_keys: whether its frames are points of its matrix_basis, for keyframes, instead of vertices.
        output: how its baked frames are stored, as its spec declares.
        attributes: stored for each vertex besides its position.
        corners: for a mesh that tears, the vertex of each face corner, (c,) int32; frames have a row for each corner.
        soft_pins: vertices that springs pull to target positions; None without any.
        aims: for a flock, its goal and predator.
        nozzle: for a fluid, name of the object that it flows from, "" for none; nozzle_moves: whether that may move.
    """

    name: str
    points: int
    vertices: int
    mesh_points: int
    matrix: np.ndarray
    local: np.ndarray
    kinematic: np.ndarray
    moves: bool
    deforms: bool
    rigid: Rigid | None = None
    as_keys: bool = False
    count_may_change: bool = False
    output: str = "MESH"
    attributes: tuple[str, ...] = ()
    corners: np.ndarray | None = None
    soft_pins: SoftPins | None = None
    aims: FlockAims | None = None
    nozzle: str = ""
    nozzle_moves: bool = False

    @property
    def rows(self) -> int:
        """Number of rows in each frame of its file."""
        return self.points if self.corners is None else len(self.corners)

    @property
    def start_rows(self) -> np.ndarray:
        """Positions in object space at the start, (rows, 3) float64."""
        return self.local if self.corners is None else self.local[self.corners]

    @property
    def varies(self) -> bool:
        """Whether its number of points changes from frame to frame."""
        return self.output == "POINTS"

    @property
    def needs_visits(self) -> bool:
        """Whether frames must be visited to capture its input."""
        is_kinematic = self.rigid is not None and self.rigid.is_kinematic
        is_chasing = self.aims is not None and self.aims.moves
        return self.moves or self.deforms or self.count_may_change or is_kinematic or is_chasing or self.nozzle_moves

    def for_bake(self) -> CapturedBody:
        """The body as a bake stores it: a rigid body as keyframes, in the space of its parent."""
        if self.rigid is None:
            return self
        return replace(
            self, points=len(CORNERS), matrix=self.matrix @ np.linalg.inv(self.rigid.basis),
            local=self.rigid.basis[:3, [3, 0, 1, 2]].T, as_keys=True,
        )


@dataclass(frozen=True, eq=False)
class CapturedCollider:
    """Data kept of a collider that moves or deforms, or of a water with waves.

    Attributes:
        name: of the object and of its system.
        matrix: matrix_world at the start, (4, 4) float64.
        local: positions in object space at the start, (points, 3) float64.
        deforms: whether its mesh may change in object space.
        has_waves: whether it is the surface of a water.
    """

    name: str
    matrix: np.ndarray
    local: np.ndarray
    deforms: bool
    has_waves: bool = False


@dataclass(frozen=True, eq=False)
class Captured:
    """A scene as the solver receives it, and data for writing the results to Blender.

    Attributes:
        spec: for `build_world`.
        bodies: the objects to bake.
        colliders: colliders that move or deform, and waters with waves.
        frame: the frame of the capture.
        outside: data kept of force fields, air and gravity.
        keyed: names of animated settings, by system name.
        warnings: sentences for the artist.
    """

    spec: WorldSpec
    bodies: tuple[CapturedBody, ...]
    colliders: tuple[CapturedCollider, ...]
    frame: int
    outside: CapturedOutside = field(default_factory=CapturedOutside)
    keyed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = field(default=())

    @property
    def is_visited(self) -> bool:
        """Whether every frame must be visited, because external input may change."""
        moving = bool(self.colliders) or any(body.needs_visits for body in self.bodies)
        return moving or bool(self.keyed) or self.outside.needs_visits
