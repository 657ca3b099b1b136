"""Which triangles are near which cells: listed anew when cells or triangles are others, or triangles have moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...compiler.typed_call import TypedCall
from .bounds import BOUND, FACE, GROUPED, NearLists, bound_anew
from .nearest import LISTED, near_triangles

if TYPE_CHECKING:
    from ...solver.neighbors import Grid
    from .cells import Cells
    from .wall_table import Triangles

# Lists hold while no corner has moved farther than this [support].
SLACK = 0.4


class NearTriangles:
    """Lists of the triangles near each cell of a fluid."""

    def __init__(self, support: float) -> None:
        """Args: support: of the fluid's kernel [m]."""
        self._support = support
        whole = np.int32
        self._lists = NearLists(
            np.zeros(1, np.int64), np.zeros(0, whole), *_bounds(0), *(np.zeros(0, whole),) * 2,
        )
        # Where corners were when they were listed [m]; nowhere when cells are others.
        self._listed = self._nowhere = np.full((1, 3, 3), np.inf, dtype=np.float32)
        self._bound, self._find = TypedCall(bound_anew), TypedCall(near_triangles)

    def forget(self) -> None:
        """Cells are others."""
        self._listed = self._nowhere

    def of(self, triangles: Triangles, cells: Cells, grid: Grid) -> NearLists:
        """The list of each cell."""
        count = len(cells.first)
        if len(self._lists.bound) != len(triangles.start):
            bound, face, stop, ball = _bounds(len(triangles.start))
            self._lists = self._lists._replace(bound=bound, face=face, stop=stop, ball=ball)
        slack, group = SLACK * self._support, np.float32(GROUPED * self._support)
        if self._bound(triangles, self._listed, slack, group, self._lists):
            return self._lists
        self._lists = self._lists._replace(start=np.zeros(count + 1, dtype=np.int64))
        self._listed = triangles.end.copy()
        if count and len(triangles.end):
            box = np.zeros((4, 3), dtype=np.int64)
            arguments = (triangles, cells, grid.frame, grid.size, LISTED * self._support, box)
            needed = self._find(*arguments, self._lists)
            if needed > len(self._lists.near):
                near, found, cell = (np.zeros(needed + needed // 2, dtype=np.int32) for _ in range(3))
                self._lists = self._lists._replace(near=near, found=found, cell=cell)
                self._find(*arguments, self._lists)
        return self._lists


def _bounds(count: int) -> tuple[np.ndarray, ...]:
    """Room for the bounds and faces of so many triangles, and for groups of them."""
    bound, ball = (np.zeros((count, columns), np.float32) for columns in (BOUND, 4))
    return bound, np.zeros((count, FACE)), np.zeros(count, np.int32), ball
