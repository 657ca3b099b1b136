"""What a link takes that is stretched or squeezed too far: it yields, and in the end it breaks.

Past the yield strain e_y the rest length l0 goes to the length l, at a rate c [1/s]:

    dl0/dt = c (l - l0 (1 ± e_y)),   + where stretched, - where squeezed

A substep lets the share 1 - exp(-c h) of the way pass, so any rate is stable and what is left does not depend on the
substep: a link held at l ends with l0 = l / (1 ± e_y). l0 stays within (1 ± most) of what it was at first. A link
breaks, for good, when it is stretched by more than the break strain against the l0 it has then.
"""

from __future__ import annotations

import math

from ...compiler.kernels import kernel


@kernel
def yield_and_break(rows, i, j, first, yield_strain, pace, most, break_strain, rest, alive, changed):
    """Rest lengths and breaks after a substep, sixteen links a block.

    Args:
        rows: (r, 4); i, j: (s,) int32 rows; first: (s,) rest lengths at the start [m].
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
