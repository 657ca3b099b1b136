"""What springs and air hold: energy that they can give back.

A spring holds k / 2 (l - l0)^2. Air N (Pa m^3) with p0 outside, and no denser than in the room V0 in which it counts as
crushed, presses by N / max(V, V0) - p0, so down to that room it holds p0 V - N ln V, and below it as much more as
is pushed against that pressure.
"""

from __future__ import annotations

import math

from ..jit import kernel
from .volume import AMBIENT, least_room


@kernel
def mark_moved(x, before, ids, is_moved):
    """Which rows are not where they were: x, before: (n, 3) [m]; ids: (r,) particle of each; is_moved: out bool."""
    for r in range(ids.shape[0]):
        i = ids[r]
        is_moved[r] = x[i, 0] != before[i, 0] or x[i, 1] != before[i, 1] or x[i, 2] != before[i, 2]


@kernel
def add_springs(sign, at, i, j, rest, kappa, follow, h, chosen, row_block, block_piece, stored):
    """stored (pieces,) += sign times the energy of springs that have a chosen end [J].

    Args:
        at: (r, 4) rows; i ... follow, h: springs and the inner step they are made for, see `constraints.distance`.
        chosen: (r,) bool; row_block: (r,) block of each row; block_piece: (blocks,) piece of each block.
    """
    for s in range(i.shape[0]):
        a = i[s]
        b = j[s]
        if rest[s] <= 0.0 or not (chosen[a] or chosen[b]):
            continue
        dx = at[a, 0] - at[b, 0]
        dy = at[a, 1] - at[b, 1]
        dz = at[a, 2] - at[b, 2]
        off = math.sqrt(dx * dx + dy * dy + dz * dz) - rest[s]
        elastic = float(kappa[s]) * (1.0 - follow[s]) if follow.shape[0] > 0 else float(kappa[s])
        stored[block_piece[row_block[a]]] += sign * 0.5 * elastic / (h * h) * off * off


@kernel
def add_air(sign, volume, rest, amount, active, piece, stored):
    """stored (pieces,) += sign times the energy of air in its parts [J], but for a constant of each.

    Args: volume ... active: (parts,), see `volume.gas_pressures`; piece: (parts,) of each.
    """
    for p in range(volume.shape[0]):
        if not active[p]:
            continue
        least = least_room(rest[p], amount[p])
        room = max(volume[p], least)
        held = AMBIENT * room - amount[p] * math.log(room / rest[p])
        held += (amount[p] / least - AMBIENT) * (room - volume[p])
        stored[piece[p]] += sign * held
