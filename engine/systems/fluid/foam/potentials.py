"""Where a fluid entrains air.

For each particle i, with x_ij = x_i - x_j, v_ij = v_i - v_j, unit vectors under a hat, and w = 1 - |x_ij| / support:

    trapped_i = sum over j of |v_ij| (1 - v^_ij . x^_ij) w                     fluid that hits fluid
    crest_i   = sum over j above the tangent plane's far side of (1 - n^_i . n^_j) w,  where v^_i . n^_i > 0.6

n is the surface normal, out of the fluid: the sum over j of t³ x_ij, with t = w, from the kernel's gradient. Deep in
the fluid it has no meaning, and there is no crest. Ihmsen, Akinci, Akinci, Teschner 2012, "Unified spray, foam and air
bubbles for particle-based fluids", equations 2 to 7.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, prange
from ..pairs import pair_of
from ..solver import FluidSolver

# A particle is at the surface if support times the gradient of the color field is larger; it is 1.5 at a flat surface.
SURFACE = 0.5
# The cosine between velocity and normal beyond which a crest moves outward.
OUTWARD = 0.6


class Potentials(NamedTuple):
    """Potentials and normals of particles, in sorted order.

    Attributes:
        normal: (p, 3) float32, unit normals, zero deep in the fluid; trapped: (p,) float32 [m/s]; crest: (p,)
            float32.
    """

    normal: np.ndarray
    trapped: np.ndarray
    crest: np.ndarray


def find_potentials(solver: FluidSolver) -> tuple[np.ndarray, np.ndarray]:
    """Trapped air [m/s] and crest of each particle, (n,) float32 each, in the solver's order, after a step."""
    grid, lists, rows = solver.neighbors.grid, solver.neighbors.lists, len(solver.rows)
    found = Potentials(*(np.zeros(shape, dtype=np.float32) for shape in ((rows, 3), rows, rows)))
    arguments = (lists.count, solver.rows, solver.speeds, lists.columns, solver.law, found)
    find_trapped(*arguments)
    find_crests(*arguments)
    trapped, crest = (np.zeros(len(grid.order), dtype=np.float32) for _ in range(2))
    order = grid.order[: grid.count]
    trapped[order], crest[order] = found.trapped[: grid.count], found.crest[: grid.count]
    return trapped, crest


@parallel_kernel
def find_trapped(count, rows, speeds, blocks, law, found):
    """Trapped air and normals of all particles in `count` blocks."""
    for block in prange(count):
        for i in range(blocks.start[block], blocks.start[block + 1]):
            find_trapped_one(i, block, rows, speeds, blocks, law, found)


@kernel
def find_trapped_one(i, block, rows, speeds, blocks, law, found):
    """Trapped air and normal of particle i of a block."""
    trapped, nx, ny, nz = 0.0, 0.0, 0.0, 0.0
    for s in range(blocks.slot_start[block], blocks.slot_start[block + 1]):
        j = blocks.neighbor[s, i - blocks.start[block]]
        dx, dy, dz, apart, near = pair_of(rows, i, j, law.per_support)
        if near <= 0.0 or apart <= 0.0:
            continue
        vx, vy, vz = speeds[i, 0] - speeds[j, 0], speeds[i, 1] - speeds[j, 1], speeds[i, 2] - speeds[j, 2]
        trapped += (math.sqrt(vx * vx + vy * vy + vz * vz) - (vx * dx + vy * dy + vz * dz) / apart) * near
        cube = near * near * near
        nx += cube * dx
        ny += cube * dy
        nz += cube * dz
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    scale = 1.0 / length if law.support * law.slope * length > SURFACE else 0.0
    found.trapped[i] = trapped
    found.normal[i, 0], found.normal[i, 1], found.normal[i, 2] = scale * nx, scale * ny, scale * nz


@parallel_kernel
def find_crests(count, rows, speeds, blocks, law, found):
    """Crests of all particles in `count` blocks, from their normals."""
    for block in prange(count):
        for i in range(blocks.start[block], blocks.start[block + 1]):
            find_crest(i, block, rows, speeds, blocks, law, found)


@kernel
def find_crest(i, block, rows, speeds, blocks, law, found):
    """Crest of particle i of a block: convexity of the surface, if the particle moves outward."""
    nx, ny, nz = found.normal[i, 0], found.normal[i, 1], found.normal[i, 2]
    vx, vy, vz = speeds[i, 0], speeds[i, 1], speeds[i, 2]
    outward = nx * vx + ny * vy + nz * vz
    crest = 0.0
    if outward > 0.0 and outward > OUTWARD * math.sqrt(vx * vx + vy * vy + vz * vz):
        for s in range(blocks.slot_start[block], blocks.slot_start[block + 1]):
            j = blocks.neighbor[s, i - blocks.start[block]]
            dx, dy, dz, _apart, near = pair_of(rows, i, j, law.per_support)
            mx, my, mz = found.normal[j, 0], found.normal[j, 1], found.normal[j, 2]
            has_normal = mx != 0.0 or my != 0.0 or mz != 0.0
            if near > 0.0 and has_normal and dx * nx + dy * ny + dz * nz > 0.0:
                crest += (1.0 - nx * mx - ny * my - nz * mz) * near
    found.crest[i] = crest
