"""Energy that bodies would gain because they take more inner steps than in the last substep.

In one pass of an inner step h a vertex moves at most to the rest length of a spring, so a spring of stiffness k acts as
one of k / (1 + k h^2 w), where w is the sum of the inverse masses at its ends. A beach ball that lands with two steps a
substep thus stores fifty times its kinetic energy, most of which inner steps dissipate. When something heavy touches
it, it takes 32 steps, and its springs act thirty times as hard at the same lengths: by that twelve balls and a ring had
22 J instead of 2, and one ball left at 15 m/s.

Let s = 1 / (1 + k h^2 w) be this fraction before and now. A spring that stores E may release E s_now, but received only
E s_before. So E (1 - s_before / s_now) did not come from motion, and counts as injected. The pressure of the air of a
piece acts in the same passes, so the same fraction applies to the energy that air stores beyond its rest volume: the
work of its pressure less that of the pressure at rest.
"""

from __future__ import annotations

import numpy as np

from ...solver.constraints import stored_energy as stored
from ...solver.constraints.drift import place_rows
from .tables.gas import GasTable
from .tables.rows import Rows
from .tables.springs import SpringTable


def gained_by_steps(
    rows: Rows, springs: SpringTable, gas: GasTable, x: np.ndarray, last_steps: np.ndarray
) -> np.ndarray:
    """Energy that pieces would gain in a solve from x, (pieces,) [J]; 0 where the steps do not increase.

    Args: x: (n, 3) of all particles [m]; last_steps: (pieces,) inner steps of the last solve.
    """
    rest, kappa, follow, step = springs.for_energy()
    pieces = len(rows.free)
    own = rows.piece[springs.i]
    some = np.flatnonzero((rest > 0.0) & (last_steps < springs.steps)[own])
    if len(some) == 0:
        return np.zeros(pieces)
    own, i, j = own[some], springs.i[some], springs.j[some]
    place_rows(x, rows.ids, rows.block_start, rows.block_first, rows.at)
    at = rows.at
    stretch = np.linalg.norm(at[i, :3] - at[j, :3], axis=1) - rest[some]
    elastic = kappa[some].astype(np.float64)
    if len(follow):
        elastic *= 1.0 - follow[some]
    ratio = elastic * (at[i, 3] + at[j, 3])
    more = (springs.steps / last_steps)[own] ** 2
    energy = 0.5 * elastic / step[rows.row_block[i]] ** 2 * stretch**2
    gained = np.bincount(own, energy * (1.0 - (1.0 + ratio) / (1.0 + more * ratio)), pieces)
    if gas.breathes:
        total = np.bincount(own, energy, pieces)
        gained += np.divide(gained, total, out=np.zeros(pieces), where=total > 0.0) * _stored_by_air(rows, gas)
    return gained


def _stored_by_air(rows: Rows, gas: GasTable) -> np.ndarray:
    """Energy that the air of each piece stores beyond its rest volume, for the current rows, (pieces,) [J]."""
    piece, held, at_rest = rows.piece[gas.origin], np.zeros(len(rows.free)), np.zeros(len(rows.free))
    gas.measure(rows.at)
    stored.add_air(gas.volume, gas.rest_volume, gas.amount, gas.active, piece, held)
    stored.add_air(gas.rest_volume, gas.rest_volume, gas.amount, gas.active, piece, at_rest)
    pressure = np.where(gas.active, gas.amount / gas.rest_volume - stored.AMBIENT, 0.0)
    work = np.bincount(piece, pressure * (gas.rest_volume - gas.volume), len(rows.free))
    return np.maximum(held - at_rest - work, 0.0)
