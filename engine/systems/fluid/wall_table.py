"""Tables of what a fluid meets: triangles, and the walls of each particle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .density import WALL

# Most walls of a particle.
MOST_WALLS = 6


class Triangles(NamedTuple):
    """Corners near the fluid's origin, float32 [m].

    Attributes:
        start, end: (t, 3, 3), of each triangle's corners, when the step begins and when it ends.
        firm: (t, 2) share of its motion that fluid does not take from it, as both come together and as they part, see
            `met.bodies.firm_shares`.
        solid: (t,) bool, of a closed body that answers as a whole and holds no fluid, wound outward: particles belong
            outside of it.
    """

    start: np.ndarray
    end: np.ndarray
    firm: np.ndarray
    solid: np.ndarray


class WallTable(NamedTuple):
    """Walls of particles in sorted order: w walls, those of particle i from first[i] to first[i + 1].

    Attributes:
        first: (p + 1,) int32; near: (p, MOST_WALLS) int32, triangles t of each particle's walls, the nearest first;
            ~t of what stands behind one that gives way.
        plane: (w, WALL) float32, columns of `density`; triangle: (w,) int32; share: (w, 3) float32, of its corners in
            the closest point; push: (w, 3) float32, what the wall moved the particle by in the step [m]; give: (w,)
            float32, share of its drag that it exerts. All may be longer.
    """

    first: np.ndarray
    near: np.ndarray
    plane: np.ndarray
    triangle: np.ndarray
    share: np.ndarray
    push: np.ndarray
    give: np.ndarray


def wall_table(rows: int, walls: int = 0) -> WallTable:
    """Room for so many particles and walls."""
    single = np.float32
    return WallTable(
        np.zeros(rows + 1, np.int32), np.zeros((rows, MOST_WALLS), np.int32), np.zeros((walls, WALL), single),
        np.zeros(walls, np.int32), np.zeros((walls, 3), single), np.zeros((walls, 3), single), np.ones(walls, single),
    )
