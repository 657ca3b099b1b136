"""Aerodynamic forces on faces: drag and lift by area and angle.

With the velocity w of the air relative to a face of area A, its unit normal n and u = (w n) n, the forces on a plate:

    drag  D = rho A / 2 (w n)² w / |w|        lift  L = rho A / 2 |w| u - D
    skin  S = rho A / 2 |w| (w - u)           force = c_D D + c_L L + SKIN S

For c_D = c_L, drag and lift together are c rho A / 2 |w| (w n) n: a pressure along the normal, proportional to the sine
of the angle of attack, as measured on plates before they stall (Hoerner 1965, "Fluid-Dynamic Drag"). A closed surface
has two faces across the flow, so each counts half. The air acts only on area above the water.

The force depends on velocity, so a first-order step damps a flag too strongly at few substeps. The velocity in the
middle of the substep is therefore extrapolated from the last two, as in the second-order Adams-Bashforth method; at
constant velocity the force is exactly the one above.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange

BLOCK = 64
# Skin friction coefficient, typical of a plate in turbulent flow.
SKIN = 0.01
# Largest fraction of the relative velocity that a substep may remove.
MOST = 0.5
# Largest change of the relative velocity by extrapolation, as a fraction: air never reverses a body that just stopped.
FARTHEST = 0.5


class Faces(NamedTuple):
    """Faces on which the air acts.

    Attributes:
        triangles: (t, 3) int32 particles; part: (t,) fraction of the force: 1 for sheets, 1/2 for closed surfaces.
        wind_row: (t, 3) rows of the table of winds for the corners.
    """

    triangles: np.ndarray
    part: np.ndarray
    wind_row: np.ndarray


class Air(NamedTuple):
    """The air of a substep.

    Attributes:
        density: [kg/m³]; drag, lift: coefficients; level: of the water below it [m], -infinity for none.
        wx, wy, wz: wind of the scene [m/s].
        levels: (n,) height of water with waves at each particle [m]; empty if all water is level.
    """

    density: float
    drag: float
    lift: float
    level: float
    wx: float
    wy: float
    wz: float
    levels: np.ndarray


@part_of_kernel
def _above(x, air, i):
    """Height of particle i above the water [m]."""
    return x[i, 2] - (air.levels[i] if air.levels.shape[0] > 0 else air.level)


@part_of_kernel
def _dry_fraction(a, b, c):
    """Fraction of a triangle's area above the water; args: heights of its corners above it [m]."""
    if a >= 0.0 and b >= 0.0 and c >= 0.0:
        return 1.0
    if a <= 0.0 and b <= 0.0 and c <= 0.0:
        return 0.0
    # One corner is alone on its side of the water; its triangle has this fraction of the area.
    if (b > 0.0) == (c > 0.0):
        alone, one, two = a, b, c
    elif (a > 0.0) == (c > 0.0):
        alone, one, two = b, a, c
    else:
        alone, one, two = c, a, b
    cut = alone / (alone - one) * (alone / (alone - two))
    return cut if alone > 0.0 else 1.0 - cut


@part_of_kernel
def _mid_velocity(wx, wy, wz, ux, uy, uz, last, t):
    """Relative velocity in the middle of the substep.

    Args: (wx, wy, wz): now; (ux, uy, uz): velocity of face t now; last: (t, 3) in and out, its velocity in the last
        substep, NaN for unknown.
    """
    dx, dy, dz = 0.5 * (ux - last[t, 0]), 0.5 * (uy - last[t, 1]), 0.5 * (uz - last[t, 2])
    last[t, 0], last[t, 1], last[t, 2] = ux, uy, uz
    change, most = dx * dx + dy * dy + dz * dz, FARTHEST**2 * (wx * wx + wy * wy + wz * wz)
    if not change > 0.0:
        return wx, wy, wz
    fraction = math.sqrt(most / change) if change > most else 1.0
    return wx - fraction * dx, wy - fraction * dy, wz - fraction * dz


@kernel
def _face_force(faces, air, wind, x, v, t, last, force):
    a, b, c = faces.triangles[t, 0], faces.triangles[t, 1], faces.triangles[t, 2]
    i, j, k = faces.wind_row[t, 0], faces.wind_row[t, 1], faces.wind_row[t, 2]
    ux, uy, uz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    sx, sy, sz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    nx, ny, nz = uy * sz - uz * sy, uz * sx - ux * sz, ux * sy - uy * sx
    vx, vy, vz = (
        (v[a, 0] + v[b, 0] + v[c, 0]) / 3.0,
        (v[a, 1] + v[b, 1] + v[c, 1]) / 3.0,
        (v[a, 2] + v[b, 2] + v[c, 2]) / 3.0,
    )
    wx = air.wx + (wind[i, 3] + wind[j, 3] + wind[k, 3]) / 3.0 - vx
    wy = air.wy + (wind[i, 4] + wind[j, 4] + wind[k, 4]) / 3.0 - vy
    wz = air.wz + (wind[i, 5] + wind[j, 5] + wind[k, 5]) / 3.0 - vz
    wx, wy, wz = _mid_velocity(wx, wy, wz, vx, vy, vz, last, t)
    double_area = math.sqrt(nx * nx + ny * ny + nz * nz)
    speed = math.sqrt(wx * wx + wy * wy + wz * wz)
    dry = _dry_fraction(_above(x, air, a), _above(x, air, b), _above(x, air, c))
    if not (double_area > 0.0 and speed > 0.0 and dry > 0.0):
        force[t, 0] = force[t, 1] = force[t, 2] = force[t, 3] = 0.0
        return
    nx, ny, nz = nx / double_area, ny / double_area, nz / double_area
    across = wx * nx + wy * ny + wz * nz
    # A third of rho A / 2 |w| for each corner.
    scale = air.density * faces.part[t] * dry * double_area * speed / 12.0
    along = scale * ((air.drag - air.lift) * (across / speed) ** 2 + SKIN)
    pressure = scale * (air.lift - SKIN) * across
    force[t, 0] = along * wx + pressure * nx
    force[t, 1] = along * wy + pressure * ny
    force[t, 2] = along * wz + pressure * nz
    force[t, 3] = scale * max(air.drag, air.lift)


@kernel
def _force_block(faces, air, wind, x, v, block, last, force):
    for t in range(block * BLOCK, min((block + 1) * BLOCK, faces.triangles.shape[0])):
        _face_force(faces, air, wind, x, v, t, last, force)


@parallel_kernel
def face_forces(faces, air, wind, x, v, blocks, last, force):
    """Force of each face on each of its corners, into force (t, 4): [N], and damping rate times mass [kg/s].

    Args: wind: (rows, 6), of which the last three columns are the wind of fields [m/s]; last: (t, 3) in and out,
        velocity of each face in the last substep [m/s], NaN for unknown.
    """
    for block in prange(blocks):
        _force_block(faces, air, wind, x, v, block, last, force)


@parallel_kernel
def give_corners(corners, corner_start, corner_face, force, inv_mass, h, v):
    """v += h f / m for soft particles, with damping limited by MOST.

    Args: corners: (c,) particles; corner_start: (c + 1,) their ranges of corner_face, which lists faces.
    """
    for block in prange((corners.shape[0] + BLOCK - 1) // BLOCK):
        for c in range(block * BLOCK, min((block + 1) * BLOCK, corners.shape[0])):
            i = corners[c]
            fx = fy = fz = rate = 0.0
            for k in range(corner_start[c], corner_start[c + 1]):
                t = corner_face[k]
                fx += force[t, 0]
                fy += force[t, 1]
                fz += force[t, 2]
                rate += force[t, 3]
            dv_per_force = h * inv_mass[i]
            if dv_per_force * rate > MOST:
                dv_per_force = MOST / rate
            v[i, 0] += dv_per_force * fx
            v[i, 1] += dv_per_force * fy
            v[i, 2] += dv_per_force * fz


@kernel
def push_rigid(first, stop, triangles, force, x, mass, least_inertia, position, h, body_force, torque):
    """Force and torque of the air on rigid bodies, with damping limited by MOST.

    Args: first, stop: (b,) ranges of faces; mass: (b,) [kg]; least_inertia: (b,) [kg m²]; position: (b, 3) of
        centres [m]; body_force, torque: (b, 3) are added to [N], [N m].
    """
    for b in range(first.shape[0]):
        fx = fy = fz = mx = my = mz = rate = angular_rate = 0.0
        for t in range(first[b], stop[b]):
            for k in range(3):
                i = triangles[t, k]
                rx, ry, rz = x[i, 0] - position[b, 0], x[i, 1] - position[b, 1], x[i, 2] - position[b, 2]
                fx += force[t, 0]
                fy += force[t, 1]
                fz += force[t, 2]
                mx += ry * force[t, 2] - rz * force[t, 1]
                my += rz * force[t, 0] - rx * force[t, 2]
                mz += rx * force[t, 1] - ry * force[t, 0]
                rate += force[t, 3]
                angular_rate += force[t, 3] * (rx * rx + ry * ry + rz * rz)
        fraction = min(1.0, MOST * mass[b] / (h * rate)) if rate > 0.0 else 1.0
        torque_fraction = min(1.0, MOST * least_inertia[b] / (h * angular_rate)) if angular_rate > 0.0 else 1.0
        body_force[b, 0] += fraction * fx
        body_force[b, 1] += fraction * fy
        body_force[b, 2] += fraction * fz
        torque[b, 0] += torque_fraction * mx
        torque[b, 1] += torque_fraction * my
        torque[b, 2] += torque_fraction * mz
