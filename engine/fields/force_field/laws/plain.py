"""The most common fields, for a whole block of particles at a time.

These loops have no branches and count from 0, so that LLVM vectorizes them, sixteen lanes of single precision at a
time. Offsets from a field are taken in double precision. Other fields go through `push`, particle by particle; both
give the same result.
"""

from __future__ import annotations

import math

import numpy as np

from ....compiler.kernels import kernel, part_of_kernel
from .block_noise import add_noise
from .room import (
    AX,
    AY,
    AZ,
    BLOCK,
    BX,
    BY,
    BZ,
    FX,
    FY,
    FZ,
    LEFT,
    NEAR,
    ON_FACE,
    OX,
    OY,
    OZ,
    PX,
    PY,
    PZ,
    RATE,
    RATE_BY_SPEED,
    SHARPNESS,
    WX,
    WY,
    WZ,
    X,
    Y,
    Z,
)
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

NOUGHT, ONE = np.float32(0.0), np.float32(1.0)
# Below this distance there is no direction [m].
NEAREST = np.float32(1e-12)


@part_of_kernel
def is_plain(row):
    """Whether these loops support a field."""
    if row.form > PLANE or row.falloff != SPHERE or row.noise > 0.0 or row.screen >= 0:
        return False
    if not (row.power == 0.0 or row.power == 1.0 or row.power == 2.0):
        return False
    return row.law != LENNARDJ and row.law != TEXTURE


@kernel
def add_plain(row, weight, lattice, room):
    """Add a field to the sums of a block; args: weight: of the body; lattice: see `noise`; room: a `BlockRoom`."""
    _approach(row, np.float32(weight), room.place, room.room)
    own, flow = 0.0, row.flow
    if row.law == DRAG:
        flow = min(row.damping, 2.0)
        _add_rate_by_speed(row, room.room)
    elif row.law == MAGNET:
        _add_magnet(row, room.room)
    else:
        if row.law == VORTEX and row.form == POINT:
            _point_vortex(row, room.room)
        elif row.law == VORTEX:
            own = 1.0
            _vortex(row, room.room)
        elif row.law == TURBULENCE:
            _turbulence(row, lattice, room)
        else:
            _radial(row, room.room)
        if row.law == HARMONIC:
            own, flow = 2.0 * row.damping * math.sqrt(abs(row.strength)), 0.0
        _add_force(np.float32(row.wind), room.room)
    if own != 0.0 or flow != 0.0:
        _add_rate(np.float32(own), np.float32(flow), np.float32(row.wind), room.room)


@part_of_kernel
def _shape(row):
    """(a, b) with p = a o + b z (z o)."""
    if row.form == LINE or (row.form == PLANE and row.law == VORTEX):
        return 1.0, -1.0
    return (0.0, 1.0) if row.form == PLANE else (1.0, 0.0)


@part_of_kernel
def _axis(row):
    return np.float32(row.axis[0]), np.float32(row.axis[1]), np.float32(row.axis[2])


@kernel
def _approach(row, weight, place, room):
    """Offsets, p, 1 / |p|, and weight times falloff: c0 + c1 / r + c2 / r², r = 1 + distance beyond `least`."""
    x0, y0, z0 = row.origin[0], row.origin[1], row.origin[2]
    zx, zy, zz = _axis(row)
    least, most, side = np.float32(row.least), np.float32(row.most), np.float32(row.side)
    a, b = _shape(row)
    a, b = np.float32(a), np.float32(b)
    c0 = weight if row.power == 0.0 else NOUGHT
    c1 = weight if row.power == 1.0 else NOUGHT
    c2 = weight if row.power == 2.0 else NOUGHT
    sharp = np.float32(row.sharp)
    for k in range(BLOCK):
        room[k + OX] = np.float32(place[k + X] - x0)
        room[k + OY] = np.float32(place[k + Y] - y0)
        room[k + OZ] = np.float32(place[k + Z] - z0)
    for k in range(BLOCK):
        ox, oy, oz = room[k + OX], room[k + OY], room[k + OZ]
        along = ox * zx + oy * zy + oz * zz
        px, py, pz = a * ox + b * along * zx, a * oy + b * along * zy, a * oz + b * along * zz
        distance = math.sqrt(px * px + py * py + pz * pz)
        near = ONE / (distance if distance > NEAREST else NEAREST)
        beyond = distance - least
        r = ONE / (ONE + (beyond if beyond > NOUGHT else NOUGHT))
        left = c0 + r * (c1 + r * c2)
        left = left if distance <= most and along * side >= NOUGHT else NOUGHT
        room[k + PX] = px
        room[k + PY] = py
        room[k + PZ] = pz
        room[k + NEAR] = near
        room[k + LEFT] = left
        sharpness = sharp * near if left > NOUGHT else NOUGHT
        room[k + SHARPNESS] = sharpness if sharpness > room[k + SHARPNESS] else room[k + SHARPNESS]


@kernel
def _add_force(wind, room):
    """Add the force of a field; on faces that feel the air its part `wind` becomes wind."""
    if wind == NOUGHT:
        for k in range(BLOCK):
            room[k + AX] += room[k + FX]
            room[k + AY] += room[k + FY]
            room[k + AZ] += room[k + FZ]
        return
    for k in range(BLOCK):
        taken = wind * room[k + ON_FACE]
        rest = ONE - taken
        room[k + AX] += rest * room[k + FX]
        room[k + AY] += rest * room[k + FY]
        room[k + AZ] += rest * room[k + FZ]
        room[k + WX] += taken * room[k + FX]
        room[k + WY] += taken * room[k + FY]
        room[k + WZ] += taken * room[k + FZ]


@kernel
def _add_rate(own, flow, wind, room):
    """Add a field's damping: `own` where it acts at all, `flow` times its falloff."""
    for k in range(BLOCK):
        left = room[k + LEFT]
        room[k + RATE] += (ONE - wind * room[k + ON_FACE]) * ((own if left > NOUGHT else NOUGHT) + flow * left)


@kernel
def _add_rate_by_speed(row, room):
    """DRAG: the part of the damping rate that is proportional to speed."""
    square, wind = np.float32(min(row.strength, 2.0)), np.float32(row.wind)
    for k in range(BLOCK):
        room[k + RATE_BY_SPEED] += (ONE - wind * room[k + ON_FACE]) * room[k + LEFT] * square


@kernel
def _radial(row, room):
    """FORCE, CHARGE, HARMONIC: F p (k0 + k1 / |p| + k3 / |p|³); WIND: F n kn."""
    zx, zy, zz = _axis(row)
    k0 = k1 = k3 = kn = NOUGHT
    if row.law == WIND:
        kn = np.float32(row.strength)
    elif row.law == CHARGE:
        k0 = np.float32(row.strength)
    elif row.law == HARMONIC:
        k0, k1 = np.float32(-row.strength), np.float32(row.strength * row.length)
    elif row.inverse_square:
        k3 = np.float32(row.strength)
    else:
        k1 = np.float32(row.strength)
    for k in range(BLOCK):
        near, left = room[k + NEAR], room[k + LEFT]
        factor = left * (k0 + near * (k1 + near * near * k3))
        across = left * kn
        room[k + FX] = factor * room[k + PX] + across * zx
        room[k + FY] = factor * room[k + PY] + across * zy
        room[k + FZ] = factor * room[k + PZ] + across * zz


@kernel
def _vortex(row, room):
    """VORTEX of shapes other than POINT, without its -v: t = S F z x o, and S F z x t = -(S F)² p."""
    zx, zy, zz = _axis(row)
    strength = np.float32(row.strength)
    for k in range(BLOCK):
        ox, oy, oz = room[k + OX], room[k + OY], room[k + OZ]
        whole = strength * room[k + LEFT]
        inward = whole * whole
        room[k + FX] = whole * (zy * oz - zz * oy) - inward * room[k + PX]
        room[k + FY] = whole * (zz * ox - zx * oz) - inward * room[k + PY]
        room[k + FZ] = whole * (zx * oy - zy * ox) - inward * room[k + PZ]


@kernel
def _point_vortex(row, room):
    """VORTEX of shape POINT: S F |p| (z x p)/|z x p|."""
    zx, zy, zz = _axis(row)
    strength = np.float32(row.strength)
    for k in range(BLOCK):
        px, py, pz = room[k + PX], room[k + PY], room[k + PZ]
        tx, ty, tz = zy * pz - zz * py, zz * px - zx * pz, zx * py - zy * px
        long = math.sqrt(tx * tx + ty * ty + tz * tz)
        factor = strength * room[k + LEFT] / (room[k + NEAR] * (long if long > NEAREST else NEAREST))
        room[k + FX] = factor * tx
        room[k + FY] = factor * ty
        room[k + FZ] = factor * tz


@kernel
def _add_magnet(row, room):
    """MAGNET: B = S F z of shape PLANE, else S F (z x p)/|z x p|."""
    zx, zy, zz = _axis(row)
    wind, strength = np.float32(row.wind), np.float32(row.strength)
    straight = strength if row.form == PLANE else NOUGHT
    around = strength - straight
    for k in range(BLOCK):
        px, py, pz = room[k + PX], room[k + PY], room[k + PZ]
        left = (ONE - wind * room[k + ON_FACE]) * room[k + LEFT]
        tx, ty, tz = zy * pz - zz * py, zz * px - zx * pz, zx * py - zy * px
        long = math.sqrt(tx * tx + ty * ty + tz * tz)
        turned = left * around / (long if long > NEAREST else NEAREST)
        room[k + BX] += turned * tx + left * straight * zx
        room[k + BY] += turned * ty + left * straight * zy
        room[k + BZ] += turned * tz + left * straight * zz


@kernel
def _turbulence(row, lattice, room):
    """TURBULENCE."""
    numbers, strength = room.room, np.float32(row.strength)
    for k in range(BLOCK):
        numbers[k + FX] = NOUGHT
        numbers[k + FY] = NOUGHT
        numbers[k + FZ] = NOUGHT
    add_noise(row, lattice, room)
    for k in range(BLOCK):
        whole = strength * numbers[k + LEFT]
        numbers[k + FX] *= whole
        numbers[k + FY] *= whole
        numbers[k + FZ] *= whole
