"""The most common fields, for a whole block of particles of one body at a time.

The numbers of a block are in one flat array, column by column, so that LLVM vectorizes these loops: they have no
branches, and count from 0. Other fields go through `push`, particle by particle; both give the same result.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, part_of_kernel
from .rows import CHARGE, DRAG, FORCE, HARMONIC, LINE, PLANE, POINT, SPHERE, VORTEX, WIND

BLOCK = 64
# Columns of a block: positions, velocities, whether particles are on faces that feel the air; and the sums:
# acceleration, damping rate, magnetic field, wind.
X, Y, Z, VX, VY, VZ, ON_FACE, AX, AY, AZ, RATE, BX, BY, BZ, WX, WY, WZ = (BLOCK * column for column in range(17))
ROOM = 17 * BLOCK
SUMS = AX
# Below this distance there is no direction [m].
NEAREST = 1e-30


@part_of_kernel
def is_plain(row):
    """Whether these loops support a field."""
    if row.shape > PLANE or row.falloff != SPHERE or row.noise > 0.0 or row.screen >= 0:
        return False
    if not (row.power == 0.0 or row.power == 1.0 or row.power == 2.0):
        return False
    if row.law == VORTEX:
        return row.shape != POINT
    return row.law == FORCE or row.law == CHARGE or row.law == HARMONIC or row.law == WIND or row.law == DRAG


@kernel
def add_plain(row, weight, room):
    """Add a field to the sums of a block, in room (ROOM,); args: weight: of its body."""
    if row.law == VORTEX:
        _add_vortex(row, weight, room)
    elif row.law == DRAG:
        _add_drag(row, weight, room)
    else:
        _add_radial(row, weight, room)


@part_of_kernel
def _left(least, most, side, c0, c1, c2, distance, along):
    """Falloff: c0 + c1 / r + c2 / r² with r = 1 + distance beyond `least`, on one side and up to `most`."""
    beyond = distance - least
    r = 1.0 / (1.0 + (beyond if beyond > 0.0 else 0.0))
    left = c0 + r * (c1 + r * c2)
    return left if distance <= most and along * side >= 0.0 else 0.0


@part_of_kernel
def _powers(row, weight):
    """c0, c1, c2 of `_left`, times a weight."""
    return (
        weight if row.power == 0.0 else 0.0, weight if row.power == 1.0 else 0.0, weight if row.power == 2.0 else 0.0,
    )


@part_of_kernel
def _shape(row):
    """(a, b) with p = a o + b z (z o)."""
    if row.shape == LINE or (row.shape == PLANE and row.law == VORTEX):
        return 1.0, -1.0
    return (0.0, 1.0) if row.shape == PLANE else (1.0, 0.0)


@kernel
def _add_radial(row, weight, room):
    """FORCE, CHARGE, HARMONIC: F p (k0 + k1 / |p| + k3 / |p|³); WIND: F n kn."""
    x0, y0, z0 = row.origin[0], row.origin[1], row.origin[2]
    zx, zy, zz = row.axis[0], row.axis[1], row.axis[2]
    least, most, side, flow, wind = row.least, row.most, float(row.side), row.flow, row.wind
    a, b = _shape(row)
    c0, c1, c2 = _powers(row, weight)
    k0 = k1 = k3 = kn = own = 0.0
    if row.law == WIND:
        kn = row.strength
    elif row.law == CHARGE:
        k0 = row.strength
    elif row.law == HARMONIC:
        k0, k1, flow = -row.strength, row.strength * row.length, 0.0
        own = 2.0 * row.damping * math.sqrt(abs(row.strength))
    elif row.inverse_square:
        k3 = row.strength
    else:
        k1 = row.strength
    for k in range(BLOCK):
        ox, oy, oz = room[k + X] - x0, room[k + Y] - y0, room[k + Z] - z0
        along = ox * zx + oy * zy + oz * zz
        px, py, pz = a * ox + b * along * zx, a * oy + b * along * zy, a * oz + b * along * zz
        square = px * px + py * py + pz * pz
        distance = math.sqrt(square)
        near = 1.0 / (distance if distance > NEAREST else NEAREST)
        left = _left(least, most, side, c0, c1, c2, distance, along)
        factor = left * (k0 + near * (k1 + near * near * k3))
        across = left * kn
        taken = wind * room[k + ON_FACE]
        fx, fy, fz = factor * px + across * zx, factor * py + across * zy, factor * pz + across * zz
        rest = 1.0 - taken
        room[k + AX] += rest * fx
        room[k + AY] += rest * fy
        room[k + AZ] += rest * fz
        room[k + RATE] += rest * ((own if left > 0.0 else 0.0) + flow * left)
        room[k + WX] += taken * fx
        room[k + WY] += taken * fy
        room[k + WZ] += taken * fz


@kernel
def _add_vortex(row, weight, room):
    """VORTEX of shapes other than POINT."""
    x0, y0, z0 = row.origin[0], row.origin[1], row.origin[2]
    zx, zy, zz = row.axis[0], row.axis[1], row.axis[2]
    least, most, side, flow, wind = row.least, row.most, float(row.side), row.flow, row.wind
    c0, c1, c2 = _powers(row, weight)
    strength = row.strength
    for k in range(BLOCK):
        ox, oy, oz = room[k + X] - x0, room[k + Y] - y0, room[k + Z] - z0
        along = ox * zx + oy * zy + oz * zz
        px, py, pz = ox - along * zx, oy - along * zy, oz - along * zz
        left = _left(least, most, side, c0, c1, c2, math.sqrt(px * px + py * py + pz * pz), along)
        whole = strength * left
        tx, ty, tz = whole * (zy * oz - zz * oy), whole * (zz * ox - zx * oz), whole * (zx * oy - zy * ox)
        fx, fy, fz = (
            tx + whole * (zy * tz - zz * ty), ty + whole * (zz * tx - zx * tz), tz + whole * (zx * ty - zy * tx),
        )
        taken = wind * room[k + ON_FACE]
        rest = 1.0 - taken
        room[k + AX] += rest * fx
        room[k + AY] += rest * fy
        room[k + AZ] += rest * fz
        room[k + RATE] += rest * ((1.0 if left > 0.0 else 0.0) + flow * left)
        room[k + WX] += taken * fx
        room[k + WY] += taken * fy
        room[k + WZ] += taken * fz


@kernel
def _add_drag(row, weight, room):
    """DRAG."""
    x0, y0, z0 = row.origin[0], row.origin[1], row.origin[2]
    zx, zy, zz = row.axis[0], row.axis[1], row.axis[2]
    least, most, side, wind = row.least, row.most, float(row.side), row.wind
    a, b = _shape(row)
    c0, c1, c2 = _powers(row, weight)
    square, plain = min(row.strength, 2.0), min(row.damping, 2.0)
    for k in range(BLOCK):
        ox, oy, oz = room[k + X] - x0, room[k + Y] - y0, room[k + Z] - z0
        along = ox * zx + oy * zy + oz * zz
        px, py, pz = a * ox + b * along * zx, a * oy + b * along * zy, a * oz + b * along * zz
        left = _left(least, most, side, c0, c1, c2, math.sqrt(px * px + py * py + pz * pz), along)
        speed = math.sqrt(room[k + VX] * room[k + VX] + room[k + VY] * room[k + VY] + room[k + VZ] * room[k + VZ])
        room[k + RATE] += (1.0 - wind * room[k + ON_FACE]) * left * (square * speed + plain)
