"""Neighbour search: points in the cells of a grid, and neighbour lists in blocks of sixteen.

grid    points sorted by cell
lists   neighbours of sixteen points at a time, from a grid
blocks  one list for sixteen points that lie close together
search  both, kept until points have moved too far
"""

from __future__ import annotations

from .blocks import BlockLists, Blocks
from .grid import Grid
from .lists import LANES, NeighborLists
from .search import BlockNeighbors, Neighbors

__all__ = ["LANES", "BlockLists", "BlockNeighbors", "Blocks", "Grid", "NeighborLists", "Neighbors"]
