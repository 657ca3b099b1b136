"""How a contact or tie moves rows in an inner step, and what that gives the blocks that they lie in.

A move d of a mass m from where it began a step, a, changes its angular momentum by a x m d / h, no more and no less: it
has moved on by h v in between, and m (a + h v + d) x (v + d / h) has no other terms.
"""

from __future__ import annotations

import math

from ..jit import part_of_kernel


@part_of_kernel
def rubbing(most, square):
    """The share of a slide, given as its square, that friction takes back, which goes no further than `most` [m].

    All of it in most contacts that rest, where neither root nor quotient is asked for.
    """
    return 1.0 if square <= most * most else most / math.sqrt(square)


@part_of_kernel
def shift_rows(at, began, moved, rows, sides, row_block, m, weight, dx, dy, dz, h, left, given):
    """Moves the sides of pair m apart by (dx, dy, dz) in all.

    Args:
        at, began, moved: rows, see `constraints.local`; rows, sides: (m, 4) of each pair, with their shares.
        row_block: (r,) block of each row; weight: W [1/kg], see `constraints.holding`.
        h: of an inner step [s]; left: until the substep ends [s]; given: see `momentum.piece_turns`.
    """
    for e in range(4):
        r = rows[m, e]
        w = float(moved[r, 3])
        if w > 0.0:
            shift_row(at, began, moved, r, sides[m, e], w, row_block[r], weight, dx, dy, dz, h, left, given)


@part_of_kernel
def shift_row(at, began, moved, r, side, w, p, weight, dx, dy, dz, h, left, given):
    """The part of one row r of inverse mass w and block p, of which the share is `side`."""
    jx, jy, jz, mx, my, mz = push_row(at, began, moved, r, side, w, weight, dx, dy, dz, h)
    given[p, 0] += jx
    given[p, 1] += jy
    given[p, 2] += jz
    given[p, 3] += left * jx
    given[p, 4] += left * jy
    given[p, 5] += left * jz
    given[p, 6] += mx
    given[p, 7] += my
    given[p, 8] += mz


@part_of_kernel
def push_row(at, began, moved, r, side, w, weight, dx, dy, dz, h):
    """As `shift_row`; returns what that gives: the impulse and its moment, see there for where they belong."""
    impulse = side / (weight * h)
    part = impulse * h * w
    moved[r, 0] += part * dx
    moved[r, 1] += part * dy
    moved[r, 2] += part * dz
    jx = impulse * dx
    jy = impulse * dy
    jz = impulse * dz
    ax = at[r, 0] + began[r, 0]
    ay = at[r, 1] + began[r, 1]
    az = at[r, 2] + began[r, 2]
    return jx, jy, jz, ay * jz - az * jy, az * jx - ax * jz, ax * jy - ay * jx
