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
    """Walls of particles in sorted order, those of particle i from first[i] to stop[i].

    Tasks list them, each in a part of its own, in which they follow one after another as particles are sorted.

    Attributes:
        first, stop: (p,) int32; begin, end, found: (tasks,) int64, where each part and its room begin and end, and the
            number of walls in it.
        owner: (w,) int32, the particle; plane: (w, WALL) float32, columns of `density`; triangle: (w,) int32.
        share: (w, 3) float32, of its corners in the closest point; push: (w, 3) float32, what the wall moved the
            particle by in the step [m]; give: (w,) float32, share of its drag that it exerts. All may be longer.
    """

    first: np.ndarray
    stop: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    found: np.ndarray
    owner: np.ndarray
    plane: np.ndarray
    triangle: np.ndarray
    share: np.ndarray
    push: np.ndarray
    give: np.ndarray

    def of_rows(self, rows: int) -> WallTable:
        """The table for so many particles."""
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
        """The table with room for so many walls, none of which is kept."""
        return self._replace(**_columns(walls))


def wall_table(rows: int, walls: int = 0) -> WallTable:
    """Room for so many particles and walls, of no task yet."""
    of_rows, of_tasks = (np.zeros(rows, np.int32) for _ in range(2)), (np.zeros(0, np.int64) for _ in range(3))
    return WallTable(*of_rows, *of_tasks, **_columns(walls))


def _columns(walls: int) -> dict[str, np.ndarray]:
    """The columns of so many walls."""
    single = np.float32
    return {
        "owner": np.zeros(walls, np.int32), "plane": np.zeros((walls, WALL), single),
        "triangle": np.zeros(walls, np.int32), "share": np.zeros((walls, 3), single),
        "push": np.zeros((walls, 3), single), "give": np.ones(walls, single),
    }
