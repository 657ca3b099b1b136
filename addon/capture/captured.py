"""What is remembered of a scene that was captured: the bodies that will be baked, and the colliders that move."""

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
    """What is remembered of an object that will be baked.

    Attributes:
        name: of the object and of its system.
        points: rows in each frame of its file: vertices at the Flotsam modifier, or the corners of its space.
        vertices: those that are solved with, after the modifiers before Flotsam.
        mesh_points: vertices of its own mesh.
        matrix: matrix_world at the start, (4, 4) float64.
        local: positions in the object's own space at the start, (points, 3) float64.
        pins: indices of pinned vertices, (p,) int32.
        moves: its place in the world may change.
        deforms: its pins may move within the object.
        recounted: its vertices may become more or fewer, which no frame may bring.
        rigid: of a rigid body how it lies before its pose; None for soft ones.
        as_keys: its frames are place and axes of its matrix_basis, to be keyframes, and not its mesh.
        output: how its frames are kept once they are baked, as its spec declares.
        attributes: what is kept of each vertex beside its position.
        soft_pins: vertices that springs draw to their places, None without any.
        aims: of a flock, what it goes for and flees from.
    """

    name: str
    points: int
    vertices: int
    mesh_points: int
    matrix: np.ndarray
    local: np.ndarray
    pins: np.ndarray
    moves: bool
    deforms: bool
    rigid: Rigid | None = None
    as_keys: bool = False
    recounted: bool = False
    output: str = "MESH"
    attributes: tuple[str, ...] = ()
    soft_pins: SoftPins | None = None
    aims: FlockAims | None = None

    @property
    def varies(self) -> bool:
        """Whether the number of its points changes from frame to frame."""
        return self.output == "POINTS"

    @property
    def follows(self) -> bool:
        """Whether its frames must be visited to know what happens to it."""
        is_led = self.rigid is not None and self.rigid.is_led
        is_chasing = self.aims is not None and self.aims.moves
        return self.moves or self.deforms or self.recounted or is_led or is_chasing

    def for_bake(self) -> CapturedBody:
        """The same body as a bake keeps it: rigid ones as keyframes, within the space of their parent."""
        if self.rigid is None:
            return self
        return replace(
            self, points=len(CORNERS), matrix=self.matrix @ np.linalg.inv(self.rigid.basis),
            local=self.rigid.basis[:3, [3, 0, 1, 2]].T, as_keys=True,
        )


@dataclass(frozen=True, eq=False)
class CapturedCollider:
    """What is remembered of a collider that moves or deforms.

    Attributes:
        name: of the object and of its system.
        matrix: matrix_world at the start, (4, 4) float64.
        local: positions in the object's own space at the start, (points, 3) float64.
        deforms: its mesh may change within the object.
    """

    name: str
    matrix: np.ndarray
    local: np.ndarray
    deforms: bool


@dataclass(frozen=True, eq=False)
class Captured:
    """A scene as the solver gets it, and what is needed to bring the result back.

    Attributes:
        spec: for `build_world`.
        bodies: the objects that will be baked.
        colliders: those that move or deform.
        frame: the frame it was taken at.
        outside: fields, air and gravity.
        keyed: by name of a system, settings that something animates.
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
        """Whether every frame must be visited, because something may move from outside."""
        moving = bool(self.colliders) or any(body.follows for body in self.bodies)
        return moving or bool(self.keyed) or self.outside.follows
