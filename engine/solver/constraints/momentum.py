"""Momentum correction of free pieces: restores the momentum that internal constraints lost.

Internal forces must change neither the momentum P nor the angular momentum L. Rounding and the implicit solve change
both slightly. So each free piece gets a velocity correction shift + turn x (x - centre), with turn = I^-1 (L0 - L)
about the centre, and its centre moves as its momentum demands. P and L are then conserved to double-precision rounding,
unless restoring L would add more energy than the solve dissipated, see `_fraction_of_rotation`.
"""

from __future__ import annotations

import math

from ...compiler.kernels import kernel
from ..symmetric import solve_symmetric

# Sums of a block at the start: m, m x (3), m v (3), m x cross v (3), m s (3), m x cross s (3), with s the velocity
# change by spread forces, and m v^2 / 2.
START_SUMS = 17
# At the end: m, m x, m v, m x cross v as above, m (x x^T) as xx, yy, zz, xy, xz, yz, and m v^2 / 2.
END_SUMS = 17
# Impulses J of contacts on a block, each at the start of an inner step and with a time t left until the substep ends:
# J (3), J t (3), angular momentum (3), J t^2 (3).
CONTACT_SUMS = 12
# Correction of a piece: whether to apply it, centre (3), shift of position (3), shift of velocity (3), rotation of
# velocity (3), rotation of position (3), and the factor that scales its velocity.
TURN = 17
# Largest rotation of a piece in a substep, if it adds energy or the piece is almost a line [rad]...
MOST_TURN = 0.1
# ... which is when the determinant of its inertia is below this fraction of the cubed trace; a ball has 1 / 27.
ALMOST_LINE = 1e-3
# A piece is a point when its inertia about its centre is below this fraction of that about its first particle.
POINT = 1e-12
# Relative energy that the rotation of velocity may add to a piece in a substep, beyond what the solve dissipated.
# Bodies that swing and rest stay below it (0.8 % in the tests of truths).
MOST_GAIN = 0.01


@kernel
def piece_corrections(start, end, impulses, piece_block, free, h, steps, s, e, g, kept, turn):
    """Correction of each piece, (pieces, TURN), from the sums of its blocks piece_block[p] : piece_block[p + 1].

    Args:
        start, end: (blocks, START_SUMS), (blocks, END_SUMS); impulses: (blocks, GIVEN) impulses of contacts, about the
            origin of the piece.
        free: (pieces,) bool; h: the substep [s]; steps: (pieces,) inner steps in it.
        kept: see `energy_limit.pay`; turn: out.
        s, e, g: (START_SUMS,), (END_SUMS,), (GIVEN,) scratch for the sums of a piece.

    A spread force moves a piece less far than an impulse at the start of the substep would, and a swinging body would
    gain energy by that. So a piece that touches nothing is moved and rotated as if it had received the impulse. One
    that touches something stays where the inner steps moved it, because contacts are spread in the same way: otherwise
    a body at rest would be pressed into the ground and rebound. A contact acts where the piece is on the path of the
    spread force; its moment about the centre is taken from there to the centre on the same path.
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
        for k in range(CONTACT_SUMS):
            g[k] = 0.0
        for block in range(piece_block[p], piece_block[p + 1]):
            for k in range(START_SUMS):
                s[k] += start[block, k]
            for k in range(END_SUMS):
                e[k] += end[block, k]
            for k in range(CONTACT_SUMS):
                g[k] += impulses[block, k]
        s[16] -= (s[4] * s[4] + s[5] * s[5] + s[6] * s[6]) / (2.0 * s[0])
        # Mean delay of a spread force against an impulse at the start.
        full_delay = 0.5 * h * (1.0 - 1.0 / steps[p])
        touches = g[0] != 0.0 or g[1] != 0.0 or g[2] != 0.0
        # Torque about the centre, times that delay.
        delay = 0.0 if touches else full_delay
        s[13] = delay * (s[13] - (s[2] * s[12] - s[3] * s[11]) / s[0])
        s[14] = delay * (s[14] - (s[3] * s[10] - s[1] * s[12]) / s[0])
        s[15] = delay * (s[15] - (s[1] * s[11] - s[2] * s[10]) / s[0])
        # Expected sums at the end of the substep, as if the spread force were an impulse at its start.
        for k in range(3):
            s[1 + k] += h * s[4 + k] + g[3 + k]
            s[4 + k] += g[k]
            s[7 + k] += g[6 + k]
            g[k] = g[k] * full_delay + 0.5 * (g[3 + k] / steps[p] - g[9 + k] / h)
        _add_lag_moments(s, g)
        turn[p, 0] = 1.0
        for k in range(3):
            turn[p, 1 + k] = e[1 + k] / e[0]
            turn[p, 4 + k] = (s[1 + k] - (full_delay - delay) * s[10 + k] - e[1 + k]) / e[0]
            turn[p, 7 + k] += kept[p, 0] * (s[4 + k] - e[4 + k]) / e[0]
        _solve_rotation(s, e, h, turn, p)


@kernel
def _add_lag_moments(s, g):
    """Add the moments of contact impulses that arise because the centre lags on the path of a spread force.

    With the acceleration a it lags by a (h t - t (t + h / steps) / 2) at the time t, compared with an impulse at the
    start. Args: s: sums at the start; g: its first three are the sum of J times that, without a, over h.
    """
    s[7] += (s[11] * g[2] - s[12] * g[1]) / s[0]
    s[8] += (s[12] * g[0] - s[10] * g[2]) / s[0]
    s[9] += (s[10] * g[1] - s[11] * g[0]) / s[0]


@kernel
def _solve_rotation(s, e, h, turn, p):
    """turn = I^-1 (L0 - L), each about its own centre; limited to MOST_TURN if it adds energy or rotates a line.

    A larger correction is never justified then: it is rounding divided by the small inertia of a piece that is almost a
    line, or a spin that inner steps do not resolve. A correction that removes energy is not limited: springs that carry
    much more than a step resolves can cause one as large, and a huge hull with a limit here spun faster and faster.
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
    # For a piece that is a point (a single particle), inertia and missing angular momentum are only rounding.
    if mxx + myy + mzz <= POINT * (e[10] + e[11] + e[12]):
        return
    # A piece on a line has no inertia about that line, so a small fraction of the trace keeps the matrix invertible.
    soft = 1e-12 * (mxx + myy + mzz)
    xx = myy + mzz + soft
    yy = mxx + mzz + soft
    zz = mxx + myy + soft
    xy = -(e[13] - cx * e[2])
    xz = -(e[14] - cx * e[3])
    yz = -(e[15] - cy * e[3])
    for k in range(2):
        if k == 1:
            rx = s[13]
            ry = s[14]
            rz = s[15]
        tx, ty, tz, det = solve_symmetric(xx, yy, zz, xy, xz, yz, rx, ry, rz)
        if det <= 0.0:
            return
        time = h if k == 0 else 1.0
        is_small = (tx * tx + ty * ty + tz * tz) * time * time < MOST_TURN * MOST_TURN
        fraction = 1.0
        if k == 0:
            first = tx * lx + ty * ly + tz * lz
            second = max(0.0, 0.5 * (tx * rx + ty * ry + tz * rz))
            left = kept * kept * (e[16] - (e[4] * e[4] + e[5] * e[5] + e[6] * e[6]) / (2.0 * e[0]))
            if is_small:
                fraction = _fraction_of_rotation(first, second, MOST_GAIN * max(0.0, left) + max(0.0, s[16] - left))
            elif first + second > 0.0:
                fraction = 0.0
        if is_small or det > ALMOST_LINE * (xx + yy + zz) ** 3:
            turn[p, 10 + 3 * k] = fraction * tx
            turn[p, 11 + 3 * k] = fraction * ty
            turn[p, 12 + 3 * k] = fraction * tz


@kernel
def _fraction_of_rotation(first, second, most):
    """The largest q up to 1 for which q first + q^2 second, the energy that the rotation adds, is at most `most` [J].

    Without this limit a hull that air inflated around a boulder, in substeps that resolved neither, appeared to lose a
    quarter of its rotational energy in each; restored on top of the energy from the air, it spun until it flew apart.
    """
    if first + second <= most:
        return 1.0
    root = math.sqrt(first * first + 4.0 * second * most)
    return 2.0 * most / (first + root) if first > 0.0 else (root - first) / (2.0 * second)
