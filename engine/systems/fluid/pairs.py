"""Two neighbours in a loop over lists, for terms that are not evaluated sixteen at a time."""

from __future__ import annotations

import math

from ...compiler.kernels import part_of_kernel


@part_of_kernel
def pair_of(rows, i, j, per_support):
    """Vector from particle j to i, three numbers [m], its length [m], and 1 - length / support, not below 0."""
    dx, dy, dz = rows[i, 0] - rows[j, 0], rows[i, 1] - rows[j, 1], rows[i, 2] - rows[j, 2]
    apart = math.sqrt(dx * dx + dy * dy + dz * dz)
    return dx, dy, dz, apart, max(1.0 - apart * per_support, 0.0)
