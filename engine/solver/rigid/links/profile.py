"""Symmetric matrices in skyline storage: factors L D L^T, and solution by them.

Row i has entries from column first[i] to i; the factors need no others (George and Liu 1981, envelope method).
"""

from __future__ import annotations

from ....compiler.kernels import kernel

# A pivot below this fraction of its diagonal marks a dependent row; the row gets no impulse.
LEAST_PIVOT = 1e-11


@kernel
def factor(start, first, a, pivot):
    """Factor a in place.

    Args:
        start: (r + 1,) start of each row in a; first: (r,) column of its first entry.
        a: in and out (entries,), row after row, the diagonal last; out: L.
        pivot: out (r,), 1 / D, zero for dependent rows.
    """
    for i in range(first.shape[0]):
        low = first[i]
        own = start[i] - low
        whole = a[own + i]
        for j in range(low, i):
            begin = max(low, first[j])
            other = start[j] - first[j]
            total = a[own + j]
            for k in range(begin, j):
                total -= a[own + k] * a[other + k]
            a[own + j] = total
        left = whole
        for j in range(low, i):
            scaled = a[own + j] * pivot[j]
            left -= scaled * a[own + j]
            a[own + j] = scaled
        pivot[i] = 1.0 / left if left > LEAST_PIVOT * whole else 0.0


@kernel
def solve_by(start, first, a, pivot, b):
    """b = (L D L^T)^-1 b, in place (r,)."""
    count = first.shape[0]
    for i in range(count):
        own = start[i] - first[i]
        for k in range(first[i], i):
            b[i] -= a[own + k] * b[k]
    for i in range(count):
        b[i] *= pivot[i]
    for i in range(count - 1, -1, -1):
        own = start[i] - first[i]
        for k in range(first[i], i):
            b[k] -= a[own + k] * b[i]
