"""Effective inverse mass matrix of all rows of links, h J M^-1 J^T + 1 / G, see `links.solve`; stored by `profile`."""

from __future__ import annotations

from ....compiler.kernels import kernel
from ..sides import apply_inverse_inertia

# Regularization as a fraction of W for nearly dependent rows, such as those of four parallel rods. The error that it
# causes costs further iterations, but breaks no link.
REGULARIZATION = 1e-7


@kernel
def assemble(bodies, table, work, mass):
    """a = J M^-1 J^T."""
    frame = table.frame
    row_link = table.row_link
    start = table.start
    first = table.first
    linear = work.linear
    angular = work.angular
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
                    wx, wy, wz = apply_inverse_inertia(
                        inverse, b, angular[j, other, 0], angular[j, other, 1], angular[j, other, 2]
                    )
                    found = (
                        linear[i, 0] * linear[j, 0] + linear[i, 1] * linear[j, 1] + linear[i, 2] * linear[j, 2]
                    ) / mass[b] + angular[i, side, 0] * wx + angular[i, side, 1] * wy + angular[i, side, 2] * wz
                    total += found if side == other else -found
            a[start[i] + j - first[i]] = total
        a[start[i + 1] - 1] *= 1.0 + REGULARIZATION


@kernel
def soften(h, table, work):
    """Compute 1 / G and B of springs, 0 for rigid rows; add 1 / (h G) to the matrix.

    Omega includes all springs that act on the same bodies, by Gershgorin's bound.
    """
    row_link = table.row_link
    stiffness = table.stiffness
    damping = table.damping
    start = table.start
    first = table.first
    residual = work.residual
    a = work.matrix
    compliance = work.compliance
    start_factor = work.start_factor
    for r in range(residual.shape[0]):
        start_factor[r] = 0.0
        for j in range(first[r], r + 1):
            size = abs(a[start[r] + j - first[r]])
            start_factor[r] += stiffness[row_link[j]] * size
            if j < r:
                start_factor[j] += stiffness[row_link[r]] * size
    for r in range(residual.shape[0]):
        k = stiffness[row_link[r]]
        c = damping[row_link[r]]
        compliance[r] = 0.0
        if k == 0.0:
            start_factor[r] = 0.0
            continue
        theta = min(1.0, max(c / (k * h), h * h * start_factor[r]))
        extra_damping = max(c - k * h * theta, 0.0)
        stiff = h * k * theta + extra_damping
        compliance[r] = 1.0 / stiff
        start_factor[r] = (h * k * (1.0 - theta) - extra_damping) / stiff
        a[start[r + 1] - 1] += compliance[r] / h
