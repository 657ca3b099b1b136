"""Arguments of the kernels of force fields: particles, bodies, data of fields, and the time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Moving(NamedTuple):
    """Particles that fields act on, in blocks of particles of one body.

    Attributes:
        x, v: (n, 3) [m], [m/s]; size: (n,) radius [m]; inv_mass: (n,) [1/kg], 0 for those that are not free.
        ids: (m,) moving particles, consecutive within a body; number: (m,) index within the body.
        on_face: (m,) whether it belongs to a face on which the air acts.
        first, stop: (blocks,) ranges of `ids`; body: (blocks,) body of each.
        near: (blocks,) whether it is evaluated in every substep, see `hold`.
    """

    x: np.ndarray
    v: np.ndarray
    size: np.ndarray
    inv_mass: np.ndarray
    ids: np.ndarray
    number: np.ndarray
    on_face: np.ndarray
    first: np.ndarray
    stop: np.ndarray
    body: np.ndarray
    near: np.ndarray


class Bodies(NamedTuple):
    """Response of bodies to fields.

    Attributes:
        weights: (bodies, fields); response: (bodies,) 1, or 1/kg where fields give newtons.
        lift: (bodies, 3) added to gravity [m/s²]; salt: (bodies,) int64, seed of its random numbers.
        is_rigid: (bodies,) whether `give` stores the velocity changes of its particles instead of applying them.
    """

    weights: np.ndarray
    response: np.ndarray
    lift: np.ndarray
    salt: np.ndarray
    is_rigid: np.ndarray


class Sources(NamedTuple):
    """Data of the fields.

    Attributes:
        samples: (s, 4) float32 of their textures; permutation, slopes: of turbulence, see `noise.Lattice`.
        screens: (m, screened fields) fraction that colliders let through to each moving particle.
    """

    samples: np.ndarray
    permutation: np.ndarray
    slopes: np.ndarray
    screens: np.ndarray


class Moment(NamedTuple):
    """Time of a field evaluation.

    Attributes:
        lead: time by which particles are ahead of their positions [s]; interval: for which the sums are held [s].
        ahead: time by which a particle is extrapolated for the nearest point of a surface [s].
        frame: its number, for random numbers.
        is_due: whether all blocks are evaluated, or only those in `Moving.near`.
    """

    lead: float
    interval: float
    ahead: float
    frame: int
    is_due: bool
