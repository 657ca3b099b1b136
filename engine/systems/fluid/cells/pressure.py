"""A coarse pressure that holds up what lies deep.

Corrections of particles reach one support an iteration: a column of a hundred layers would need thousands of them. So
the cells of the search, which hold about ten particles each, solve for a pressure of their own before:

    -laplace p = h div v + beta C        p >= 0, p = 0 in air, no flow through walls

with v and C the means over a cell's particles. Particles take it from the cells around them by trilinear weights, and
it moves them through the same pairwise sum as their own pressures (`density.shift`), so momentum is kept whatever the
cells say. Errors of density are taken back slowly, for a correction becomes velocity.

Cells are few, so red-black relaxation on them costs next to nothing; it starts from the pressures of the last step,
which particles remember. Cells stand in the order red, black, and there by their number in the table of the grid.
Kernels write to cells in functions of their own: numba takes writes to arrays of a tuple for dead inside a prange.
"""

from __future__ import annotations

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ....solver.neighbors.grid import cells_along
from ..density import WAY, WEIGHT, from_wall
from .table import AROUND, FACES, TASK

SWEEPS, OVER = 15, 1.6
# The share of an error of density that is taken back in a step, and the largest lack that counts as one.
RECOVERY, MOST_LACK = 0.05, 0.3
# A wall is there for the cells once a particle will be so near to it [cells].
TOUCHES = 0.5
# Cells with less than this mean density are air.
AIR = 0.7
# The coarse pressure takes all fluids for as heavy as the first, which those may do that are up to so much lighter.
LIGHTER = 1.5


@parallel_kernel
def average(cells, columns, rows, speeds, error, kept, lightness, table, firm, frame, h):
    """Means of each cell's particles, and the walls at its faces. kept: (p,) coarse pressures of the last step [m²].

    Args:
        columns: (3, p + 16) where particles were when the cells were found [m]; cells go with them.
        firm: see `walls.Triangles`.
    """
    for task in prange((cells.first.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), cells.first.shape[0])):
            average_cell(cells, a, speeds, error, kept, lightness)
            note_walls(cells, a, columns, rows, table, firm, frame, h)


@kernel
def average_cell(cells, a, speeds, error, kept, lightness):
    """Means of the particles of one cell."""
    share = np.float32(1.0) / np.float32(cells.stop[a] - cells.first[a])
    density, pressure, light = np.float32(0.0), np.float32(0.0), np.float32(0.0)
    vx, vy, vz = np.float32(0.0), np.float32(0.0), np.float32(0.0)
    for i in range(cells.first[a], cells.stop[a]):
        light = max(light, lightness[i])
        density += error[i]
        pressure += kept[i]
        vx += speeds[i, 0]
        vy += speeds[i, 1]
        vz += speeds[i, 2]
    cells.light[a] = light
    cells.density[a], cells.pressure[a] = density * share, pressure * share
    cells.speed[a, 0], cells.speed[a, 1], cells.speed[a, 2] = vx * share, vy * share, vz * share


@kernel
def note_walls(cells, a, columns, rows, table, firm, frame, h):
    """Tell a cell of all walls beside its particles."""
    for face in range(FACES):
        cells.is_wall[a, face] = 0
        cells.wall_speed[a, face] = 0.0
    for i in range(cells.first[a], cells.stop[a]):
        for w in range(table.first[i], table.stop[i]):
            note_wall(cells, a, columns, rows, i, table.plane, w, firm, table.triangle[w], frame, h)


@part_of_kernel
def note_wall(cells, a, columns, rows, i, planes, w, firm, t, frame, h):
    """Tell a cell that a particle in it has a wall beside it: which face, and how fast it comes.

    What flows towards a wall and has not reached it yet meets no pressure; nor does it by a wall behind another.
    """
    away = from_wall(rows, i, planes, w)
    if away > np.float32(TOUCHES) / frame[3] or planes[w, WEIGHT] == np.float32(0.0):
        return
    axis = 0
    for other in range(1, 3):
        if abs(planes[w, other]) > abs(planes[w, axis]):
            axis = other
    towards = planes[w, axis] < np.float32(0.0)
    face = 2 * axis + towards
    lies_within = True
    if cells.beside[a, face] >= 0:
        # A wall that crosses the cell parts it from the next one; one that lies beyond does not.
        there = columns[axis, i] - away * planes[w, axis]
        at = cells_along(there, frame[axis], frame[3]) - cells.place[a, axis]
        lies_within = 0.0 <= at <= 1.0
    if lies_within:
        cells.is_wall[a, face] = 1
        cells.wall_speed[a, face] = speed_along_wall(cells, a, planes, w, axis, firm[t, 0], firm[t, 1], h)


@part_of_kernel
def speed_along_wall(cells, a, planes, w, axis, comes, leaves, h):
    """What is left of a cell's speed along an axis when a wall takes the part across itself [m/s].

    A wall may lie at an angle to the cells: what flows along such a wall must meet no pressure. A light sheet takes
    little: it goes with the fluid, and what holds it acts on the particles that it carries. As a wall it would throw
    the fluid behind these back by a pressure that nothing bears. So would a light ring that is pressed into the fluid.

    Args: comes, leaves: shares of the part that a wall takes, see `walls.Triangles.firm`.
    """
    across = np.float32(0.0)
    for other in range(3):
        across += planes[w, other] * (cells.speed[a, other] - planes[w, WAY + other] / h)
    share = comes if across < np.float32(0.0) else leaves
    return cells.speed[a, axis] - share * planes[w, axis] * across


@parallel_kernel
def find_sources(cells, edge, h, part):
    """Right-hand sides: what comes together in a step, and a share of the error of density; part: at most [m/s]."""
    for task in prange((cells.first.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), cells.first.shape[0])):
            find_source(cells, a, edge, h, part)


@kernel
def find_source(cells, a, edge, h, part):
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
    lack = max(cells.density[a], np.float32(-MOST_LACK))
    cells.source[a] = edge * edge * (min(np.float32(RECOVERY) * lack, part * h / edge) - h * flow / edge)
    if cells.density[a] < np.float32(AIR - 1.0):
        cells.pressure[a] = np.float32(0.0)


@parallel_kernel
def relax_cells(cells, red, most):
    """Red-black relaxation of the pressures, from what they are. In a closed pocket they would rise without end."""
    count = cells.first.shape[0]
    for turn in range(2 * SWEEPS):
        first = 0 if turn % 2 == 0 else red
        stop = red if turn % 2 == 0 else count
        for task in prange((stop - first + TASK - 1) // TASK):
            for a in range(first + TASK * task, min(first + TASK * (task + 1), stop)):
                relax_cell(cells, a, most)


@kernel
def relax_cell(cells, a, most):
    """The pressure of one cell from those beside it."""
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
def spread(cells, frame, most, columns, pressure, lightness, rows, kept):
    """Coarse pressures at the particles, and with their own `pressure` (p,) into the rows [m²].

    Beside a much lighter fluid pressures are smaller, for they would shoot it away.
    """
    for task in prange((cells.first.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), cells.first.shape[0])):
            see_around(cells, a, task)
            interpolate(cells, a, task, frame, columns, kept)
            per_lightest = np.float32(1.0) / lightest_around(cells, a)
            share = min(np.float32(1.0), np.float32(LIGHTER) * per_lightest)
            for i in range(cells.first[a], cells.stop[a]):
                own = pressure[i] * lightness[i] * per_lightest
                rows[i, 3] = min(own + kept[i] * share, most * per_lightest)


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
def see_around(cells, a, task):
    """Pressures around cell a, into the stencil of a task.

    Air has none; behind a wall is that of this side and what stops the flow to it.
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
    """Pressures at the particles of cell a, into `kept`: trilinear between the middles of the cells around it.

    Each of the three middles along an axis has a weight, and one of them none, so there is no branch.
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
    """Coordinate of the middle of cell a along an axis [m]."""
    return np.float32(frame[axis] + (cells.place[a, axis] + 0.5) / frame[3])


@part_of_kernel
def weights(away):
    """Weights of the middles before, of and behind a cell, at a place so far from its own [cells]."""
    before = min(max(-away, np.float32(0.0)), np.float32(1.0))
    behind = min(max(away, np.float32(0.0)), np.float32(1.0))
    return before, np.float32(1.0) - before - behind, behind
