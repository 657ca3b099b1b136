"""Contacts among the inner steps: no pair comes closer than its gap, or than it was when the substep began.

Springs that a substep does not resolve swing several times in it. A contact that stops them at its end only has by
then bent them by a whole substep's way, and they give that back as speed from nowhere; here it stops them in the step
in which they meet. The plane of a contact stands still during a substep. With shares s_k of the point touched and d
what both sides were moved, n . d is the way along the normal, and what is missing of `room` moves

    x_i += w_i / W n d,   x_k -= s_k w_k / W n d,   W = w_i + sum s_k^2 w_k

and rubs by Coulomb's law against what the step moved across. Overlap that was there before is left to
`collide.response`.
"""

from __future__ import annotations

import math

from ..collide.response import pair_weight
from ..jit import kernel


@kernel
def _row_of(i, row, spare):
    """Row of particle i; particles of systems that were built later have none."""
    return row[i] if i < row.shape[0] else spare


@kernel
def begin_holds(count, particle, corner, share, normal, gap, x, x_prev, row, spare, steps, rows, room, creep):
    """Begin a substep.

    Args:
        particle ... gap: see `holds.Holds`; row: (n,) row of each particle, `spare` for those without.
        x, x_prev: (n, 3), particles without a row move evenly from x_prev to x.
        rows: out (m, 4) of the particle and the corners; room: out (m,) how far a pair may come closer [m].
        creep: out (m, 3), what those without a row move apart in each of `steps` inner steps [m].
    """
    for m in range(count):
        i = particle[m]
        rows[m, 0] = _row_of(i, row, spare)
        for e in range(3):
            rows[m, 1 + e] = _row_of(corner[m, e], row, spare)
        apart = 0.0
        for k in range(3):
            way = x_prev[i, k]
            even = x[i, k] - x_prev[i, k] if rows[m, 0] == spare else 0.0
            for e in range(3):
                c = corner[m, e]
                way -= share[m, e] * x_prev[c, k]
                if rows[m, 1 + e] == spare:
                    even -= share[m, e] * (x[c, k] - x_prev[c, k])
            apart += normal[m, k] * way
            creep[m, k] = even / steps
        room[m] = max(apart - gap[m], 0.0)


@kernel
def _apart(rows, share, values, m, k):
    """Component k of what the pair m's sides differ by."""
    return (
        float(values[rows[m, 0], k]) - share[m, 0] * values[rows[m, 1], k] - share[m, 1] * values[rows[m, 2], k]
        - share[m, 2] * values[rows[m, 3], k]
    )


@kernel
def _shift(at, began, moved, rows, share, row_piece, m, weight, dx, dy, dz, h, left, given):
    """Moves the sides of a pair apart by (dx, dy, dz) in all, and notes what that gives their pieces.

    A move d of a mass m from where it began a step, a, changes its angular momentum by a x m d / h, no more and no
    less: it has moved on by h v in between, and m (a + h v + d) x (v + d / h) has no other terms.
    """
    for e in range(4):
        r = rows[m, e]
        impulse = (1.0 if e == 0 else -share[m, e - 1]) / weight / h
        part = impulse * h * moved[r, 3]
        moved[r, 0] += part * dx
        moved[r, 1] += part * dy
        moved[r, 2] += part * dz
        p = row_piece[r]
        if p < 0:
            continue
        jx = impulse * dx
        jy = impulse * dy
        jz = impulse * dz
        ax = at[r, 0] + began[r, 0]
        ay = at[r, 1] + began[r, 1]
        az = at[r, 2] + began[r, 2]
        given[p, 0] += jx
        given[p, 1] += jy
        given[p, 2] += jz
        given[p, 3] += left * jx
        given[p, 4] += left * jy
        given[p, 5] += left * jz
        given[p, 6] += ay * jz - az * jy
        given[p, 7] += az * jx - ax * jz
        given[p, 8] += ax * jy - ay * jx


@kernel
def hold_apart(
    count, at, moved, began, rows, share, normal, room, creep, friction, row_piece, done, left, steps, h, held, energy,
    given,
):
    """Stop pairs that came too close in an inner step, one after another.

    Args:
        at, moved, began: (r, 4) rows, see `constraints.local`; row_piece: (r,) piece of each, -1 for the spare one.
        done: inner steps since `room` was measured, with this one; left: until the substep ends, with this one.
        steps: inner steps a substep; h: of one [s]; held, energy: in and out, see `holds.Holds`.
        given: in and out (pieces, GIVEN), see `momentum.piece_turns`.
    """
    for m in range(count):
        nx = normal[m, 0]
        ny = normal[m, 1]
        nz = normal[m, 2]
        away = nx * (_apart(rows, share, moved, m, 0) + done * creep[m, 0])
        away += ny * (_apart(rows, share, moved, m, 1) + done * creep[m, 1])
        away += nz * (_apart(rows, share, moved, m, 2) + done * creep[m, 2])
        depth = -(room[m] + away)
        if not depth > 0.0:
            continue
        weight = pair_weight(
            float(moved[rows[m, 0], 3]), float(moved[rows[m, 1], 3]), float(moved[rows[m, 2], 3]),
            float(moved[rows[m, 3], 3]), share[m, 0], share[m, 1], share[m, 2],
        )
        if not weight > 0.0:
            continue
        ux = _apart(rows, share, moved, m, 0) - _apart(rows, share, began, m, 0) + creep[m, 0]
        uy = _apart(rows, share, moved, m, 1) - _apart(rows, share, began, m, 1) + creep[m, 1]
        uz = _apart(rows, share, moved, m, 2) - _apart(rows, share, began, m, 2) + creep[m, 2]
        along = nx * ux + ny * uy + nz * uz
        # Only what stops an approach: a pair that parts again, but not yet far enough, is left alone.
        push = min(depth, max(-along, 0.0))
        if push <= 0.0:
            continue
        held[m] += push * steps
        energy[0] -= push * (2.0 * along + push) / (2.0 * weight * h * h)
        ux -= along * nx
        uy -= along * ny
        uz -= along * nz
        slide = math.sqrt(ux * ux + uy * uy + uz * uz)
        rub = min(1.0, friction[m] * push / slide) if slide > 0.0 else 0.0
        _shift(
            at, began, moved, rows, share, row_piece, m, weight,
            push * nx - rub * ux, push * ny - rub * uy, push * nz - rub * uz, h, left * h, given,
        )


@kernel
def spend_room(count, moved, rows, share, normal, creep, done, room):
    """Before rows begin to count from nought again: room (m,) has grown by what the pairs have moved apart."""
    for m in range(count):
        for k in range(3):
            room[m] += normal[m, k] * (_apart(rows, share, moved, m, k) + done * creep[m, k])
