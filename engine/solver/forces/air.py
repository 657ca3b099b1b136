"""Enclosed air as an explicit force: the over-pressure acts along the gradient of the volume."""

from __future__ import annotations

from ...compiler.kernels import parallel_kernel, prange


@parallel_kernel
def apply_air_pressure(ids, block_start, block_part, gradient, pressure, inv_mass, h, v):
    """v += h w p dV/dx.

    Args:
        ids: (q,) int64, particles; block b is the range block_start[b] : block_start[b + 1], of part block_part[b].
        gradient: (q, 3) [m²]; pressure: (parts,) over-pressure [Pa], 0 without air; inv_mass: (n,) [1/kg]; h: [s].
        v: (n, 3) in and out [m/s].
    """
    for block in prange(block_part.shape[0]):
        impulse_per_area = h * pressure[block_part[block]]
        if impulse_per_area != 0.0:
            for q in range(block_start[block], block_start[block + 1]):
                i = ids[q]
                for k in range(3):
                    v[i, k] += impulse_per_area * inv_mass[i] * gradient[q, k]
