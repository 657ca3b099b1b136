"""What presses in a step, as one call: density, pressures of particles and of cells, and the shift of all at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel
from . import cells as coarse
from .density import find_pressures, hold_together, move, shift


class Work(NamedTuple):
    """Arrays that a step fills, for p sorted rows.

    Attributes:
        sums: (8, q) room for sums over neighbours; error, pressure: (p,), see `density.find_pressures`.
        moved, change, aside: (3, p), see `density.move`.
    """

    sums: np.ndarray
    error: np.ndarray
    pressure: np.ndarray
    moved: np.ndarray
    change: np.ndarray
    aside: np.ndarray


@kernel
def press(sizes, law, blocks, there, table, cells, places, firm, work):
    """Move all particles by what presses on them: a call of each kernel from Python would take as long as some of them.

    Args:
        sizes: numbers of particles, blocks, and red cells; step [s], largest speed that overlap gives [m/s], clearance
            of walls [m], width of a cell [m].
        law: a `Law`; blocks: see `vector.fluid`; there: a `Sorted`; table: a `WallTable`.
        cells: `Cells`; places: frame and columns of the grid, see `Grid`; firm: see `walls.Triangles`.
        work: `Work`.
    """
    count, block_count, red, h, part, clearance, edge = sizes
    frame, columns = places
    rows, lightness = there.rows, there.lightness
    find_pressures(
        block_count, rows, blocks, law, lightness, table, work.sums, work.error, work.pressure, there.inward,
        there.cling,
    )
    coarse.average(cells, columns, rows, there.speeds, work.error, there.kept, lightness, table, firm, frame, h)
    coarse.find_sources(cells, edge, h, part)
    coarse.relax_cells(cells, red, law.most)
    coarse.spread(cells, frame, law.most, columns, work.pressure, lightness, rows, there.kept)
    if there.inward.shape[0] > 0:
        hold_together(count, law.support * h, there.inward, rows)
    shift(block_count, rows, blocks, law, lightness, table, work.moved, work.sums)
    move(count, clearance, h, part * h, table, rows, there.speeds, work.moved, work.change, work.aside)
