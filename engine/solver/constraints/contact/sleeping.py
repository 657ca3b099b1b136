"""Sleep: pieces that move slowly while supported are stopped, instead of rocking and creeping for ever.

One solve of each contact per inner step leaves resting bodies a small velocity, and friction slips now and then. A
piece that has been slower than SLOW for a while and touches something begins each substep at rest. Forces and contacts
still act on it, so it settles on the body below and follows slow motion of that body. It wakes when a substep leaves it
faster than SLOW, or when the mean velocity change by substeps exceeds a fraction of what its weight would cause.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, parallel_kernel, prange
from .contact_order import row_of

# Root mean square velocity by mass below which a piece is slow [m/s]; it sleeps after so long [s].
SLOW, LONG = 0.005, 0.5
# Unsupported fraction of the weight that wakes a piece, averaged over so long [s]: single friction slips do not wake.
UNSUPPORTED, MEAN_OVER = 0.03, 0.1
# Sums of a block: mass, momentum, twice the kinetic energy.
SUMS = 5


@kernel
def mark_supported(count, contact, held, row, spare, row_block, block_piece, is_supported):
    """Which pieces, out (pieces,) bool, have an active contact of the last substep; see `ContactBuffer`."""
    for p in range(is_supported.shape[0]):
        is_supported[p] = False
    for m in range(count):
        if held[m] <= 0.0:
            continue
        for e in range(4):
            r = row_of(contact[m, e], row, spare)
            if r != spare:
                is_supported[block_piece[row_block[r]]] = True


@parallel_kernel
def sum_motion(v, mass, ids, block_start, sums):
    """Mass, momentum and twice the kinetic energy of each block; v: (n, 3) [m/s]; sums: out (blocks, SUMS)."""
    for block in prange(block_start.shape[0] - 1):
        total = 0.0
        px = 0.0
        py = 0.0
        pz = 0.0
        twice = 0.0
        for r in range(block_start[block], block_start[block + 1]):
            i = ids[r]
            m = mass[i]
            total += m
            px += m * v[i, 0]
            py += m * v[i, 1]
            pz += m * v[i, 2]
            twice += m * (v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2])
        sums[block, 0] = total
        sums[block, 1] = px
        sums[block, 2] = py
        sums[block, 3] = pz
        sums[block, 4] = twice


@kernel
def find_resting(sums, piece_block, free, is_supported, h, total_inv_mass, still, gained, rests):
    """Which pieces sleep; returns how many.

    Args:
        sums: see `sum_motion`; free: (pieces,) bool, those without pins; total_inv_mass: weight of one kilogram [N].
        still: in and out (pieces,), how long each has been slow [s]; rests: out (pieces,) bool.
        gained: in and out (pieces, 3), mean velocity of each sleeping piece at the end of substeps [m/s].
    """
    found = 0
    weight = min(1.0, h / MEAN_OVER)
    for p in range(still.shape[0]):
        total = 0.0
        px = 0.0
        py = 0.0
        pz = 0.0
        twice = 0.0
        for block in range(piece_block[p], piece_block[p + 1]):
            total += sums[block, 0]
            px += sums[block, 1]
            py += sums[block, 2]
            pz += sums[block, 3]
            twice += sums[block, 4]
        slow = twice < SLOW * SLOW * total
        if still[p] >= LONG:
            gained[p, 0] += weight * (px / total - gained[p, 0])
            gained[p, 1] += weight * (py / total - gained[p, 1])
            gained[p, 2] += weight * (pz / total - gained[p, 2])
            size = math.sqrt(gained[p, 0] ** 2 + gained[p, 1] ** 2 + gained[p, 2] ** 2)
            slow = slow and size < UNSUPPORTED * total_inv_mass * h
        else:
            gained[p, 0] = 0.0
            gained[p, 1] = 0.0
            gained[p, 2] = 0.0
        still[p] = still[p] + h if slow and free[p] and is_supported[p] else 0.0
        rests[p] = still[p] >= LONG
        found += rests[p]
    return found


@kernel
def stop_resting(rests, block_piece, block_start, ids, v):
    """Set v (n, 3) to zero in the sleeping pieces."""
    for block in range(block_piece.shape[0]):
        if rests[block_piece[block]]:
            for r in range(block_start[block], block_start[block + 1]):
                for k in range(3):
                    v[ids[r], k] = 0.0
