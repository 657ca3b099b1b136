"""Neighbour search: points in the cells of a grid, and neighbour lists in blocks of sixteen.

grid    points sorted by cell
lists   neighbours of sixteen points at a time, from a grid
search  both, kept until points have moved too far
"""

from __future__ import annotations

from .grid import Grid
from .lists import LANES, NeighborLists
from .search import Neighbors

__all__ = ["LANES", "Grid", "NeighborLists", "Neighbors"]
