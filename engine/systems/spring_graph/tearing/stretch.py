"""Stretch at the particles of a surface, as tensors from the springs around each."""

from __future__ import annotations

import math

from ....compiler.kernels import kernel

# Indices of the elements of a symmetric tensor: three on the diagonal, three off it.
AXES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@kernel
def gather_stretch(x, start, links, rest, breaks, found, number):
    """Twice the mean of r d dᵀ over the springs at each particle, with the direction d and the stretch r.

    Compressed springs count as 0. The trace is twice the mean of r.

    Args:
        x: (n, 3) [m]; start: first particle of the body; links: (s, 2) in its own particles; rest: (s,) [m].
        breaks: (s,) the strain that counts as 1.
        found: (m, 6) output, see AXES; number: (m,) output, springs at each particle, at least 1. Both are 0 at first.
    """
    for s in range(links.shape[0]):
        a = links[s, 0]
        b = links[s, 1]
        dx = x[start + b, 0] - x[start + a, 0]
        dy = x[start + b, 1] - x[start + a, 1]
        dz = x[start + b, 2] - x[start + a, 2]
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        number[a] += 1.0
        number[b] += 1.0
        stretch = (length / max(rest[s], 1e-12) - 1.0) / breaks[s]
        if not stretch > 0.0:
            continue
        scale = 2.0 * stretch / max(length, 1e-12) ** 2
        for end in range(2):
            i = links[s, end]
            found[i, 0] += scale * dx * dx
            found[i, 1] += scale * dy * dy
            found[i, 2] += scale * dz * dz
            found[i, 3] += scale * dx * dy
            found[i, 4] += scale * dx * dz
            found[i, 5] += scale * dy * dz
    for i in range(found.shape[0]):
        number[i] = max(number[i], 1.0)
        for k in range(6):
            found[i, k] /= number[i]


@kernel
def smooth_stretch(links, found, number, fraction, smoothed):
    """Replace a fraction of each particle's tensor by the mean of its neighbours'; smoothed: (m, 6), 0 at first."""
    for s in range(links.shape[0]):
        a = links[s, 0]
        b = links[s, 1]
        for k in range(6):
            smoothed[a, k] += found[b, k]
            smoothed[b, k] += found[a, k]
    for i in range(found.shape[0]):
        for k in range(6):
            smoothed[i, k] = found[i, k] + fraction * (smoothed[i, k] / number[i] - found[i, k])
