"""A coarse pressure that supports deep fluid.

Corrections of particles reach one support an iteration: a column of a hundred layers would need thousands of them. So
the cells of the neighbour search, which hold about ten particles each, solve for a pressure of their own first:

    -laplace p = h div v + beta C        p >= 0, p = 0 in air, no flow through walls

with v and C the means over a cell's particles. Particles interpolate it from the cells around them by trilinear
weights, and it moves them through the same pairwise sum as their own pressures (`density.shift`), so momentum is
conserved whatever the cells' pressures are. Density errors are corrected slowly, since a correction becomes velocity.

Cells are few, so red-black relaxation on them costs next to nothing; it starts from the pressures of the last step,
stored in the particles. Red cells come first, then black ones, both by their number in the table of the grid. Kernels
write to cells in separate functions: inside a prange, numba takes writes to arrays of a tuple for dead code.
"""

from __future__ import annotations

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ....solver.neighbors.grid import cells_along
from ..density import MOTION, WEIGHT, from_wall
from .table import AROUND, FACES, TASK

SWEEPS, OVER = 15, 1.6
# The fraction of a density error that is corrected in a step, and the largest density deficit that counts.
RECOVERY, MOST_DEFICIT = 0.05, 0.3
# A cell has a wall once the predicted position of a particle is so near to it [cells].
TOUCH_DISTANCE = 0.5
# Cells with less than this mean density are air.
AIR = 0.7
# The coarse pressure treats all fluids as having the mass of the first; those up to so much lighter get it in full.
LIGHTER = 1.5


@parallel_kernel
def average(cells, columns, rows, speeds, error, kept, rel_inv_mass, table, firm, frame, h):
    """Means of each cell's particles, and the walls at its faces. kept: (p,) coarse pressures of the last step [m²].

    Args:
        columns: (3, p + 16) positions when the cells were found [m]; cells belong to these.
        firm: see `walls.Triangles`.
    """
    for task in prange((cells.first.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), cells.first.shape[0])):
            average_cell(cells, a, speeds, error, kept, rel_inv_mass)
            note_walls(cells, a, columns, rows, table, firm, frame, h)


@kernel
def average_cell(cells, a, speeds, error, kept, rel_inv_mass):
    """Means of the particles of one cell."""
    per_count = np.float32(1.0) / np.float32(cells.stop[a] - cells.first[a])
    density, pressure, light = np.float32(0.0), np.float32(0.0), np.float32(0.0)
    vx, vy, vz = np.float32(0.0), np.float32(0.0), np.float32(0.0)
    for i in range(cells.first[a], cells.stop[a]):
        light = max(light, rel_inv_mass[i])
        density += error[i]
        pressure += kept[i]
        vx += speeds[i, 0]
        vy += speeds[i, 1]
        vz += speeds[i, 2]
    cells.light[a] = light
    cells.density[a], cells.pressure[a] = density * per_count, pressure * per_count
    cells.speed[a, 0], cells.speed[a, 1], cells.speed[a, 2] = vx * per_count, vy * per_count, vz * per_count


@kernel
def note_walls(cells, a, columns, rows, table, firm, frame, h):
    """Set the walls of a cell from those of its particles."""
    for face in range(FACES):
        cells.is_wall[a, face] = 0
        cells.wall_speed[a, face] = 0.0
    for i in range(cells.first[a], cells.stop[a]):
        for w in range(table.first[i], table.stop[i]):
            note_wall(cells, a, columns, rows, i, table.plane, w, firm, table.triangle[w], frame, h)


@part_of_kernel
def note_wall(cells, a, columns, rows, i, planes, w, firm, t, frame, h):
    """Set the wall of one of a cell's particles: at which face, and its speed.

    Fluid that flows towards a wall and has not reached it yet meets no pressure; nor does it by a wall behind another.
    """
    away = from_wall(rows, i, planes, w)
    if away > np.float32(TOUCH_DISTANCE) / frame[3] or planes[w, WEIGHT] == np.float32(0.0):
        return
    axis = 0
    for other in range(1, 3):
        if abs(planes[w, other]) > abs(planes[w, axis]):
            axis = other
    towards = planes[w, axis] < np.float32(0.0)
    face = 2 * axis + towards
    lies_within = True
    if cells.beside[a, face] >= 0:
        # A wall that crosses the cell separates it from the next one; a wall beyond the cell does not.
        there = columns[axis, i] - away * planes[w, axis]
        at = cells_along(there, frame[axis], frame[3]) - cells.place[a, axis]
        lies_within = 0.0 <= at <= 1.0
    if lies_within:
        cells.is_wall[a, face] = 1
        cells.wall_speed[a, face] = speed_along_wall(cells, a, planes, w, axis, firm[t, 0], firm[t, 1], h)


@part_of_kernel
def speed_along_wall(cells, a, planes, w, axis, comes, leaves, h):
    """A cell's speed along an axis after a wall has removed its component normal to the wall [m/s].

    A wall may lie at an angle to the cells: fluid that flows along such a wall must meet no pressure. A light sheet
    removes little: it moves with the fluid, and the forces that hold it act on the particles that it carries. As a
    rigid wall it would throw the fluid behind these particles back by a pressure that nothing supports. So would a
    light ring that is pressed into the fluid.

    Args: comes, leaves: fractions of the normal component that a wall removes, see `wall_table.Triangles.firm`.
    """
    across = np.float32(0.0)
    for other in range(3):
        across += planes[w, other] * (cells.speed[a, other] - planes[w, MOTION + other] / h)
    fraction = comes if across < np.float32(0.0) else leaves
    return cells.speed[a, axis] - fraction * planes[w, axis] * across


@parallel_kernel
def find_sources(cells, edge, h, overlap_speed):
    """Right-hand sides: convergence in a step, and a fraction of the density error, up to `overlap_speed` [m/s]."""
    for task in prange((cells.first.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), cells.first.shape[0])):
            find_source(cells, a, edge, h, overlap_speed)


@kernel
def find_source(cells, a, edge, h, overlap_speed):
    """The right-hand side of one cell; air has no pressure."""
    flow = np.float32(0.0)
    for face in range(FACES):
        axis, b = face // 2, cells.beside[a, face]
        speed = cells.speed[a, axis]
        if cells.is_wall[a, face]:
            speed = cells.wall_speed[a, face]
        elif b >= 0:
            speed = np.float32(0.5) * (speed + cells.speed[b, axis])
        outward = np.float32(1.0) if face % 2 == 1 else np.float32(-1.0)
        flow += outward * speed
        cells.stop_pressure[a, face] = h * edge * outward * (cells.speed[a, axis] - speed)
    error = max(cells.density[a], np.float32(-MOST_DEFICIT))
    cells.source[a] = edge * edge * (min(np.float32(RECOVERY) * error, overlap_speed * h / edge) - h * flow / edge)
    if cells.density[a] < np.float32(AIR - 1.0):
        cells.pressure[a] = np.float32(0.0)


@parallel_kernel
def relax_cells(cells, red, most):
    """Red-black relaxation from the current pressures, up to `most`: in a closed pocket they would rise without end."""
    count = cells.first.shape[0]
    for half_sweep in range(2 * SWEEPS):
        first = 0 if half_sweep % 2 == 0 else red
        stop = red if half_sweep % 2 == 0 else count
        for task in prange((stop - first + TASK - 1) // TASK):
            for a in range(first + TASK * task, min(first + TASK * (task + 1), stop)):
                relax_cell(cells, a, most)


@kernel
def relax_cell(cells, a, most):
    """Relax the pressure of one cell from its neighbours."""
    if cells.density[a] < np.float32(AIR - 1.0):
        return
    total, faces = cells.source[a], np.float32(0.0)
    for face in range(FACES):
        if not cells.is_wall[a, face]:
            faces += np.float32(1.0)
            b = cells.beside[a, face]
            total += cells.pressure[b] if b >= 0 else np.float32(0.0)
    if faces > np.float32(0.0):
        change = total / faces - cells.pressure[a]
        cells.pressure[a] = min(max(np.float32(0.0), cells.pressure[a] + np.float32(OVER) * change), most)


@parallel_kernel
def spread(cells, frame, most, columns, pressure, rel_inv_mass, rows, kept):
    """Coarse pressures at the particles, into `kept`; their sum with the particles' own `pressure` (p,) into rows [m²].

    Beside a much lighter fluid pressures are reduced, since they would shoot it away.
    """
    for task in prange((cells.first.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), cells.first.shape[0])):
            fill_stencil(cells, a, task)
            interpolate(cells, a, task, frame, columns, kept)
            per_lightest = np.float32(1.0) / lightest_around(cells, a)
            factor = min(np.float32(1.0), np.float32(LIGHTER) * per_lightest)
            for i in range(cells.first[a], cells.stop[a]):
                own = pressure[i] * rel_inv_mass[i] * per_lightest
                rows[i, 3] = min(own + kept[i] * factor, most * per_lightest)


@part_of_kernel
def lightest_around(cells, a):
    """The largest relative inverse mass in the cells around cell a."""
    lightest = cells.light[a]
    for n in range(AROUND):
        b = cells.around[a, n]
        if b >= 0:
            lightest = max(lightest, cells.light[b])
    return lightest


@kernel
def fill_stencil(cells, a, task):
    """Pressures around cell a, into the stencil of a task.

    Air has none; behind a wall it is the pressure of this side plus the pressure that stops the flow to the wall.
    """
    has_walls = False
    for face in range(FACES):
        has_walls |= cells.is_wall[a, face] != 0
    for n in range(AROUND):
        if not has_walls:
            beside = cells.around[a, n]
            cells.stencil[task, n] = cells.pressure[beside] if beside >= 0 else np.float32(0.0)
            continue
        x, y, z = n % 3 - 1, n // 3 % 3 - 1, n // 9 - 1
        rise = np.float32(0.0)
        if x != 0 and cells.is_wall[a, (x + 1) // 2]:
            rise += cells.stop_pressure[a, (x + 1) // 2]
            x = 0
        if y != 0 and cells.is_wall[a, 2 + (y + 1) // 2]:
            rise += cells.stop_pressure[a, 2 + (y + 1) // 2]
            y = 0
        if z != 0 and cells.is_wall[a, 4 + (z + 1) // 2]:
            rise += cells.stop_pressure[a, 4 + (z + 1) // 2]
            z = 0
        b = cells.around[a, 13 + x + 3 * y + 9 * z]
        cells.stencil[task, n] = max(cells.pressure[b] + rise, np.float32(0.0)) if b >= 0 else np.float32(0.0)


@kernel
def interpolate(cells, a, task, frame, columns, kept):
    """Pressures at the particles of cell a, into `kept`: trilinear between the centres of the cells around it.

    Each of the three centres along an axis has a weight, one of them zero, so there is no branch.
    """
    s, first, per_edge = cells.stencil[task], cells.first[a], np.float32(frame[3])
    x, y, z = (
        columns[0, first : cells.stop[a]], columns[1, first : cells.stop[a]], columns[2, first : cells.stop[a]]
    )
    low_x, low_y, low_z = middle(cells, a, frame, 0), middle(cells, a, frame, 1), middle(cells, a, frame, 2)
    for i in range(x.shape[0]):
        ax, bx, cx = weights((x[i] - low_x) * per_edge)
        ay, by, cy = weights((y[i] - low_y) * per_edge)
        az, bz, cz = weights((z[i] - low_z) * per_edge)
        low = (
            ay * (ax * s[0] + bx * s[1] + cx * s[2]) + by * (ax * s[3] + bx * s[4] + cx * s[5])
            + cy * (ax * s[6] + bx * s[7] + cx * s[8])
        )
        here = (
            ay * (ax * s[9] + bx * s[10] + cx * s[11]) + by * (ax * s[12] + bx * s[13] + cx * s[14])
            + cy * (ax * s[15] + bx * s[16] + cx * s[17])
        )
        high = (
            ay * (ax * s[18] + bx * s[19] + cx * s[20]) + by * (ax * s[21] + bx * s[22] + cx * s[23])
            + cy * (ax * s[24] + bx * s[25] + cx * s[26])
        )
        kept[first + i] = az * low + bz * here + cz * high


@part_of_kernel
def middle(cells, a, frame, axis):
    """Coordinate of the centre of cell a along an axis [m]."""
    return np.float32(frame[axis] + (cells.place[a, axis] + 0.5) / frame[3])


@part_of_kernel
def weights(away):
    """Weights of the centres before, of and behind a cell, at an offset from its own centre [cells]."""
    before = min(max(-away, np.float32(0.0)), np.float32(1.0))
    behind = min(max(away, np.float32(0.0)), np.float32(1.0))
    return before, np.float32(1.0) - before - behind, behind
