"""Water on crumpled hulls: their buoyancy acts on all of the hull evenly, not where each triangle is.

Hydrostatic pressure acts along the normals at the start of a substep. A limp light hull with folds moves by more than
its edges in a substep by that, and is pushed back by another fold in the next one; and where it has passed through
itself, water pulls the inverted part ever deeper while air fills the rest above the surface: the potential of a signed
volume has no minimum. A toy balloon of 0.4 m on which a box of 5 kg fell vibrated at 30 m/s for ever, with ten
substeps, and grew to 2.7 m with two hundred.

So a hull whose surface is larger for its volume than at rest is pushed by the same force and moment, but with the
acceleration of a rigid body, which deforms nothing; springs and air then restore its shape.
"""

from __future__ import annotations

import math

from ...compiler.kernels import kernel
from ..symmetric import solve_symmetric

# A hull is whole while its surface, relative to its volume to 2/3 and to rest, is below the first, and its buoyancy
# acts evenly beyond the second. Hulls that were inflated evenly keep 1.
WHOLE, CRUMPLED = 1.05, 1.15
# Sums of a piece: mass, its first moments (3), momentum (3) and angular momentum (3) of what water gives it, and second
# moments xx, yy, zz, xy, xz, yz.
SUMS = 16


@kernel
def find_crumpled(area, volume, rest_area, rest_volume, heft, crumpled):
    """How crumpled each piece is, out (pieces,): 0 for whole and for open ones and solids, up to 1.

    Args: area, rest_area: (pieces,) [m²]; volume, rest_volume: [m³], infinite for open ones; heft: see `find_levels`.
    """
    for p in range(area.shape[0]):
        crumpled[p] = 0.0
        if 0.0 < rest_volume[p] < math.inf and rest_area[p] > 0.0 and heft[p] > 0.0:
            left = max(volume[p] / rest_volume[p], 1e-9)
            ratio = area[p] / rest_area[p] / left ** (2.0 / 3.0)
            crumpled[p] = min(max((ratio - WHOLE) / (CRUMPLED - WHOLE), 0.0), 1.0)


@kernel
def act_evenly(crumpled, piece_start, ids, particles, sums):
    """Replace what water gave the particles of crumpled pieces by the motion of a rigid body with the same momentum.

    The increase with height is replaced by its mean.

    Args:
        crumpled: (pieces,) see `find_crumpled`; piece_start: (pieces + 1,) ranges of ids; ids: particles.
        particles: `columns.WetParticles`; sums: (SUMS,) scratch.
    """
    x = particles.x
    inv_mass = particles.inv_mass
    given = particles.dv_per_step
    slope = particles.dv_gradient
    for p in range(crumpled.shape[0]):
        if crumpled[p] == 0.0 or piece_start[p] == piece_start[p + 1]:
            continue
        origin = ids[piece_start[p]]
        for k in range(SUMS):
            sums[k] = 0.0
        sx = sy = sz = 0.0
        for q in range(piece_start[p], piece_start[p + 1]):
            i = ids[q]
            if inv_mass[i] <= 0.0:
                continue
            m = 1.0 / inv_mass[i]
            _add_moments(
                sums, m, x[i, 0] - x[origin, 0], x[i, 1] - x[origin, 1], x[i, 2] - x[origin, 2], given[i, 0],
                given[i, 1], given[i, 2],
            )
            sx += m * slope[i, 0]
            sy += m * slope[i, 1]
            sz += m * slope[i, 2]
        if sums[0] == 0.0:
            continue
        tx, ty, tz = _rotation(sums)
        part = crumpled[p]
        for q in range(piece_start[p], piece_start[p + 1]):
            i = ids[q]
            if inv_mass[i] <= 0.0:
                continue
            rx = x[i, 0] - x[origin, 0] - sums[1] / sums[0]
            ry = x[i, 1] - x[origin, 1] - sums[2] / sums[0]
            rz = x[i, 2] - x[origin, 2] - sums[3] / sums[0]
            _blend(particles, i, 0, part, sums[4] / sums[0] + ty * rz - tz * ry, sx / sums[0])
            _blend(particles, i, 1, part, sums[5] / sums[0] + tz * rx - tx * rz, sy / sums[0])
            _blend(particles, i, 2, part, sums[6] / sums[0] + tx * ry - ty * rx, sz / sums[0])


@kernel
def _add_moments(sums, m, x, y, z, vx, vy, vz):
    """Add a particle of mass m at (x, y, z) that water gave the velocity (vx, vy, vz); see SUMS."""
    sums[0] += m
    sums[1] += m * x
    sums[2] += m * y
    sums[3] += m * z
    sums[4] += m * vx
    sums[5] += m * vy
    sums[6] += m * vz
    sums[7] += m * (y * vz - z * vy)
    sums[8] += m * (z * vx - x * vz)
    sums[9] += m * (x * vy - y * vx)
    sums[10] += m * x * x
    sums[11] += m * y * y
    sums[12] += m * z * z
    sums[13] += m * x * y
    sums[14] += m * x * z
    sums[15] += m * y * z


@kernel
def _rotation(sums):
    """Rates of rotation (3) about the centre of mass that have the angular momentum of the sums [1/s]."""
    m = sums[0]
    cx = sums[1] / m
    cy = sums[2] / m
    cz = sums[3] / m
    lx = sums[7] - (cy * sums[6] - cz * sums[5])
    ly = sums[8] - (cz * sums[4] - cx * sums[6])
    lz = sums[9] - (cx * sums[5] - cy * sums[4])
    mxx = sums[10] - cx * sums[1]
    myy = sums[11] - cy * sums[2]
    mzz = sums[12] - cz * sums[3]
    # A small fraction of the trace keeps the matrix of a line invertible.
    soft = 1e-9 * (mxx + myy + mzz)
    xx = myy + mzz + soft
    yy = mxx + mzz + soft
    zz = mxx + myy + soft
    xy = -(sums[13] - cx * sums[2])
    xz = -(sums[14] - cx * sums[3])
    yz = -(sums[15] - cy * sums[3])
    tx, ty, tz, _det = solve_symmetric(xx, yy, zz, xy, xz, yz, lx, ly, lz)
    return tx, ty, tz


@kernel
def _blend(particles, i, k, part, even, slope):
    """Replace a part of what water gave particle i along axis k by `even` [m/s], and of its increase by `slope`."""
    change = part * (even - particles.dv_per_step[i, k])
    particles.v[i, k] += change
    particles.dv_per_step[i, k] += change
    particles.dv_gradient[i, k] += part * (slope - particles.dv_gradient[i, k])
