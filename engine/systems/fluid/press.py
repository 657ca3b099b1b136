"""The pressure solve of a step as one call: density, pressures of particles and cells, and the shift of all at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel
from . import cells as coarse
from .density import apply_cohesion, find_pressures, move, shift


class Work(NamedTuple):
    """Arrays that a step fills, for p sorted rows.

    Attributes:
        sums: (8, q) scratch for sums over neighbours; error, pressure: (p,), see `density.find_pressures`.
        moved, change, position_shift: (3, p), see `density.move`.
    """

    sums: np.ndarray
    error: np.ndarray
    pressure: np.ndarray
    moved: np.ndarray
    change: np.ndarray
    position_shift: np.ndarray


@kernel
def press(sizes, law, blocks, there, table, cells, places, firm, work):
    """Move all particles by pressure. One call, since calling each kernel from Python costs as much as some of them.

    Args:
        sizes: numbers of particles, blocks, and red cells; step [s], largest speed that overlap gives [m/s], clearance
            of walls [m], width of a cell [m].
        law: a `Law`; blocks: see `vector.fluid`; there: a `Sorted`; table: a `WallTable`.
        cells: `Cells`; places: frame and columns of the grid, see `Grid`; firm: see `walls.Triangles`.
        work: `Work`.
    """
    count, block_count, red, h, overlap_speed, clearance, edge = sizes
    frame, columns = places
    rows, rel_inv_mass = there.rows, there.rel_inv_mass
    find_pressures(
        block_count, rows, blocks, law, rel_inv_mass, table, work.sums, work.error, work.pressure, there.inward,
        there.adhesion,
    )
    coarse.average(cells, columns, rows, there.speeds, work.error, there.kept, rel_inv_mass, table, firm, frame, h)
    coarse.find_sources(cells, edge, h, overlap_speed)
    coarse.relax_cells(cells, red, law.max_pressure)
    coarse.spread(cells, frame, law.max_pressure, columns, work.pressure, rel_inv_mass, rows, there.kept)
    if there.inward.shape[0] > 0:
        apply_cohesion(count, law.support * h, there.inward, rows)
    shift(block_count, rows, blocks, law, rel_inv_mass, table, work.moved, work.sums)
    move(
        count, clearance, h, overlap_speed * h, table, rows, there.speeds, work.moved, work.change, work.position_shift
    )
