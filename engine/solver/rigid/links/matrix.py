"""Effective inverse mass matrix of all rows of links, h J M^-1 J^T + 1 / G, see `links.solve`; stored by `profile`."""

from __future__ import annotations

from ....compiler.kernels import kernel
from ..sides import turned_by

# Regularization as a fraction of W for nearly dependent rows, such as those of four parallel rods. The remaining error
# costs further iterations, and it breaks no link.
SHARED = 1e-7


@kernel
def weigh(bodies, table, work, mass):
    """a = J M^-1 J^T."""
    frame = table.frame
    row_link = table.row_link
    start = table.start
    first = table.first
    along = work.along
    twist = work.twist
    inverse = work.inverse
    a = work.matrix
    for i in range(first.shape[0]):
        m = row_link[i]
        for j in range(first[i], i + 1):
            n = row_link[j]
            total = 0.0
            for side in range(2):
                b = frame[m, side]
                if b >= bodies:
                    continue
                for other in range(2):
                    if frame[n, other] != b:
                        continue
                    wx, wy, wz = turned_by(inverse, b, twist[j, other, 0], twist[j, other, 1], twist[j, other, 2])
                    found = (
                        along[i, 0] * along[j, 0] + along[i, 1] * along[j, 1] + along[i, 2] * along[j, 2]
                    ) / mass[b] + twist[i, side, 0] * wx + twist[i, side, 1] * wy + twist[i, side, 2] * wz
                    total += found if side == other else -found
            a[start[i] + j - first[i]] = total
        a[start[i + 1] - 1] *= 1.0 + SHARED


@kernel
def soften(h, table, work):
    """Compute 1 / G and B of springs, 0 for rigid rows; add 1 / (h G) to the matrix.

    Omega counts all springs that act on the same bodies, by Gershgorin's bound.
    """
    row_link = table.row_link
    stiffness = table.stiffness
    damping = table.damping
    start = table.start
    first = table.first
    gap = work.gap
    a = work.matrix
    soft = work.soft
    follow = work.follow
    for r in range(gap.shape[0]):
        follow[r] = 0.0
        for j in range(first[r], r + 1):
            size = abs(a[start[r] + j - first[r]])
            follow[r] += stiffness[row_link[j]] * size
            if j < r:
                follow[j] += stiffness[row_link[r]] * size
    for r in range(gap.shape[0]):
        k = stiffness[row_link[r]]
        c = damping[row_link[r]]
        soft[r] = 0.0
        if k == 0.0:
            follow[r] = 0.0
            continue
        late = min(1.0, max(c / (k * h), h * h * follow[r]))
        more = max(c - k * h * late, 0.0)
        stiff = h * k * late + more
        soft[r] = 1.0 / stiff
        follow[r] = (h * k * (1.0 - late) - more) / stiff
        a[start[r + 1] - 1] += soft[r] / h
