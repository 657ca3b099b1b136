"""How a contact or tie moves rows in an inner step, and what that gives the blocks that they lie in.

A move d of a mass m from where it began a step, a, changes its angular momentum by a x m d / h, no more and no less: it
has moved on by h v in between, and m (a + h v + d) x (v + d / h) has no other terms.
"""

from __future__ import annotations

import math

from ....compiler.kernels import part_of_kernel


@part_of_kernel
def rubbing(most, square):
    """The share of a slide, given as its square, that friction takes back, which goes no further than `most` [m].

    All of it in most contacts that rest, where neither root nor quotient is asked for.
    """
    return 1.0 if square <= most * most else most / math.sqrt(square)


@part_of_kernel
def shift_rows(at, began, moved, rows, sides, row_block, m, total_inv_mass, way, h, left, impulse):
    """Moves the sides of pair m apart by way = (dx, dy, dz) in all [m].

    Args:
        at, began, moved: rows, see `constraints.local`; rows, sides: (m, 4) of each pair, with their shares.
        row_block: (r,) block of each row; total_inv_mass: W [1/kg], see `contact.contacts`.
        h: of an inner step [s]; left: until the substep ends [s]; impulse: see `momentum.piece_turns`.
    """
    for e in range(4):
        r = rows[m, e]
        w = float(moved[r, 3])
        if w > 0.0:
            shift_row(at, began, moved, r, sides[m, e], w, row_block[r], total_inv_mass, way, h, left, impulse)


@part_of_kernel
def shift_row(at, began, moved, r, side, w, p, total_inv_mass, way, h, left, impulse):
    """The part of one row r of inverse mass w and block p, of which the share is `side`."""
    jx, jy, jz, mx, my, mz = push_row(at, began, moved, r, side, w, total_inv_mass, way, h)
    impulse[p, 0] += jx
    impulse[p, 1] += jy
    impulse[p, 2] += jz
    impulse[p, 3] += left * jx
    impulse[p, 4] += left * jy
    impulse[p, 5] += left * jz
    impulse[p, 6] += mx
    impulse[p, 7] += my
    impulse[p, 8] += mz


@part_of_kernel
def push_row(at, began, moved, r, side, w, total_inv_mass, way, h):
    """As `shift_row`; returns what that gives: the impulse and its moment, see there for where they belong."""
    dx, dy, dz = way
    scale = side / (total_inv_mass * h)
    part = scale * h * w
    moved[r, 0] += part * dx
    moved[r, 1] += part * dy
    moved[r, 2] += part * dz
    jx = scale * dx
    jy = scale * dy
    jz = scale * dz
    ax = at[r, 0] + began[r, 0]
    ay = at[r, 1] + began[r, 1]
    az = at[r, 2] + began[r, 2]
    return jx, jy, jz, ay * jz - az * jy, az * jx - ax * jz, ax * jy - ay * jx
