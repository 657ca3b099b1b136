"""The constraint of a particle fluid: no particle is denser than at rest.

    C_i = rho_i / rho_0 - 1 <= 0        rho_i / rho_0 = sum over j of V W(x_i - x_j) + walls

In each iteration all particles are corrected at once (Jacobi), so the order does not matter:

    pressure_i = C_i / sum over k of |grad_k C_i|²        dx_i = w_i sum over j of (pressure_i + pressure_j) V grad W

This is Macklin and Müller 2013, "Position Based Fluids", as one more constraint of the substep, in a form in which
m_i dx_i = -m_j dx_j holds for each pair. The constraint is one-sided: it never pulls particles together. Deep fluid is
supported by a second, coarse pressure, see `cells`; it is added to that of the particles and acts through the same sum.

Particles are in sorted order, as rows (x, y, z, pressure) near an origin.
"""

from __future__ import annotations

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ...solver.vector.fluid import sum_density, sum_motion, sum_shift
from ...solver.vector.ir.lanes import LANES
from .law import COHESION, MOST_ERROR, RELAXATION, cap, cap_slope

# Columns of a wall: normal (three), offset [m], weight of its cap, displacement in the step (three) [m].
OFFSET, WEIGHT, MOTION, WALL = 3, 4, 5, 8
# Particles, and blocks of them, in a task of a thread.
TASK, BLOCKS = 512, 32


@part_of_kernel
def from_wall(rows, i, planes, w):
    """Distance of particle i from wall w [m]."""
    return (
        planes[w, 0] * rows[i, 0] + planes[w, 1] * rows[i, 1] + planes[w, 2] * rows[i, 2] - planes[w, OFFSET]
    )


@parallel_kernel
def find_pressures(count, rows, blocks, law, rel_inv_mass, table, sums, error, pressure, inward, adhesion):
    """Density error of each particle, and its own pressure that corrects it [m²].

    Args:
        count: blocks; rows, blocks: see `vector.fluid`; law: a `Law`.
        rel_inv_mass: (p,) inverse mass over that of the first fluid.
        table: a `WallTable`.
        sums: (8, 16 tasks) scratch; error, pressure: (p,) filled.
        inward: (p, 4), whose first three columns become support times the gradient of the fluid's color field; no rows
            without surface tension. adhesion: (p,) how much a wall counts as fluid there.
    """
    for task in prange((count + BLOCKS - 1) // BLOCKS):
        for block in range(BLOCKS * task, min(BLOCKS * (task + 1), count)):
            sum_density(rows, blocks, law.per_support, sums, block, task)
            for i in range(blocks.start[block], blocks.start[block + 1]):
                place = LANES * task + i - blocks.start[block]
                density = law.scale * (np.float32(1.0) + sums[0, place])
                gx, gy, gz = law.slope * sums[1, place], law.slope * sums[2, place], law.slope * sums[3, place]
                for w in range(table.first[i], table.stop[i]):
                    distance = from_wall(rows, i, table.plane, w)
                    density += table.plane[w, WEIGHT] * cap(distance, law.per_support)
                    slope = table.plane[w, WEIGHT] * cap_slope(distance, law.per_support)
                    gx += slope * table.plane[w, 0]
                    gy += slope * table.plane[w, 1]
                    gz += slope * table.plane[w, 2]
                size = gx * gx + gy * gy + gz * gz + law.slope * law.slope * sums[4, place]
                if inward.shape[0] > 0:
                    set_inward(i, place, rows, law, table, sums, inward, adhesion)
                error[i] = density - np.float32(1.0)
                pressure[i] = np.float32(0.0)
                if density > np.float32(1.0) and size > np.float32(0.0):
                    alone = np.float32(RELAXATION) * min(error[i], np.float32(MOST_ERROR)) / (rel_inv_mass[i] * size)
                    pressure[i] = min(alone, law.max_own_pressure)


@kernel
def set_inward(i, place, rows, law, table, sums, inward, adhesion):
    """Support times the gradient of the fluid's color field at particle i: into the fluid, zero in its interior."""
    for axis in range(3):
        inward[i, axis] = -law.support * law.slope * sums[1 + axis, place]
    for w in range(table.first[i], table.stop[i]):
        slope = table.plane[w, WEIGHT] * cap_slope(from_wall(rows, i, table.plane, w), law.per_support)
        for axis in range(3):
            inward[i, axis] -= adhesion[i] * law.support * slope * table.plane[w, axis]


@parallel_kernel
def shift(count, rows, blocks, law, rel_inv_mass, table, moved, sums):
    """Displacements by the pressures in `rows`, into `moved` (3, p) [m]; sums: (8, 16 tasks) scratch."""
    for task in prange((count + BLOCKS - 1) // BLOCKS):
        for block in range(BLOCKS * task, min(BLOCKS * (task + 1), count)):
            sum_shift(rows, blocks, law.per_support, sums, block, task)
            for i in range(blocks.start[block], blocks.start[block + 1]):
                place = LANES * task + i - blocks.start[block]
                for axis in range(3):
                    moved[axis, i] = law.slope * rel_inv_mass[i] * sums[axis, place]
                if table.first[i] < table.stop[i]:
                    shift_from_walls(i, rows, law, rel_inv_mass, table, moved)


@kernel
def shift_from_walls(i, rows, law, rel_inv_mass, table, moved):
    """Add the displacement of particle i by the pressure of its walls."""
    for w in range(table.first[i], table.stop[i]):
        slope = table.plane[w, WEIGHT] * cap_slope(from_wall(rows, i, table.plane, w), law.per_support)
        for axis in range(3):
            step = rel_inv_mass[i] * rows[i, 3] * slope * table.plane[w, axis]
            moved[axis, i] += step
            table.displacement[w, axis] += step


@parallel_kernel
def move(count, clearance, h, overlap_travel, table, rows, speeds, moved, change, position_shift):
    """Move `count` particles by `moved` (3, p) [m], keep them `clearance` [m] off walls, and add this to `moved`.

    Args:
        h: the step [s], over which a shift becomes velocity in `speeds` (p, 4).
        overlap_travel: largest part of a penetration from before this step that becomes velocity [m].
        change: (3, p), set to zero, or (3, 0) if nothing more changes velocities.
        position_shift: (3, p) filled: shifts that do not become velocity [m].
    """
    per_h = np.float32(1.0) / h
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            for axis in range(3):
                rows[i, axis] += moved[axis, i]
                position_shift[axis, i] = 0.0
            if table.first[i] < table.stop[i]:
                project_off_walls(i, clearance, h, overlap_travel, table, speeds, moved, rows, position_shift)
            for axis in range(3):
                speeds[i, axis] += per_h * moved[axis, i]
                if change.shape[1] > 0:
                    change[axis, i] = 0.0


@kernel
def project_off_walls(i, clearance, h, overlap_travel, table, speeds, moved, rows, position_shift):
    """Project particle i off its walls, twice if it has several. Earlier penetration gives little speed."""
    for _iteration in range(2 if table.stop[i] - table.first[i] > 1 else 1):
        for w in range(table.first[i], table.stop[i]):
            depth = clearance - from_wall(rows, i, table.plane, w)
            if depth > np.float32(0.0):
                approach = np.float32(0.0)
                for axis in range(3):
                    travel = h * speeds[i, axis] + moved[axis, i] - table.plane[w, MOTION + axis]
                    approach -= table.plane[w, axis] * travel
                rest = max(depth - max(approach, np.float32(0.0)) - overlap_travel, np.float32(0.0))
                for axis in range(3):
                    step = (depth - rest) * table.plane[w, axis]
                    rows[i, axis] += depth * table.plane[w, axis]
                    moved[axis, i] += step
                    position_shift[axis, i] += rest * table.plane[w, axis]
                    table.displacement[w, axis] += step


@parallel_kernel
def apply_tension(count, rows, inward, blocks, law, rel_inv_mass, sums, speeds, change):
    """Surface tension: the change of each velocity (3, p) [m/s] by pairwise differences of `inward` (p, 4).

    a_i = A sum over j of V W (inward_j - inward_i), with A h in the fourth column: the curvature term of Akinci et al.
    2013, "Versatile surface tension and adhesion for SPH fluids". See `law.tension` for A. By itself it would tear the
    outermost layer off a flat surface. In the paper a cohesion force holds that layer; here all particles lose the same
    pressure instead, see `apply_cohesion`.
    """
    for task in prange((count + BLOCKS - 1) // BLOCKS):
        for block in range(BLOCKS * task, min(BLOCKS * (task + 1), count)):
            sum_motion(rows, inward, blocks, law.per_support, sums, block, task)
            for i in range(blocks.start[block], blocks.start[block + 1]):
                for axis in range(3):
                    dv = law.scale * rel_inv_mass[i] * sums[5 + axis, LANES * task + i - blocks.start[block]]
                    speeds[i, axis] += dv
                    change[axis, i] += dv


@parallel_kernel
def apply_cohesion(count, step, inward, rows):
    """Cohesion: subtract a pressure of COHESION A support from all particles in a step of `step` = support h [m s]."""
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            rows[i, 3] -= np.float32(COHESION) * inward[i, 3] * step


@kernel
def count_dense(error, least, most):
    """Numbers of particles with a density error (n,) larger than `least`, and than `most`."""
    first = second = 0
    for i in range(error.shape[0]):
        first += error[i] > least
        second += error[i] > most
    return first, second
