"""Tables of a fluid's boundaries: triangles, and the walls of each particle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .density import WALL

# Most walls of a particle.
MOST_WALLS = 6


class Triangles(NamedTuple):
    """Corners near the fluid's origin, float32 [m].

    Attributes:
        start, end: (t, 3, 3), corners of each triangle when the step begins and when it ends.
        firm: (t, 2) fraction of its motion that a triangle keeps against the fluid, as both approach and as they
            separate; 1 for an immovable one, see `met.bodies.firm_shares`.
        solid: (t,) bool, of a closed body with rigid response that contains no fluid, wound outward: particles belong
            outside of it.
    """

    start: np.ndarray
    end: np.ndarray
    firm: np.ndarray
    solid: np.ndarray


class WallTable(NamedTuple):
    """Walls of particles in sorted order, those of particle i from first[i] to stop[i].

    Each task lists walls in its own part of the table, contiguously and in the order of the sorted particles.

    Attributes:
        first, stop: (p,) int32; begin, end, found: (tasks,) int64, first row of each part, end of its capacity, and the
            number of walls in it.
        owner: (w,) int32, the particle; plane: (w, WALL) float32, columns of `density`; triangle: (w,) int32.
        barycentric: (w, 3) float32, weights of the corners in the closest point; displacement: (w, 3) float32, of the
            particle by the wall in the step [m]; drag_factor: (w,) float32, fraction of its drag that the wall exerts.
            All may be longer.
    """

    first: np.ndarray
    stop: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    found: np.ndarray
    owner: np.ndarray
    plane: np.ndarray
    triangle: np.ndarray
    barycentric: np.ndarray
    displacement: np.ndarray
    drag_factor: np.ndarray

    def of_rows(self, rows: int) -> WallTable:
        """The table for so many rows of particles."""
        first, stop = (np.zeros(rows, np.int32) for _ in range(2))
        return self._replace(first=first, stop=stop)

    def of_tasks(self, tasks: int) -> WallTable:
        """The table for so many tasks."""
        if len(self.found) == tasks:
            return self
        begin, end, found = (np.zeros(tasks, np.int64) for _ in range(3))
        kept = min(tasks, len(self.found))
        found[:kept] = self.found[:kept]
        return self._replace(begin=begin, end=end, found=found)

    def of_walls(self, walls: int) -> WallTable:
        """The table with capacity for so many walls; those listed are lost."""
        return self._replace(**_columns(walls))


def wall_table(rows: int, walls: int = 0) -> WallTable:
    """An empty table with capacity for so many particles and walls, without tasks yet."""
    of_rows, of_tasks = (np.zeros(rows, np.int32) for _ in range(2)), (np.zeros(0, np.int64) for _ in range(3))
    return WallTable(*of_rows, *of_tasks, **_columns(walls))


def _columns(walls: int) -> dict[str, np.ndarray]:
    """The columns of so many walls."""
    single = np.float32
    return {
        "owner": np.zeros(walls, np.int32), "plane": np.zeros((walls, WALL), single),
        "triangle": np.zeros(walls, np.int32), "barycentric": np.zeros((walls, 3), single),
        "displacement": np.zeros((walls, 3), single), "drag_factor": np.ones(walls, single),
    }
