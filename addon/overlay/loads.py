"""Forces of springs on pins, their sum and torque, as arrays and as arrows of the overlay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .lines import Lines, joined, strokes

if TYPE_CHECKING:
    from .picture import Subject

FORCE, TOTAL, TORQUE = (1.0, 0.45, 0.1, 0.9), (1.0, 0.2, 0.1, 1.0), (0.2, 0.9, 1.0, 1.0)
# Length of the strongest arrow, as a fraction of the longest side of its body.
_LONGEST = 0.5
# With more pins than this in a body, only some of them have arrows.
_MOST_PINS = 2000


@dataclass(frozen=True, eq=False)
class Load:
    """Forces of springs on the pins of a body.

    Attributes:
        name: of its object; size: its longest side [m].
        places, forces: [m] and [N], (p, 3), of each pin.
        force: (3,) their sum [N]; torque: (3,) about the mean position of the pins [N m].
    """

    name: str
    size: float
    places: np.ndarray
    forces: np.ndarray
    force: np.ndarray
    torque: np.ndarray

    @property
    def middle(self) -> np.ndarray:
        """Mean position of the pins, (3,) [m]."""
        return self.places.mean(axis=0)

    @property
    def arm(self) -> float:
        """Root mean square distance of the pins from their middle [m]; a torque is drawn as a force at this lever."""
        return float(np.sqrt(((self.places - self.middle) ** 2).sum(axis=1).mean()))


def load_of(subject: Subject) -> Load | None:
    """The load on a body's pins; None without pins, or while the stiffness of its springs is unknown."""
    if len(subject.pins) == 0:
        return None
    forces = subject.pin_forces
    if forces is None:
        if subject.stiffness is None:
            return None
        forces = _spring_forces(subject, subject.stiffness)
    at = subject.positions.astype(np.float64)
    places = at[subject.pins]
    torque = np.cross(places - places.mean(axis=0), forces).sum(axis=0)
    return Load(
        subject.name, float(np.ptp(at, axis=0).max()), places, forces.astype(np.float64), forces.sum(axis=0), torque
    )


def _spring_forces(subject: Subject, stiffness: np.ndarray) -> np.ndarray:
    """Force on each pin from the current lengths of its springs, (p, 3) [N], as if none had yielded or broken."""
    at, count = subject.positions.astype(np.float64), len(subject.positions)
    pinned = np.zeros(count, dtype=bool)
    pinned[subject.pins] = True
    at_pins = pinned[subject.edges[:, 0]] != pinned[subject.edges[:, 1]]
    pairs = subject.edges[at_pins]
    pairs = np.where(pinned[pairs[:, :1]], pairs, pairs[:, ::-1])
    vector = at[pairs[:, 1]] - at[pairs[:, 0]]
    length = np.maximum(np.linalg.norm(vector, axis=1), 1e-12)
    pull = stiffness[at_pins] * (length - subject.rest_lengths[at_pins]) / length
    each = [np.bincount(pairs[:, 0], pull * vector[:, axis], count) for axis in range(3)]
    return np.stack(each, axis=1)[subject.pins]


def load_lines(loads: Sequence[Load], length: float) -> Lines:
    """Arrows: at pins, and at their middle the sum and, with two heads, the torque along its axis.

    Args: length: of an arrow for one newton [m]; 0 makes the strongest half as long as its body.
    """
    if not length:
        strongest = max((float(np.linalg.norm(own, axis=-1).max()) for load in loads for own in _all_forces(load)),
                        default=0.0)
        size = max((load.size for load in loads), default=0.0)
        length = _LONGEST * size / strongest if strongest > 0.0 else 0.0
    parts = []
    for load in loads:
        every = slice(None, None, -(-len(load.places) // _MOST_PINS))
        parts.append(strokes(load.places[every], length * load.forces[every], FORCE))
        if len(load.places) > 1:
            parts.append(strokes(load.middle[None], length * load.force[None], TOTAL))
            torque_arrow = length * load.torque[None] / max(load.arm, 1e-9)
            parts += [strokes(load.middle[None], fraction * torque_arrow, TORQUE) for fraction in (1.0, 0.85)]
    return joined(parts)


def _all_forces(load: Load) -> tuple[np.ndarray, ...]:
    """All vectors that are drawn, in newtons."""
    return load.forces, load.force, load.torque / max(load.arm, 1e-9)
