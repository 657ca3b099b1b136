"""`Stream`: flowing particles of a fluid that carry agents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Stream(NamedTuple):
    """Fluid particles that carry agents, in the order in which their system stores them.

    Attributes:
        ids: (n,) int64, particles of the world.
        x: (n, 3) positions, less the origin [m]; origin: (3,) [m].
        v: (n, 3) velocities, which may be changed [m/s].
        kind: (n,) uint16 fluid of each particle; inv_mass: (k,) of a particle of each [1/kg].
    """

    ids: np.ndarray
    x: np.ndarray
    origin: np.ndarray
    v: np.ndarray
    kind: np.ndarray
    inv_mass: np.ndarray
