"""The law of a particle fluid: nobody is denser than at rest.

    C_i = rho_i / rho_0 - 1 <= 0        rho_i / rho_0 = sum over j of V W(x_i - x_j) + walls

In each iteration all particles correct at once (Jacobi), so the order does not matter:

    pressure_i = C_i / sum over k of |grad_k C_i|²        dx_i = w_i sum over j of (pressure_i + pressure_j) V grad W

This is Macklin and Müller 2013, "Position Based Fluids", as one more constraint of the substep, in a form in which
m_i dx_i = -m_j dx_j holds for each pair. A surface is not pulled together. What lies deep is held by a second, coarse
pressure, see `cells`; it is added to that of the particles and acts through the same sum.

Particles stand in sorted order, as rows (x, y, z, pressure) near an origin.
"""

from __future__ import annotations

import numpy as np

from ...compiler.kernels import parallel_kernel, part_of_kernel, prange
from ...solver.vector.fluid import sum_density, sum_motion, sum_shift
from ...solver.vector.ir.lanes import LANES
from .law import RELAXATION, cap, cap_slope

# Columns of a wall: normal, offset, weight of its cap, way that it goes in the step (three), friction.
NORMAL, OFFSET, WEIGHT, WAY, GRIP, WALL = 0, 3, 4, 5, 8, 9
MOST_WALLS = 4


@part_of_kernel
def from_wall(rows, i, walls, k):
    """Distance of particle i from its wall k [m]."""
    return (
        walls[i, k, 0] * rows[i, 0] + walls[i, k, 1] * rows[i, 1] + walls[i, k, 2] * rows[i, 2] - walls[i, k, OFFSET]
    )


@parallel_kernel
def find_pressures(count, rows, neighbor, slot_start, law, lightness, wall_count, walls, sums, error, pressure):
    """How far each particle is from its density at rest, and the pressure that corrects it by itself [m²].

    Args:
        count: particles; rows ... slot_start: see `vector.fluid`; law: a `Law`.
        lightness: (p,) inverse mass, 1 for the first fluid.
        wall_count: (p,); walls: (p, MOST_WALLS, WALL), float32.
        sums: (8, p) room; error, pressure: (p,) filled.
    """
    for block in prange(slot_start.shape[0] - 1):
        sum_density(rows, neighbor, slot_start, law.per_support, sums, block)
        for i in range(LANES * block, min(LANES * (block + 1), count)):
            density = law.scale * (np.float32(1.0) + sums[0, i])
            gx, gy, gz = law.slope * sums[1, i], law.slope * sums[2, i], law.slope * sums[3, i]
            for k in range(wall_count[i]):
                distance = from_wall(rows, i, walls, k)
                density += walls[i, k, WEIGHT] * cap(distance, law.per_support)
                slope = walls[i, k, WEIGHT] * cap_slope(distance, law.per_support)
                gx += slope * walls[i, k, 0]
                gy += slope * walls[i, k, 1]
                gz += slope * walls[i, k, 2]
            size = gx * gx + gy * gy + gz * gz + law.slope * law.slope * sums[4, i]
            error[i] = density - np.float32(1.0)
            pressure[i] = np.float32(0.0)
            if density > np.float32(1.0) and size > np.float32(0.0):
                alone = np.float32(RELAXATION) * error[i] / (lightness[i] * size)
                pressure[i] = min(alone, law.most)


@parallel_kernel
def shift(count, rows, neighbor, slot_start, law, lightness, wall_count, walls, sums):
    """What the pressures in `rows` move each particle by, into the first three of `sums` (8, p) [m]."""
    for block in prange(slot_start.shape[0] - 1):
        sum_shift(rows, neighbor, slot_start, law.per_support, sums, block)
        for i in range(LANES * block, min(LANES * (block + 1), count)):
            for axis in range(3):
                sums[axis, i] *= law.slope
            for k in range(wall_count[i]):
                slope = walls[i, k, WEIGHT] * cap_slope(from_wall(rows, i, walls, k), law.per_support)
                for axis in range(3):
                    sums[axis, i] += rows[i, 3] * slope * walls[i, k, axis]
            for axis in range(3):
                sums[axis, i] *= lightness[i]


@parallel_kernel
def smooth_motion(count, rows, speeds, neighbor, slot_start, law, lightness, sums, change):
    """XSPH viscosity: the change of each velocity (3, p) [m/s] by the fourth column of `speeds`, pair by pair.

    Schechter and Bridson 2012, "Ghost SPH for animating water", give the form; the share c of a pair is the mean of
    both, so that momentum is kept.
    """
    for block in prange(slot_start.shape[0] - 1):
        sum_motion(rows, speeds, neighbor, slot_start, law.per_support, sums, block)
        for i in range(LANES * block, min(LANES * (block + 1), count)):
            for axis in range(3):
                change[axis, i] = law.scale * lightness[i] * sums[5 + axis, i]


@parallel_kernel
def move(count, clearance, per_h, wall_count, walls, sums, rows, speeds, moved):
    """Take the shift in `sums`, and keep `clearance` [m] from walls; moved: (3, p), the sum of all shifts [m].

    Args: per_h: steps a second, by which a shift becomes velocity in `speeds` (p, 4).
    """
    for block in prange((count + LANES - 1) // LANES):
        for i in range(LANES * block, min(LANES * (block + 1), count)):
            for axis in range(3):
                rows[i, axis] += sums[axis, i]
            pushed_x, pushed_y, pushed_z = np.float32(0.0), np.float32(0.0), np.float32(0.0)
            for _turn in range(2 if wall_count[i] > 1 else 1):
                for k in range(wall_count[i]):
                    lack = clearance - from_wall(rows, i, walls, k)
                    if lack > np.float32(0.0):
                        rows[i, 0] += lack * walls[i, k, 0]
                        rows[i, 1] += lack * walls[i, k, 1]
                        rows[i, 2] += lack * walls[i, k, 2]
                        pushed_x += lack * walls[i, k, 0]
                        pushed_y += lack * walls[i, k, 1]
                        pushed_z += lack * walls[i, k, 2]
            sums[0, i] += pushed_x
            sums[1, i] += pushed_y
            sums[2, i] += pushed_z
            for axis in range(3):
                moved[axis, i] += sums[axis, i]
                speeds[i, axis] += per_h * sums[axis, i]
