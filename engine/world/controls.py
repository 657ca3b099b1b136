"""`Controls`: external inputs that change from frame to frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from ..spec.effector_weights import EffectorWeights


# Type of a keyed value: a number, or a vector of three.
Value = float | Sequence[float]


@dataclass(frozen=True, eq=False)
class Grab:
    """A hand (the mouse) that pulls at particles of one body through a spring and a dashpot.

    Attributes:
        system: name of the body, a spring graph or a rigid body, which is pulled where it is held.
        particles: (g,) integers, in the body's own vertex order; pinned ones stay in place.
        shares: (g,) above 0; relative weight of each particle in the velocity change that the hand causes.
        target: (3,) position of the hand at the end of the frame [m].
        stiffness: of the spring between the hand and the centre of the particles [N/m].
        damping: of the parallel dashpot [N·s/m].
    """

    system: str
    particles: np.ndarray
    shares: np.ndarray
    target: np.ndarray
    stiffness: float
    damping: float = 0.0


@dataclass(frozen=True, eq=False)
class FieldControl:
    """Placement of a force field at the end of the frame.

    Attributes:
        matrix: (4, 4) object to world; None where it stands still.
        vertices, normals: (n, 3) of its mesh in object space; None where the mesh does not deform.
    """

    matrix: np.ndarray | None = None
    vertices: np.ndarray | None = None
    normals: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class FlockControl:
    """Goal and predators of a flock from this frame on; None keeps the previous ones.

    Attributes:
        goal_path: (k, 3) one point or a path [m], no row for no goal; perches, predators: (m, 3) [m].
    """

    goal_path: np.ndarray | None = None
    perches: np.ndarray | None = None
    predators: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class HeightField:
    """The surface of a water at the end of the frame, at the points of a grid parallel to X and Y.

    Attributes:
        origin: (2,) x and y of its first point [m]; cell: distance of its points [m].
        heights: (nx, ny) z of the surface at origin + (i, j) cell [m], nx and ny from 2 up.
        velocities: (nx, ny, 3) of the water there [m/s]; None for those with which the heights change.
    """

    origin: Sequence[float]
    cell: float
    heights: np.ndarray
    velocities: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Controls:
    """Targets at the END of the frame; the step interpolates to them linearly, substep by substep.

    Attributes:
        pins: by system name, positions of its pinned particles [m], shape (pin_count, 3), in the order
            of the spec's `pins`; pins of a system left out stay in place. For a body that may be `animated`: positions
            of all its vertices, shape (n, 3).
        values: by system name, keyed parameters such as {"pressure": 500.0}, valid from this frame on.
        colliders: by system name, a pose (4, 4) applied to the vertices of the spec, or the vertices themselves [m],
            shape (n, 3), for one that deforms; a collider left out stands still.
        water: by system name, the surface of a water that has waves: a `HeightField`, or, where the spec's `surface` is
            MESH, its vertices [m], shape (n, 3); one left out stands still.
        poses: by system name, a pose (4, 4) applied to the vertices of a rigid body's spec while it is `animated`, or
            that of a fluid's nozzle; one left out stays in place.
        gravity: (3,) during this frame [m/s²], None for that of the spec.
        wind: (3,) of the scene's air at the end of this frame [m/s], None for no change.
        fields: by name, force fields that move or deform; one left out stands still.
        flocks: by system name, `FlockControl` from this frame on.
        effector_weights: by system name, `EffectorWeights` from this frame on.
        grab: particles that the mouse pulls at, None for none.
    """

    pins: Mapping[str, np.ndarray] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    colliders: Mapping[str, np.ndarray] = field(default_factory=dict)
    water: Mapping[str, np.ndarray | HeightField] = field(default_factory=dict)
    poses: Mapping[str, np.ndarray] = field(default_factory=dict)
    gravity: Sequence[float] | None = None
    wind: Sequence[float] | None = None
    fields: Mapping[str, FieldControl] = field(default_factory=dict)
    flocks: Mapping[str, FlockControl] = field(default_factory=dict)
    effector_weights: Mapping[str, EffectorWeights] = field(default_factory=dict)
    grab: Grab | None = None
