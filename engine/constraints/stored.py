"""What springs and air hold: energy that they can give back.

A spring holds k / 2 (l - l0)^2. Air N (Pa m^3) with p0 outside, and no denser than in the room V0 in which it counts as
crushed, presses by N / max(V, V0) - p0, so down to that room it holds p0 V - N ln V, and below it as much more as
is pushed against that pressure.

What moving some rows adds is summed over the springs that end there, and no others. The volume of all air is another
matter: `add_some_air` takes the one that was known last, and the directions in which air pushed then.
"""

from __future__ import annotations

import math

from ..jit import kernel
from .volume import AMBIENT, least_room


@kernel
def find_moved(x, noted, ids, is_moved, found):
    """List rows that are elsewhere than was noted, and mark them; returns how many.

    Args:
        x, noted: (n, 3) of all particles; ids: (r,) particle of each row; is_moved: out (r,) bool; found: out (r,).
    """
    count = 0
    for r in range(ids.shape[0]):
        i = ids[r]
        is_moved[r] = x[i, 0] != noted[i, 0] or x[i, 1] != noted[i, 1] or x[i, 2] != noted[i, 2]
        if is_moved[r]:
            found[count] = r
            count += 1
    return count


@kernel
def add_springs(
    found, is_moved, x, noted, ids, ends_start, ends, i, j, rest, kappa, follow, h, row_block, block_piece, stored
):
    """stored (pieces,) += how much more springs hold than when particles were as noted [J].

    Args:
        found ... ids: see `find_moved`; ends_start, ends: springs that end at each row, of ranges ends_start (r + 1,).
        i ... follow, h: springs and the inner step they are made for, see `constraints.distance`.
        row_block: (r,) block of each row; block_piece: (blocks,) piece of each block.
    """
    for m in range(found.shape[0]):
        r = found[m]
        a = ids[r]
        more = 0.0
        for e in range(ends_start[r], ends_start[r + 1]):
            s = ends[e]
            other = j[s] if i[s] == r else i[s]
            # Once for each spring.
            if rest[s] <= 0.0 or (is_moved[other] and other < r):
                continue
            b = ids[other]
            before = 0.0
            after = 0.0
            for k in range(3):
                before += (noted[a, k] - noted[b, k]) ** 2
                after += (x[a, k] - x[b, k]) ** 2
            was = math.sqrt(before) - rest[s]
            off = math.sqrt(after) - rest[s]
            elastic = float(kappa[s]) * (1.0 - follow[s]) if follow.shape[0] > 0 else float(kappa[s])
            more += 0.5 * elastic / (h * h) * (off * off - was * was)
        stored[block_piece[row_block[r]]] += more


@kernel
def held_by_air(volume, amount, rest):
    """What air holds in a volume [m³], but for a constant [J]; amount, rest: see `volume.gas_pressures`."""
    least = least_room(rest, amount)
    room = max(volume, least)
    held = AMBIENT * room - amount * math.log(room / rest)
    return held + (amount / least - AMBIENT) * (room - volume)


@kernel
def add_air(volume, rest, amount, active, piece, stored):
    """stored (pieces,) += the energy of air in its parts [J], but for a constant of each.

    Args: volume ... active: (parts,), see `volume.gas_pressures`; piece: (parts,) of each.
    """
    for p in range(volume.shape[0]):
        if active[p]:
            stored[piece[p]] += held_by_air(volume[p], amount[p], rest[p])


@kernel
def add_some_air(
    found, x, noted, ids, place, id_part, gradient, volume, rest, amount, active, piece, change, stored
):
    """stored (pieces,) += about how much more air holds than when particles were as noted [J].

    Args:
        found ... ids: see `find_moved`; place: (r,) where a row stands in gradient (q, 4), or -1.
        id_part: (q,) part of each; volume ... piece: as in `add_air`; change: scratch (parts,).
    """
    for p in range(change.shape[0]):
        change[p] = 0.0
    for m in range(found.shape[0]):
        r = found[m]
        q = place[r]
        if q >= 0:
            for k in range(3):
                change[id_part[q]] += gradient[q, k] * (x[ids[r], k] - noted[ids[r], k])
    for p in range(change.shape[0]):
        if active[p]:
            stored[piece[p]] += held_by_air(volume[p] + change[p], amount[p], rest[p])
            stored[piece[p]] -= held_by_air(volume[p], amount[p], rest[p])
