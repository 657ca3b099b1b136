"""Momentum of free pieces: what inner constraints lost of it goes back.

Inner forces must change neither momentum P nor angular momentum L. Rounding and the implicit solve do a little, so a
free piece gets back what it lacks, as a velocity shift + turn x (x - centre) with turn = I^-1 (L0 - L) about the
centre, and its centre goes where its momentum takes it. To rounding in double precision, P and L are kept, unless to
give L back would take more energy than the solve took, see `_share_of_turn`.
"""

from __future__ import annotations

import math

from ...compiler.kernels import kernel

# Sums of a block at the start: m, m x (3), m v (3), m x cross v (3), m s (3), m x cross s (3), with s what comes late,
# and m v^2 / 2.
START_SUMS = 17
# At the end: m, m x, m v, m x cross v as there, m (x x^T) as xx, yy, zz, xy, xz, yz, and m v^2 / 2.
END_SUMS = 17
# What contacts gave a block: momentum (3), momentum times how long it has had it (3), angular momentum (3).
GIVEN = 9
# What a piece gets: whether to, its centre (3), a shift of place (3), of velocity (3), a turn of velocity (3) and of
# place (3), and the share that it keeps of its velocity.
TURN = 17
# The most that a piece is turned by in a substep, if that adds energy or the piece is almost a line [rad]...
MOST_TURN = 0.1
# ... which it is when its inertia has a smaller determinant than this share of the trace's cube; a ball's has 1 / 27.
ALMOST_LINE = 1e-3
# A piece is in one spot when its inertia about its centre is less than this share of that about its first particle.
SPOT = 1e-12
# What a turn of velocity may add to the energy of a piece in a substep, beside what the solve took of it: bodies that
# swing and rest stay below this share of it (0.8 % in the tests of truths).
MOST_GAIN = 0.01


@kernel
def piece_turns(start, end, given, piece_block, free, h, steps, s, e, g, kept, turn):
    """What each piece gets, (pieces, TURN), from the sums of its blocks piece_block[p] : piece_block[p + 1].

    Args:
        start, end: (blocks, START_SUMS), (blocks, END_SUMS); given: (blocks, GIVEN) by contacts, about
            the origin of the piece.
        free: (pieces,) bool; h: the substep [s]; steps: inner steps in it; kept: see `paying.pay`; turn: out.
        s, e, g: (START_SUMS,), (END_SUMS,), (GIVEN,) to work with: the sums of a piece.

    What comes late moves a piece by less than a kick at the start would, and a body that swings would gain energy by
    it: so the whole piece is moved, and turned, as if it had been kicked. Not as far as contacts bear it, which do so
    bit by bit as well: a body at rest on the ground would be pressed into it, and come back with speed.
    """
    for p in range(free.shape[0]):
        for k in range(TURN):
            turn[p, k] = 0.0
        turn[p, 16] = kept[p, 0]
        for k in range(3):
            turn[p, 7 + k] = (1.0 - kept[p, 0]) * kept[p, 1 + k]
        if not free[p]:
            continue
        for k in range(START_SUMS):
            s[k] = 0.0
        for k in range(END_SUMS):
            e[k] = 0.0
        for k in range(GIVEN):
            g[k] = 0.0
        for block in range(piece_block[p], piece_block[p + 1]):
            for k in range(START_SUMS):
                s[k] += start[block, k]
            for k in range(END_SUMS):
                e[k] += end[block, k]
            for k in range(GIVEN):
                g[k] += given[block, k]
        s[16] -= (s[4] * s[4] + s[5] * s[5] + s[6] * s[6]) / (2.0 * s[0])
        # The share of the late force that contacts bear.
        late = s[10] * s[10] + s[11] * s[11] + s[12] * s[12]
        borne = -(g[0] * s[10] + g[1] * s[11] + g[2] * s[12]) / max(late, 1e-300)
        borne = max(0.0, min(1.0, borne))
        # For how long a late force is missed; that of what is borne is taken out of what contacts moved the piece by.
        missed = 0.5 * h * (1.0 - 1.0 / steps)
        for k in range(3):
            g[3 + k] -= borne * missed * s[10 + k]
        # Late torque about the centre, of what is not borne.
        missed *= 1.0 - borne
        s[13] = missed * (s[13] - (s[2] * s[12] - s[3] * s[11]) / s[0])
        s[14] = missed * (s[14] - (s[3] * s[10] - s[1] * s[12]) / s[0])
        s[15] = missed * (s[15] - (s[1] * s[11] - s[2] * s[10]) / s[0])
        # What there would be at the end.
        for k in range(3):
            s[1 + k] += h * s[4 + k] + g[3 + k]
            s[4 + k] += g[k]
            s[7 + k] += g[6 + k]
        turn[p, 0] = 1.0
        for k in range(3):
            turn[p, 1 + k] = e[1 + k] / e[0]
            turn[p, 4 + k] = (s[1 + k] - e[1 + k]) / e[0]
            turn[p, 7 + k] += kept[p, 0] * (s[4 + k] - e[4 + k]) / e[0]
        _solve_turn(s, e, h, turn, p)


@kernel
def _solve_turn(s, e, h, turn, p):
    """turn = I^-1 (L0 - L), each about its own centre; what adds energy, or turns a line, no farther than MOST_TURN.

    So much is never owed: it is rounding, divided by the little inertia of a piece that is almost a line, or a spin
    that inner steps do not resolve. But what takes energy is owed: springs that bear much more than a step resolves
    give as much, and a huge hull that kept it turned faster and faster.
    """
    cx = turn[p, 1]
    cy = turn[p, 2]
    cz = turn[p, 3]
    kept = turn[p, 16]
    lx = kept * (e[7] - (cy * e[6] - cz * e[5]))
    ly = kept * (e[8] - (cz * e[4] - cx * e[6]))
    lz = kept * (e[9] - (cx * e[5] - cy * e[4]))
    rx = (s[7] - (s[2] * s[6] - s[3] * s[5]) / s[0]) - lx
    ry = (s[8] - (s[3] * s[4] - s[1] * s[6]) / s[0]) - ly
    rz = (s[9] - (s[1] * s[5] - s[2] * s[4]) / s[0]) - lz
    mxx = e[10] - cx * e[1]
    myy = e[11] - cy * e[2]
    mzz = e[12] - cz * e[3]
    # Of a piece in one spot, a single particle, rounding is all that is left of its inertia, and of what it lacks.
    if mxx + myy + mzz <= SPOT * (e[10] + e[11] + e[12]):
        return
    # A piece on one line cannot be turned about it and has no say there, so a small share of the trace keeps the
    # matrix invertible.
    soft = 1e-12 * (mxx + myy + mzz)
    xx = myy + mzz + soft
    yy = mxx + mzz + soft
    zz = mxx + myy + soft
    xy = -(e[13] - cx * e[2])
    xz = -(e[14] - cx * e[3])
    yz = -(e[15] - cy * e[3])
    c_x = yy * zz - yz * yz
    c_y = yz * xz - xy * zz
    c_z = xy * yz - yy * xz
    det = xx * c_x + xy * c_y + xz * c_z
    if det <= 0.0:
        return
    is_thick = det > ALMOST_LINE * (xx + yy + zz) ** 3
    for k in range(2):
        if k == 1:
            rx = s[13]
            ry = s[14]
            rz = s[15]
        tx = (rx * c_x + ry * c_y + rz * c_z) / det
        ty = (rx * c_y + ry * (xx * zz - xz * xz) + rz * (xy * xz - xx * yz)) / det
        tz = (rx * c_z + ry * (xy * xz - xx * yz) + rz * (xx * yy - xy * xy)) / det
        time = h if k == 0 else 1.0
        is_small = (tx * tx + ty * ty + tz * tz) * time * time < MOST_TURN * MOST_TURN
        share = 1.0
        if k == 0:
            first = tx * lx + ty * ly + tz * lz
            second = max(0.0, 0.5 * (tx * rx + ty * ry + tz * rz))
            left = kept * kept * (e[16] - (e[4] * e[4] + e[5] * e[5] + e[6] * e[6]) / (2.0 * e[0]))
            if is_small:
                share = _share_of_turn(first, second, MOST_GAIN * max(0.0, left) + max(0.0, s[16] - left))
            elif first + second > 0.0:
                share = 0.0
        if is_small or is_thick:
            turn[p, 10 + 3 * k] = share * tx
            turn[p, 11 + 3 * k] = share * ty
            turn[p, 12 + 3 * k] = share * tz


@kernel
def _share_of_turn(first, second, most):
    """The largest q up to 1 for which q first + q^2 second, what a turn adds to the energy, is `most` or less.

    A hull that air blows up around a boulder, in substeps that resolve neither, seemed to lose a quarter of its spin's
    energy in each; it got that back beside what air gave, and turned the faster until it flew apart.
    """
    if first + second <= most:
        return 1.0
    root = math.sqrt(first * first + 4.0 * second * most)
    return 2.0 * most / (first + root) if first > 0.0 else (root - first) / (2.0 * second)
