"""Plasticity and fracture of links: a link that is strained too far yields, and finally breaks.

Beyond the yield strain e_y the rest length l0 approaches the length l at a rate c [1/s]:

    dl0/dt = c (l - l0 (1 ± e_y)),   + in tension, - in compression

A substep covers the fraction 1 - exp(-c h) of the distance, so any rate is stable and the result does not depend on the
substep: a link held at l ends with l0 = l / (1 ± e_y). l0 stays within (1 ± most) of its initial value. A link breaks
permanently when its strain relative to the current l0 exceeds the break strain.
"""

from __future__ import annotations

import math

from ...compiler.kernels import kernel


@kernel
def yield_and_break(rows, i, j, first, yield_strain, pace, most, break_strain, rest, alive, changed):
    """Update rest lengths and breaks after a substep, sixteen links per block.

    Args:
        rows: (r, 4) positions [m]; i, j: (s,) int32 rows; first: (s,) initial rest lengths [m].
        yield_strain, pace, most, break_strain: (s,); infinite strains never act, pace = 1 - exp(-c h).
        rest: (s,) float64 [m], in and out; alive: (s,) bool, in and out; changed: (s / 16,) bool, out.
    """
    for block in range(changed.shape[0]):
        changed[block] = False
        for s in range(block * 16, block * 16 + 16):
            if not alive[s] or not first[s] > 0.0:
                continue
            dx = rows[i[s], 0] - rows[j[s], 0]
            dy = rows[i[s], 1] - rows[j[s], 1]
            dz = rows[i[s], 2] - rows[j[s], 2]
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            over = length - rest[s] * (1.0 + yield_strain[s])
            under = length - rest[s] * (1.0 - yield_strain[s])
            if over > 0.0 or under < 0.0:
                moved = rest[s] + pace[s] * (over if over > 0.0 else under)
                moved = min(max(moved, first[s] * max(1.0 - most[s], 0.0)), first[s] * (1.0 + most[s]))
                if moved != rest[s]:
                    rest[s] = moved
                    changed[block] = True
            if length > rest[s] * (1.0 + break_strain[s]):
                alive[s] = False
                changed[block] = True
