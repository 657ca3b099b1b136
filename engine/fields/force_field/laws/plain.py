"""The most common fields, for a whole block of particles at a time.

The numbers of a block are in one flat array, column by column, so that LLVM vectorizes these loops: they have no
branches, and count from 0. Other fields go through `push`, particle by particle; both give the same result.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, part_of_kernel
from .noise import perlin
from .rows import (
    CHARGE,
    DRAG,
    HARMONIC,
    LENNARDJ,
    LINE,
    MAGNET,
    PLANE,
    POINT,
    SPHERE,
    TEXTURE,
    TURBULENCE,
    VORTEX,
    WIND,
)

BLOCK = 64
# Columns of a block: positions, velocities, whether particles are on faces that feel the air, weight of the running
# field for their bodies; sums of acceleration, damping rate, magnetic field, wind; and scratch: coordinates and noise.
(
    X, Y, Z, VX, VY, VZ, ON_FACE, WEIGHT, AX, AY, AZ, RATE, BX, BY, BZ, WX, WY, WZ, QX, QY, QZ, NX, NY, NZ,
) = (BLOCK * column for column in range(24))
ROOM = 24 * BLOCK
SUMS = AX
# Octaves of turbulence: scale of the coordinates and weight.
OCTAVES = ((1.0, 4.0 / 7.0), (2.0, 2.0 / 7.0), (4.0, 1.0 / 7.0))
# Below this distance there is no direction [m].
NEAREST = 1e-30


@part_of_kernel
def is_plain(row):
    """Whether these loops support a field."""
    if row.form > PLANE or row.falloff != SPHERE or row.noise > 0.0 or row.screen >= 0:
        return False
    if not (row.power == 0.0 or row.power == 1.0 or row.power == 2.0):
        return False
    if row.law == VORTEX:
        return row.form != POINT
    return row.law != LENNARDJ and row.law != TEXTURE


@kernel
def add_plain(row, lattice, room):
    """Add a field to the sums of a block, in room (ROOM,); args: lattice: see `noise`."""
    if row.law == VORTEX:
        _add_vortex(row, room)
    elif row.law == DRAG:
        _add_drag(row, room)
    elif row.law == MAGNET:
        _add_magnet(row, room)
    elif row.law == TURBULENCE:
        _add_turbulence(row, lattice, room)
    else:
        _add_radial(row, room)


@part_of_kernel
def _left(least, most, side, c0, c1, c2, distance, along):
    """Falloff: c0 + c1 / r + c2 / r² with r = 1 + distance beyond `least`, on one side and up to `most`."""
    beyond = distance - least
    r = 1.0 / (1.0 + (beyond if beyond > 0.0 else 0.0))
    left = c0 + r * (c1 + r * c2)
    return left if distance <= most and along * side >= 0.0 else 0.0


@part_of_kernel
def _powers(row):
    """c0, c1, c2 of `_left`."""
    return 1.0 if row.power == 0.0 else 0.0, 1.0 if row.power == 1.0 else 0.0, 1.0 if row.power == 2.0 else 0.0


@part_of_kernel
def _shape(row):
    """(a, b) with p = a o + b z (z o)."""
    if row.form == LINE or (row.form == PLANE and row.law == VORTEX):
        return 1.0, -1.0
    return (0.0, 1.0) if row.form == PLANE else (1.0, 0.0)


@kernel
def _add_radial(row, room):
    """FORCE, CHARGE, HARMONIC: F p (k0 + k1 / |p| + k3 / |p|³); WIND: F n kn."""
    x0, y0, z0 = row.origin[0], row.origin[1], row.origin[2]
    zx, zy, zz = row.axis[0], row.axis[1], row.axis[2]
    least, most, side, flow, wind = row.least, row.most, float(row.side), row.flow, row.wind
    a, b = _shape(row)
    c0, c1, c2 = _powers(row)
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
        left = room[k + WEIGHT] * _left(least, most, side, c0, c1, c2, distance, along)
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
def _add_vortex(row, room):
    """VORTEX of shapes other than POINT."""
    x0, y0, z0 = row.origin[0], row.origin[1], row.origin[2]
    zx, zy, zz = row.axis[0], row.axis[1], row.axis[2]
    least, most, side, flow, wind = row.least, row.most, float(row.side), row.flow, row.wind
    c0, c1, c2 = _powers(row)
    strength = row.strength
    for k in range(BLOCK):
        ox, oy, oz = room[k + X] - x0, room[k + Y] - y0, room[k + Z] - z0
        along = ox * zx + oy * zy + oz * zz
        px, py, pz = ox - along * zx, oy - along * zy, oz - along * zz
        left = room[k + WEIGHT] * _left(least, most, side, c0, c1, c2, math.sqrt(px * px + py * py + pz * pz), along)
        whole = strength * left
        # z x (z x o) = -p.
        inward = whole * whole
        fx = whole * (zy * oz - zz * oy) - inward * px
        fy = whole * (zz * ox - zx * oz) - inward * py
        fz = whole * (zx * oy - zy * ox) - inward * pz
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
def _add_drag(row, room):
    """DRAG."""
    x0, y0, z0 = row.origin[0], row.origin[1], row.origin[2]
    zx, zy, zz = row.axis[0], row.axis[1], row.axis[2]
    least, most, side, wind = row.least, row.most, float(row.side), row.wind
    a, b = _shape(row)
    c0, c1, c2 = _powers(row)
    square, plain = min(row.strength, 2.0), min(row.damping, 2.0)
    for k in range(BLOCK):
        ox, oy, oz = room[k + X] - x0, room[k + Y] - y0, room[k + Z] - z0
        along = ox * zx + oy * zy + oz * zz
        px, py, pz = a * ox + b * along * zx, a * oy + b * along * zy, a * oz + b * along * zz
        left = room[k + WEIGHT] * _left(least, most, side, c0, c1, c2, math.sqrt(px * px + py * py + pz * pz), along)
        speed = math.sqrt(room[k + VX] * room[k + VX] + room[k + VY] * room[k + VY] + room[k + VZ] * room[k + VZ])
        room[k + RATE] += (1.0 - wind * room[k + ON_FACE]) * left * (square * speed + plain)


@kernel
def _add_magnet(row, room):
    """MAGNET: B = S F z of shape PLANE, else S F (z x p)/|z x p|."""
    x0, y0, z0 = row.origin[0], row.origin[1], row.origin[2]
    zx, zy, zz = row.axis[0], row.axis[1], row.axis[2]
    least, most, side, flow, wind = row.least, row.most, float(row.side), row.flow, row.wind
    a, b = _shape(row)
    c0, c1, c2 = _powers(row)
    level = 1.0 if row.form == PLANE else 0.0
    strength, around = row.strength, row.strength * (1.0 - level)
    for k in range(BLOCK):
        ox, oy, oz = room[k + X] - x0, room[k + Y] - y0, room[k + Z] - z0
        along = ox * zx + oy * zy + oz * zz
        px, py, pz = a * ox + b * along * zx, a * oy + b * along * zy, a * oz + b * along * zz
        left = room[k + WEIGHT] * _left(
            least, most, side, c0, c1, c2, math.sqrt(px * px + py * py + pz * pz), along
        )
        left *= 1.0 - wind * room[k + ON_FACE]
        tx, ty, tz = zy * pz - zz * py, zz * px - zx * pz, zx * py - zy * px
        long = math.sqrt(tx * tx + ty * ty + tz * tz)
        turned = left * around / (long if long > NEAREST else NEAREST)
        straight = left * strength * level
        room[k + BX] += turned * tx + straight * zx
        room[k + BY] += turned * ty + straight * zy
        room[k + BZ] += turned * tz + straight * zz
        room[k + RATE] += flow * left


@kernel
def _add_noise(lattice, room):
    """Turbulence at the coordinates in QX, QY, QZ into NX, NY, NZ; each component takes the coordinates in turn."""
    for axis in range(3):
        at = NX + BLOCK * axis
        i, j, k = QX + BLOCK * axis, QX + BLOCK * ((axis + 1) % 3), QX + BLOCK * ((axis + 2) % 3)
        for lane in range(BLOCK):
            room[lane + at] = 0.0
        for octave in range(3):
            scale, share = OCTAVES[octave]
            for lane in range(BLOCK):
                room[lane + at] += share * perlin(
                    lattice, scale * room[lane + i], scale * room[lane + j], scale * room[lane + k]
                )


@kernel
def _add_turbulence(row, lattice, room):
    """TURBULENCE."""
    x0, y0, z0 = row.origin[0], row.origin[1], row.origin[2]
    zx, zy, zz = row.axis[0], row.axis[1], row.axis[2]
    least, most, side, flow, wind = row.least, row.most, float(row.side), row.flow, row.wind
    a, b = _shape(row)
    c0, c1, c2 = _powers(row)
    scale, strength = 1.0 / row.length if row.length > 0.0 else 1.0, row.strength
    qx, qy, qz = (x0, y0, z0) if row.global_coords else (zx, zy, zz)
    for k in range(BLOCK):
        room[k + QX] = scale * (room[k + X] - x0 + qx)
        room[k + QY] = scale * (room[k + Y] - y0 + qy)
        room[k + QZ] = scale * (room[k + Z] - z0 + qz)
    _add_noise(lattice, room)
    for k in range(BLOCK):
        ox, oy, oz = room[k + X] - x0, room[k + Y] - y0, room[k + Z] - z0
        along = ox * zx + oy * zy + oz * zz
        px, py, pz = a * ox + b * along * zx, a * oy + b * along * zy, a * oz + b * along * zz
        left = room[k + WEIGHT] * _left(
            least, most, side, c0, c1, c2, math.sqrt(px * px + py * py + pz * pz), along
        )
        whole, taken = strength * left, wind * room[k + ON_FACE]
        fx, fy, fz = whole * room[k + NX], whole * room[k + NY], whole * room[k + NZ]
        rest = 1.0 - taken
        room[k + AX] += rest * fx
        room[k + AY] += rest * fy
        room[k + AZ] += rest * fz
        room[k + RATE] += rest * flow * left
        room[k + WX] += taken * fx
        room[k + WY] += taken * fy
        room[k + WZ] += taken * fz
