"""The law of a particle fluid: no particle is denser than at rest.

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

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ...solver.vector.fluid import sum_density, sum_motion, sum_shift
from ...solver.vector.ir.lanes import LANES
from .law import COHESION, MOST_ERROR, RELAXATION, cap, cap_slope

# Columns of a wall: normal (three), offset [m], weight of its cap, way that it goes in the step (three) [m].
OFFSET, WEIGHT, WAY, WALL = 3, 4, 5, 8
# Particles, and blocks of them, in a task of a thread.
TASK, BLOCKS = 512, 32


@part_of_kernel
def from_wall(rows, i, planes, w):
    """Distance of particle i from wall w [m]."""
    return (
        planes[w, 0] * rows[i, 0] + planes[w, 1] * rows[i, 1] + planes[w, 2] * rows[i, 2] - planes[w, OFFSET]
    )


@parallel_kernel
def find_pressures(count, rows, blocks, law, lightness, table, sums, error, pressure, inward, cling):
    """How far each particle is from its density at rest, and the pressure that corrects it by itself [m²].

    Args:
        count: blocks; rows, blocks: see `vector.fluid`; law: a `Law`.
        lightness: (p,) inverse mass, 1 for the first fluid.
        table: a `WallTable`.
        sums: (8, 16 tasks) room; error, pressure: (p,) filled.
        inward: (p, 4), whose first three columns become support times the gradient of the fluid's presence; no rows
            without surface tension. cling: (p,) how much a wall counts as fluid there.
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
                    turn_inward(i, place, rows, law, table, sums, inward, cling)
                error[i] = density - np.float32(1.0)
                pressure[i] = np.float32(0.0)
                if density > np.float32(1.0) and size > np.float32(0.0):
                    alone = np.float32(RELAXATION) * min(error[i], np.float32(MOST_ERROR)) / (lightness[i] * size)
                    pressure[i] = min(alone, law.parts)


@kernel
def turn_inward(i, place, rows, law, table, sums, inward, cling):
    """Support times the gradient of the fluid's presence at particle i: into the fluid, and nought deep in it."""
    for axis in range(3):
        inward[i, axis] = -law.support * law.slope * sums[1 + axis, place]
    for w in range(table.first[i], table.stop[i]):
        slope = table.plane[w, WEIGHT] * cap_slope(from_wall(rows, i, table.plane, w), law.per_support)
        for axis in range(3):
            inward[i, axis] -= cling[i] * law.support * slope * table.plane[w, axis]


@parallel_kernel
def shift(count, rows, blocks, law, lightness, table, moved, sums):
    """What the pressures in `rows` move each particle by, into `moved` (3, p) [m]; sums: (8, 16 tasks) room."""
    for task in prange((count + BLOCKS - 1) // BLOCKS):
        for block in range(BLOCKS * task, min(BLOCKS * (task + 1), count)):
            sum_shift(rows, blocks, law.per_support, sums, block, task)
            for i in range(blocks.start[block], blocks.start[block + 1]):
                place = LANES * task + i - blocks.start[block]
                for axis in range(3):
                    moved[axis, i] = law.slope * lightness[i] * sums[axis, place]
                if table.first[i] < table.stop[i]:
                    push_from_walls(i, rows, law, lightness, table, moved)


@kernel
def push_from_walls(i, rows, law, lightness, table, moved):
    """Add what the walls of particle i push it by."""
    for w in range(table.first[i], table.stop[i]):
        slope = table.plane[w, WEIGHT] * cap_slope(from_wall(rows, i, table.plane, w), law.per_support)
        for axis in range(3):
            way = lightness[i] * rows[i, 3] * slope * table.plane[w, axis]
            moved[axis, i] += way
            table.push[w, axis] += way


@parallel_kernel
def move(count, clearance, h, part, table, rows, speeds, moved, change, aside):
    """Move `count` particles by `moved` (3, p) [m], and keep `clearance` [m] from walls, which `moved` then holds too.

    Args:
        h: the step [s], over which a shift becomes velocity in `speeds` (p, 4).
        part: farther than this [m] nothing leaves a wall that it did not come to in this step.
        change: (3, p), set to nought, or (3, 0) where nothing more changes velocities.
        aside: (3, p) filled: shifts that do not become velocity [m].
    """
    per_h = np.float32(1.0) / h
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            for axis in range(3):
                rows[i, axis] += moved[axis, i]
                aside[axis, i] = 0.0
            if table.first[i] < table.stop[i]:
                keep_off(i, clearance, h, part, table, speeds, moved, rows, aside)
            for axis in range(3):
                speeds[i, axis] += per_h * moved[axis, i]
                if change.shape[1] > 0:
                    change[axis, i] = 0.0


@kernel
def keep_off(i, clearance, h, part, table, speeds, moved, rows, aside):
    """Set particle i off its walls, twice where there are several. An overlap that was there gives little speed."""
    for _turn in range(2 if table.stop[i] - table.first[i] > 1 else 1):
        for w in range(table.first[i], table.stop[i]):
            lack = clearance - from_wall(rows, i, table.plane, w)
            if lack > np.float32(0.0):
                came = np.float32(0.0)
                for axis in range(3):
                    went = h * speeds[i, axis] + moved[axis, i] - table.plane[w, WAY + axis]
                    came -= table.plane[w, axis] * went
                rest = max(lack - max(came, np.float32(0.0)) - part, np.float32(0.0))
                for axis in range(3):
                    way = (lack - rest) * table.plane[w, axis]
                    rows[i, axis] += lack * table.plane[w, axis]
                    moved[axis, i] += way
                    aside[axis, i] += rest * table.plane[w, axis]
                    table.push[w, axis] += way


@parallel_kernel
def round_off(count, rows, inward, blocks, law, lightness, sums, speeds, change):
    """Surface tension: the change of each velocity (3, p) [m/s] by differences of `inward` (p, 4), pair by pair.

    a_i = A sum over j of V W (inward_j - inward_i), with A h in the fourth column: the curvature term of Akinci et al.
    2013, "Versatile surface tension and adhesion for SPH fluids". See `law.tension` for A. By itself it would take the
    outermost layer off a flat surface; their cohesion, which holds it, is here a pressure that all particles lack.
    """
    for task in prange((count + BLOCKS - 1) // BLOCKS):
        for block in range(BLOCKS * task, min(BLOCKS * (task + 1), count)):
            sum_motion(rows, inward, blocks, law.per_support, sums, block, task)
            for i in range(blocks.start[block], blocks.start[block + 1]):
                for axis in range(3):
                    dv = law.scale * lightness[i] * sums[5 + axis, LANES * task + i - blocks.start[block]]
                    speeds[i, axis] += dv
                    change[axis, i] += dv


@parallel_kernel
def hold_together(count, step, inward, rows):
    """Cohesion: take a pressure of COHESION A support from all particles in a step of `step` = support h [m s]."""
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            rows[i, 3] -= np.float32(COHESION) * inward[i, 3] * step


@kernel
def count_dense(error, least, most):
    """How many particles have an error of density (n,) larger than `least`, and than `most`."""
    first = second = 0
    for i in range(error.shape[0]):
        first += error[i] > least
        second += error[i] > most
    return first, second
