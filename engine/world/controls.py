"""`Controls`: what moves from outside during one frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from ..spec.effector_weights import EffectorWeights


# What is keyed: a number, or three.
Value = float | Sequence[float]


@dataclass(frozen=True, eq=False)
class Grab:
    """A hand that pulls at some particles of one body by a spring and a dashpot.

    Attributes:
        system: name of the body, a spring graph or a rigid one, which takes the pull where it is held.
        particles: (g,) whole numbers, in the body's own vertex order; pinned ones stay where they are.
        shares: (g,) above 0; how much each particle takes of the velocity that the hand gives, against the others.
        target: (3,) where the hand is at the end of the frame [m].
        stiffness: of the spring between the hand and the particles' common middle [N/m].
        damping: of the dashpot beside it [N·s/m].
    """

    system: str
    particles: np.ndarray
    shares: np.ndarray
    target: np.ndarray
    stiffness: float
    damping: float = 0.0


@dataclass(frozen=True, eq=False)
class FieldControl:
    """Where a force field is at the end of the frame.

    Attributes:
        matrix: (4, 4) object to world; None where it stands still.
        vertices, normals: (n, 3) of its mesh in object space; None where that does not deform.
    """

    matrix: np.ndarray | None = None
    vertices: np.ndarray | None = None
    normals: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class FlockControl:
    """Where a flock's goal and predators are from this frame on; None for where they were.

    Attributes:
        goal_path: (k, 3) a place or a path [m], no row for nowhere; perches, predators: (m, 3) [m].
    """

    goal_path: np.ndarray | None = None
    perches: np.ndarray | None = None
    predators: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Controls:
    """Targets at the END of the frame; the step moves there evenly, substep by substep.

    Attributes:
        pins: by system name, positions of its pinned particles [m], shape (pin_count, 3), in the order
            of the spec's `pins`; a system left out keeps its pins where they are.
        values: by system name, keyed parameters such as {"pressure": 500.0}, from this frame on.
        colliders: by system name, where a collider is to be: a pose (4, 4) that takes the vertices of its spec there,
            or its vertices [m], shape (n, 3), when it deforms; a collider left out stands still.
        gravity: (3,) during this frame [m/s²], None for that of the spec.
        wind: (3,) of the scene's air at the end of this frame [m/s], None for what it was.
        fields: by name, force fields that move or deform; one left out stands still.
        flocks: by system name, `FlockControl` from this frame on.
        effector_weights: by system name, `EffectorWeights` from this frame on.
        grab: what the mouse pulls at, None for nothing.
    """

    pins: Mapping[str, np.ndarray] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    colliders: Mapping[str, np.ndarray] = field(default_factory=dict)
    gravity: Sequence[float] | None = None
    wind: Sequence[float] | None = None
    fields: Mapping[str, FieldControl] = field(default_factory=dict)
    flocks: Mapping[str, FlockControl] = field(default_factory=dict)
    effector_weights: Mapping[str, EffectorWeights] = field(default_factory=dict)
    grab: Grab | None = None
