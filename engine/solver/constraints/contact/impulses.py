"""Displacement of rows by a contact or tie in an inner step, and its impulse and moment on their blocks.

A displacement d of a mass m that began the step at a changes its angular momentum by exactly a x m d / h: it has also
moved by h v meanwhile, and m (a + h v + d) x (v + d / h) has no other terms in d.
"""

from __future__ import annotations

import math

from ....compiler.kernels import part_of_kernel


@part_of_kernel
def friction_fraction(most, square):
    """Fraction of a tangential displacement that friction removes, at most `most` [m]; square: of that length [m²].

    Most resting contacts stick completely, and need neither root nor quotient.
    """
    return 1.0 if square <= most * most else most / math.sqrt(square)


@part_of_kernel
def shift_rows(at, began, moved, rows, sides, row_block, m, total_inv_mass, displacement, h, left, impulse):
    """Separate the sides of pair m by `displacement` (dx, dy, dz) in total [m].

    Args:
        at, began, moved: rows, see `constraints.local`; rows, sides: (m, 4) of each pair, with their weights.
        row_block: (r,) block of each row; total_inv_mass: W [1/kg], see `contact.contacts`.
        h: of an inner step [s]; left: until the substep ends [s]; impulse: see `momentum.piece_corrections`.
    """
    for e in range(4):
        r = rows[m, e]
        w = float(moved[r, 3])
        if w > 0.0:
            shift_row(at, began, moved, r, sides[m, e], w, row_block[r], total_inv_mass, displacement, h, left, impulse)


@part_of_kernel
def shift_row(at, began, moved, r, side, w, p, total_inv_mass, displacement, h, left, impulse):
    """The part of one row r with inverse mass w, in block p; `side` is its weight."""
    jx, jy, jz, mx, my, mz = push_row(at, began, moved, r, side, w, total_inv_mass, displacement, h)
    impulse[p, 0] += jx
    impulse[p, 1] += jy
    impulse[p, 2] += jz
    impulse[p, 3] += left * jx
    impulse[p, 4] += left * jy
    impulse[p, 5] += left * jz
    impulse[p, 6] += mx
    impulse[p, 7] += my
    impulse[p, 8] += mz
    impulse[p, 9] += left * left * jx
    impulse[p, 10] += left * left * jy
    impulse[p, 11] += left * left * jz


@part_of_kernel
def push_row(at, began, moved, r, side, w, total_inv_mass, displacement, h):
    """As `shift_row`; returns the impulse and its moment instead of adding them to a block."""
    dx, dy, dz = displacement
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
