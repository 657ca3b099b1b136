"""A coarse pressure of a fluid, on the cells of its neighbour search."""

from __future__ import annotations

from .pressure import average, find_sources, relax_cells, spread
from .table import TASK, Cells, find_cells, lies_at, number_at

__all__ = [
    "TASK", "Cells", "average", "find_cells", "find_sources", "lies_at", "number_at", "relax_cells", "spread",
]
