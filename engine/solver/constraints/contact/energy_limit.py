"""What pieces owe is taken of the motion that they gain, see `spring_graph.injected_energy`.

Pieces that touch in a substep pay together, for contacts hand on what springs gave: two ropes that lie in each other
and are bent fly apart as a whole. With the energies K of what they are against the frame of V, at the start and the
end, and D all that they owe, all of them keep the same share f of their motion,

    v' = V + f (v - V),   f^2 = 1 - min(D, K_end - K_start) / K_end

which keeps their momentum, when V is the velocity of their common centre. Those that touch what is held pay in the
frame of that, where it does no work.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel
from .contact_order import row_of

# Of an island: whether it touches what is held, velocity of that (3), mass, momentum at the start (3) and at the
# end (3), energy at the start and at the end, what is owed.
ISLAND = 14
# Of a piece: the share that it keeps and the velocity of the frame (3).
KEPT = 4


@kernel
def _root(island, p):
    while island[p] != p:
        p = island[p]
    return p


@kernel
def find_islands(count, contact, weight, row, spare, row_block, block_piece, v, island, sums):
    """island (pieces,) names a piece of those that each touches, over any number of others; begins `sums`.

    Args:
        count, contact, weight: see `solver.contact_buffer.ContactBuffer`; row, spare: of particles; row_block,
            block_piece: of rows.
        v: (n, 3); sums: out (pieces, ISLAND), nought but for the velocity of what is held.
    """
    for p in range(island.shape[0]):
        island[p] = p
        for k in range(ISLAND):
            sums[p, k] = 0.0
    for iteration in range(2):
        for m in range(count):
            first = -1
            held = -1
            for e in range(4):
                if weight[m, e] == 0.0:
                    continue
                r = row_of(contact[m, e], row, spare)
                if r == spare:
                    held = contact[m, e]
                    continue
                root = _root(island, block_piece[row_block[r]])
                first = root if first < 0 else first
                # The lowest number, so that the order of contacts does not matter.
                island[max(root, first)] = min(root, first)
                first = min(root, first)
            if iteration == 1 and first >= 0 and held >= 0 and sums[first, 0] == 0.0:
                sums[first, 0] = 1.0
                for k in range(3):
                    sums[first, 1 + k] = v[held, k]
    for p in range(island.shape[0]):
        island[p] = _root(island, p)


@kernel
def pay(start, end, piece_block, island, sums, injected_energy, waits, kept):
    """What each piece keeps of its motion, (pieces, KEPT); nobody owes more then than what air still holds.

    Args:
        start, end: sums of blocks, see `momentum`; piece_block: (pieces + 1,) ranges of them; island, sums: see above.
        injected_energy: in and out (pieces,) [J]; waits: (pieces,) how much of it is not asked for yet.
    """
    for p in range(island.shape[0]):
        q = island[p]
        for block in range(piece_block[p], piece_block[p + 1]):
            sums[q, 4] += start[block, 0]
            for k in range(3):
                sums[q, 5 + k] += start[block, 4 + k]
                sums[q, 8 + k] += end[block, 4 + k]
            sums[q, 11] += start[block, 16]
            sums[q, 12] += end[block, 16]
        sums[q, 13] += injected_energy[p] - waits[p]
    for p in range(island.shape[0]):
        q = island[p]
        kept[p, 0] = 1.0
        for k in range(3):
            kept[p, 1 + k] = sums[q, 1 + k] if sums[q, 0] > 0.0 else sums[q, 8 + k] / sums[q, 4]
        if sums[q, 13] <= 0.0:
            continue
        before = sums[q, 11]
        after = sums[q, 12]
        for k in range(3):
            began = kept[p, 1 + k] if sums[q, 0] > 0.0 else sums[q, 5 + k] / sums[q, 4]
            before += began * (0.5 * sums[q, 4] * began - sums[q, 5 + k])
            after += kept[p, 1 + k] * (0.5 * sums[q, 4] * kept[p, 1 + k] - sums[q, 8 + k])
        paid = min(sums[q, 13], after - max(before, 0.0))
        if paid > 0.0:
            kept[p, 0] = math.sqrt(max(0.0, 1.0 - paid / after))
    for p in range(island.shape[0]):
        injected_energy[p] = waits[p]
