"""Springs as explicit forces, and the symplectic Euler integration of their particles."""

from __future__ import annotations

import numpy as np

from ....compiler import aligned
from ....mesh.graph.neighbours import build_neighbours
from ....solver.forces import gather as plain
from ....solver.forces.columns import GatherBuffers, GatherMotion, GatherSlots
from ....solver.vector import gather as vector
from ....world.world import Model, State
from ..tables.rows import Rows
from ..tables.springs import Links

# Origins are rounded to this grid [m], so that x - origin is exact; pieces with pins need that, free ones do not.
GRID = 2.0**-10


class ExplicitSprings:
    """Particles in blocks of sixteen with their neighbours, in a frame that moves uniformly with each piece.

    Attributes:
        links: the links of the springs.
        table: particles in blocks and their neighbours.
    """

    def __init__(self, links: Links, rows: Rows, model_inv_mass: np.ndarray, air_drag: np.ndarray) -> None:
        """Args: links; rows: give order and precision; model_inv_mass: (n,) [1/kg]; air_drag: (n,) [1/s]."""
        self.links = links
        number = rows.moved.dtype.type
        self._in_vectors = number is np.float32
        piece = np.repeat(rows.block_piece, np.diff(rows.block_start))
        table = build_neighbours(links.pairs, rows.ids, piece, len(model_inv_mass))
        self.table = table
        self._free, self._first = rows.free, rows.ids[np.searchsorted(piece, np.arange(len(rows.free)))]
        self._air_drag = air_drag[self._first]
        there = table.link >= 0
        of_slot = np.where(there, table.link, 0)
        self._rest = aligned.copy(np.where(there, links.rest[of_slot], 0.0).astype(number))
        self._slots = GatherSlots(table.neighbour, table.run_first, self._rest, table.slot_start, table.run_stop)
        link_piece = piece_of(links.pairs[:, 0], rows, piece, len(model_inv_mass))
        count = len(rows.free)
        stiffest, softest = np.zeros(count), np.full(count, np.inf)
        np.maximum.at(stiffest, link_piece, links.stiffness)
        np.minimum.at(softest, link_piece, links.stiffness)
        self._is_varied = bool(np.any(links.damping > 0.0) or np.any(stiffest > np.minimum(softest, stiffest)))
        self._stiffness = stiffest[table.block_piece]
        if self._is_varied:
            self._slot_stiffness = np.where(there, links.stiffness[of_slot], 0.0).astype(number)
            self._slot_damping = np.where(there, links.damping[of_slot], 0.0).astype(number)
        places, blocks = len(table.particle), len(table.block_piece)
        self._rows = aligned.zeros((places, 4), number)
        here = table.particle >= 0
        self._rows[here, 3] = model_inv_mass[table.particle[here]]
        self._spare_rows = aligned.copy(self._rows)
        self._columns, self._spare_columns = (aligned.copy(self._rows.T) for _ in range(2))
        self._speeds, self._spare_speeds = (aligned.zeros((places, 4), number) for _ in range(2))
        self._x, self._v = (aligned.zeros((blocks, 3, 16)) for _ in range(2))
        self._origin, self._drift = np.zeros((count, 3)), np.zeros((count, 3))

    def begin_frame(self, state: State) -> None:
        """Choose a reference frame for each piece: at its first particle, moving with it if the piece is free."""
        self._origin = np.round(state.x[self._first] / GRID) * GRID
        self._drift = np.where(self._free[:, None], state.v[self._first], 0.0)

    def advance(
        self, state: State, gravity: np.ndarray, h: float, first: int, count: int,
    ) -> None:
        """Integrate the substeps `first` to `first + count` of the frame: springs, gravity, air drag.

        Args: gravity: (3,) [m/s²]; h: the substep [s].
        """
        table = self.table
        start = self._origin + (h * first) * self._drift
        plain.enter_frame(
            state.x, state.v, table.particle, table.block_piece, start, self._drift, self._rows, self._speeds,
            self._x, self._v,
        )
        keep = np.exp(-self._air_drag * h)
        dv = keep[:, None] * (h * gravity) + (keep[:, None] - 1.0) * self._drift
        block_keep, block_dv = keep[table.block_piece], dv[table.block_piece]
        motion = GatherMotion(block_keep, block_dv, self._x, self._v)
        law = vector if self._in_vectors else plain
        if self._is_varied:
            law.glide_damped(
                self._rows, self._spare_rows, self._speeds, self._spare_speeds, self._slots, self._slot_stiffness,
                self._slot_damping, motion, h, count,
            )
        else:
            self._columns[:] = self._rows.T
            buffers = GatherBuffers(self._rows, self._spare_rows, self._columns, self._spare_columns)
            law.step_springs(buffers, self._slots, h * self._stiffness, motion, h, count)
        stop = self._origin + (h * (first + count)) * self._drift
        plain.leave_frame(
            self._x, self._v, table.particle, table.block_piece, stop, self._drift, state.x, state.x_prev, state.v
        )

    def bounds(self, model: Model) -> tuple[np.ndarray, np.ndarray]:
        """Bounds by Gershgorin's theorem for each particle: omega² (n,) [1/s²] and damping rate (n,) [1/s].

        A row of M^-1 K has k w_i on its diagonal for each link, and as much off the diagonal if the other end is free.
        """
        w = model.inv_mass
        found = []
        for per_link in (self.links.stiffness, self.links.damping):
            total = np.zeros(len(w))
            for a, b in ((0, 1), (1, 0)):
                near, far = self.links.pairs[:, a], self.links.pairs[:, b]
                weight = per_link * np.where(w[far] > 0.0, 2.0, 1.0)
                total += np.bincount(near, weights=weight, minlength=len(w))
            found.append(total * w)
        return found[0], found[1]


def piece_of(particles: np.ndarray, rows: Rows, row_piece: np.ndarray, count: int) -> np.ndarray:
    """Piece of each particle."""
    piece = np.zeros(count, dtype=np.int64)
    piece[rows.ids] = row_piece
    return piece[particles]
