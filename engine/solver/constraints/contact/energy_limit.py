"""Removes energy that springs injected from the motion that pieces gain, see `spring_graph.injected_energy`.

Pieces that touch in a substep are treated together (an island), because contacts transmit what springs gave: two bent
ropes that overlap fly apart as a whole. K is kinetic energy relative to the velocity V, at the start and at the end of
the substep, and D is the energy injected into the island. All its pieces keep the same fraction f of their motion,

    v' = V + f (v - V),   f^2 = 1 - min(D, K_end - K_start) / K_end

which conserves momentum where V is the velocity of the common centre. For an island that touches a held particle, V is
the velocity of that particle, in whose frame it does no work.

In water, K_start is the energy before water acts, and the work that it does on the way that was taken. It presses a
light hull from all sides: each vertex gains metres a second by that, which springs take back, so no work is done.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, part_of_kernel
from ...disjoint_sets import root_of
from .contact_order import row_of

# Columns of an island: whether it touches a held particle, velocity of that (3), mass, momentum at the start (3) and at
# the end (3), energy at the start and at the end, injected energy.
ISLAND = 14
# Columns of a piece: the fraction of motion that it keeps and the velocity of the frame (3).
KEPT = 4


@kernel
def find_islands(count, contact, weight, row, spare, row_block, block_piece, inv_mass, v, island, sums):
    """Join touching pieces to islands: island (pieces,) names the lowest piece of each; initializes `sums`.

    Args:
        count, contact, weight: see `solver.contact_buffer.ContactBuffer`; row, spare: of particles; row_block,
            block_piece: of rows.
        inv_mass: (n,), of held particles 0; v: (n, 3).
        sums: out (pieces, ISLAND), zero except for the velocity of a held particle.
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
                    held = contact[m, e] if inv_mass[contact[m, e]] == 0.0 else held
                    continue
                root = root_of(island, block_piece[row_block[r]])
                first = root if first < 0 else first
                # Use the lowest index, so that the order of contacts does not matter.
                island[max(root, first)] = min(root, first)
                first = min(root, first)
            if iteration == 1 and first >= 0 and held >= 0 and sums[first, 0] == 0.0:
                sums[first, 0] = 1.0
                for k in range(3):
                    sums[first, 1 + k] = v[held, k]
    for p in range(island.shape[0]):
        island[p] = root_of(island, p)


@kernel
def pay(particles, blocks, at, origin, h, start, island, sums, injected_energy, waits, kept):
    """Fraction of motion that each piece keeps, (pieces, KEPT); leaves only the energy in `waits` to be removed.

    Args:
        particles: `columns.ParticleColumns`; blocks: `columns.RowBlocks`; origin: (blocks, 3), see `local.take_rows`.
        at: (r, 4) positions at the end of the solve [m]; h: the substep [s].
        start: (blocks, START_SUMS), see `momentum`; island, sums: see above.
        injected_energy: in and out (pieces,) [J]; waits: (pieces,) part of it that is still stored in air [J].
    """
    end = blocks.end
    for p in range(island.shape[0]):
        sums[island[p], 13] += injected_energy[p] - waits[p]
    for block in range(blocks.piece.shape[0]):
        q = island[blocks.piece[block]]
        if sums[q, 13] <= 0.0:
            continue
        sums[q, 4] += start[block, 0]
        for k in range(3):
            sums[q, 5 + k] += start[block, 4 + k]
            sums[q, 8 + k] += end[block, 4 + k]
        sums[q, 11] += _spread_energy(particles, blocks, at, origin, h, start, block)
        sums[q, 12] += end[block, 16]
    for p in range(island.shape[0]):
        q = island[p]
        kept[p, 0] = 1.0
        if sums[q, 13] <= 0.0:
            continue
        for k in range(3):
            kept[p, 1 + k] = sums[q, 1 + k] if sums[q, 0] > 0.0 else sums[q, 8 + k] / sums[q, 4]
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


@part_of_kernel
def _spread_energy(particles, blocks, at, origin, h, start, block):
    """Kinetic energy of a block at the start without spread forces, and their work on the way that was taken [J]."""
    spread = particles.dv_per_step
    if spread.shape[0] == 0:
        return start[block, 16]
    energy = 0.0
    for r in range(blocks.start[block], blocks.start[block + 1]):
        i = blocks.ids[r]
        is_free = particles.inv_mass[i] > 0.0
        up = 0.5 * (at[r, 2] - (particles.x[i, 2] - origin[block, 2]))
        for k in range(3):
            gained = spread[i, k] if is_free else 0.0
            began = particles.v[i, k] - gained
            if is_free:
                gained += particles.dv_gradient[i, k] * up
            way = at[r, k] - (particles.x[i, k] - origin[block, k])
            energy += particles.mass[i] * (0.5 * began * began + gained * way / h)
    return energy
