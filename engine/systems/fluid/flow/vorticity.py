"""Vorticity confinement: restores eddies that the solve dissipates.

    w = curl v        N = grad |w| / |grad |w||        a = strength N x w

Steinhoff and Underhill 1994, "Modification of the Euler equations for vorticity confinement", whose strength is a
velocity, so that it means the same for any spacing; Macklin and Müller 2013 for the sums over neighbours:

    w_i = sum over j of V grad W x (v_j - v_i)        grad |w|_i = sum over j of V grad W (|w_j| - |w_i|)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, prange
from ..pairs import pair_of

if TYPE_CHECKING:
    from ..rows import FluidKinds
    from ..solver import FluidSolver

# Vorticity below this has no direction [1/s].
SLOW = 1e-3


def confine(solver: FluidSolver, strength: np.ndarray, kinds: FluidKinds, h: float) -> np.ndarray:
    """Velocity changes in h [s], (n, 3) [m/s], in the solver's order, after a step; their total momentum is zero.

    Args: strength: (n,) [m/s]; kinds: of the particles.
    """
    grid, lists, rows = solver.neighbors.grid, solver.neighbors.lists, len(solver.rows)
    curl, confinement = np.zeros((rows, 4), dtype=np.float32), np.zeros((rows, 3), dtype=np.float32)
    find_curls(lists.count, solver.rows, solver.speeds, lists.columns, solver.law, curl)
    find_confinements(lists.count, solver.rows, lists.columns, solver.law, curl, confinement)
    change = np.zeros((len(grid.order), 3))
    change[grid.order[: grid.count]] = confinement[: grid.count]
    change *= h * strength[:, None]
    mass = (1.0 / kinds.values[0].astype(np.float64))[kinds.of]
    return change - (mass @ change) / mass.sum()


@parallel_kernel
def find_curls(count, rows, speeds, blocks, law, curl):
    """Curl of the velocity of each particle and its length, into curl (p, 4) [1/s]."""
    for block in prange(count):
        for i in range(blocks.start[block], blocks.start[block + 1]):
            find_curl(i, block, rows, speeds, blocks, law, curl)


@kernel
def find_curl(i, block, rows, speeds, blocks, law, curl):
    """Curl at particle i of a block."""
    cx, cy, cz = 0.0, 0.0, 0.0
    for s in range(blocks.slot_start[block], blocks.slot_start[block + 1]):
        j = blocks.neighbor[s, i - blocks.start[block]]
        dx, dy, dz, _apart, near = pair_of(rows, i, j, law.per_support)
        if near > 0.0:
            slope = -law.slope * near * near * near
            vx, vy, vz = speeds[j, 0] - speeds[i, 0], speeds[j, 1] - speeds[i, 1], speeds[j, 2] - speeds[i, 2]
            cx += slope * (dy * vz - dz * vy)
            cy += slope * (dz * vx - dx * vz)
            cz += slope * (dx * vy - dy * vx)
    curl[i, 0], curl[i, 1], curl[i, 2] = cx, cy, cz
    curl[i, 3] = math.sqrt(cx * cx + cy * cy + cz * cz)


@parallel_kernel
def find_confinements(count, rows, blocks, law, curl, confinement):
    """N x w of each particle, into confinement (p, 3) [1/s]."""
    for block in prange(count):
        for i in range(blocks.start[block], blocks.start[block + 1]):
            find_confinement(i, block, rows, blocks, law, curl, confinement)


@kernel
def find_confinement(i, block, rows, blocks, law, curl, confinement):
    """N x w of particle i of a block."""
    gx, gy, gz = 0.0, 0.0, 0.0
    for s in range(blocks.slot_start[block], blocks.slot_start[block + 1]):
        j = blocks.neighbor[s, i - blocks.start[block]]
        dx, dy, dz, _apart, near = pair_of(rows, i, j, law.per_support)
        if near > 0.0:
            more = -law.slope * near * near * near * (curl[j, 3] - curl[i, 3])
            gx += more * dx
            gy += more * dy
            gz += more * dz
    length = math.sqrt(gx * gx + gy * gy + gz * gz)
    scale = 1.0 / length if curl[i, 3] > SLOW and length > 0.0 else 0.0
    wx, wy, wz = curl[i, 0], curl[i, 1], curl[i, 2]
    confinement[i, 0], confinement[i, 1], confinement[i, 2] = (
        scale * (gy * wz - gz * wy), scale * (gz * wx - gx * wz), scale * (gx * wy - gy * wx)
    )
