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
from .scratch import (
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
def add_plain(row, weight, lattice, scratch):
    """Add a field to the sums of a block; args: weight: of the body; lattice: see `noise`; scratch: `FieldScratch`."""
    _approach(row, np.float32(weight), scratch.doubles, scratch.singles)
    own, flow = 0.0, row.flow
    if row.law == DRAG:
        flow = min(row.damping, 2.0)
        _add_rate_by_speed(row, scratch.singles)
    elif row.law == MAGNET:
        _add_magnet(row, scratch.singles)
    else:
        if row.law == VORTEX and row.form == POINT:
            _point_vortex(row, scratch.singles)
        elif row.law == VORTEX:
            own = 1.0
            _vortex(row, scratch.singles)
        elif row.law == TURBULENCE:
            _turbulence(row, lattice, scratch)
        else:
            _radial(row, scratch.singles)
        if row.law == HARMONIC:
            own, flow = 2.0 * row.damping * math.sqrt(abs(row.strength)), 0.0
        _add_force(np.float32(row.wind), scratch.singles)
    if own != 0.0 or flow != 0.0:
        _add_rate(np.float32(own), np.float32(flow), np.float32(row.wind), scratch.singles)


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
def _approach(row, weight, doubles, singles):
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
        singles[k + OX] = np.float32(doubles[k + X] - x0)
        singles[k + OY] = np.float32(doubles[k + Y] - y0)
        singles[k + OZ] = np.float32(doubles[k + Z] - z0)
    for k in range(BLOCK):
        ox, oy, oz = singles[k + OX], singles[k + OY], singles[k + OZ]
        along = ox * zx + oy * zy + oz * zz
        px, py, pz = a * ox + b * along * zx, a * oy + b * along * zy, a * oz + b * along * zz
        distance = math.sqrt(px * px + py * py + pz * pz)
        near = ONE / (distance if distance > NEAREST else NEAREST)
        beyond = distance - least
        r = ONE / (ONE + (beyond if beyond > NOUGHT else NOUGHT))
        left = c0 + r * (c1 + r * c2)
        left = left if distance <= most and along * side >= NOUGHT else NOUGHT
        singles[k + PX] = px
        singles[k + PY] = py
        singles[k + PZ] = pz
        singles[k + NEAR] = near
        singles[k + LEFT] = left
        sharpness = sharp * near if left > NOUGHT else NOUGHT
        singles[k + SHARPNESS] = sharpness if sharpness > singles[k + SHARPNESS] else singles[k + SHARPNESS]


@kernel
def _add_force(wind, singles):
    """Add the force of a field; on faces on which the air acts its fraction `wind` is added to the wind instead."""
    if wind == NOUGHT:
        for k in range(BLOCK):
            singles[k + AX] += singles[k + FX]
            singles[k + AY] += singles[k + FY]
            singles[k + AZ] += singles[k + FZ]
        return
    for k in range(BLOCK):
        taken = wind * singles[k + ON_FACE]
        rest = ONE - taken
        singles[k + AX] += rest * singles[k + FX]
        singles[k + AY] += rest * singles[k + FY]
        singles[k + AZ] += rest * singles[k + FZ]
        singles[k + WX] += taken * singles[k + FX]
        singles[k + WY] += taken * singles[k + FY]
        singles[k + WZ] += taken * singles[k + FZ]


@kernel
def _add_rate(own, flow, wind, singles):
    """Add a field's damping: `own` where it acts at all, `flow` times its falloff."""
    for k in range(BLOCK):
        left = singles[k + LEFT]
        singles[k + RATE] += (ONE - wind * singles[k + ON_FACE]) * ((own if left > NOUGHT else NOUGHT) + flow * left)


@kernel
def _add_rate_by_speed(row, singles):
    """DRAG: the part of the damping rate that is proportional to speed."""
    square, wind = np.float32(min(row.strength, 2.0)), np.float32(row.wind)
    for k in range(BLOCK):
        singles[k + RATE_BY_SPEED] += (ONE - wind * singles[k + ON_FACE]) * singles[k + LEFT] * square


@kernel
def _radial(row, singles):
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
        near, left = singles[k + NEAR], singles[k + LEFT]
        factor = left * (k0 + near * (k1 + near * near * k3))
        across = left * kn
        singles[k + FX] = factor * singles[k + PX] + across * zx
        singles[k + FY] = factor * singles[k + PY] + across * zy
        singles[k + FZ] = factor * singles[k + PZ] + across * zz


@kernel
def _vortex(row, singles):
    """VORTEX of shapes other than POINT, without its -v: t = S F z x o, and S F z x t = -(S F)² p."""
    zx, zy, zz = _axis(row)
    strength = np.float32(row.strength)
    for k in range(BLOCK):
        ox, oy, oz = singles[k + OX], singles[k + OY], singles[k + OZ]
        amplitude = strength * singles[k + LEFT]
        inward = amplitude * amplitude
        singles[k + FX] = amplitude * (zy * oz - zz * oy) - inward * singles[k + PX]
        singles[k + FY] = amplitude * (zz * ox - zx * oz) - inward * singles[k + PY]
        singles[k + FZ] = amplitude * (zx * oy - zy * ox) - inward * singles[k + PZ]


@kernel
def _point_vortex(row, singles):
    """VORTEX of shape POINT: S F |p| (z x p)/|z x p|."""
    zx, zy, zz = _axis(row)
    strength = np.float32(row.strength)
    for k in range(BLOCK):
        px, py, pz = singles[k + PX], singles[k + PY], singles[k + PZ]
        tx, ty, tz = zy * pz - zz * py, zz * px - zx * pz, zx * py - zy * px
        long = math.sqrt(tx * tx + ty * ty + tz * tz)
        factor = strength * singles[k + LEFT] / (singles[k + NEAR] * (long if long > NEAREST else NEAREST))
        singles[k + FX] = factor * tx
        singles[k + FY] = factor * ty
        singles[k + FZ] = factor * tz


@kernel
def _add_magnet(row, singles):
    """MAGNET: B = S F z of shape PLANE, else S F (z x p)/|z x p|."""
    zx, zy, zz = _axis(row)
    wind, strength = np.float32(row.wind), np.float32(row.strength)
    straight = strength if row.form == PLANE else NOUGHT
    around = strength - straight
    for k in range(BLOCK):
        px, py, pz = singles[k + PX], singles[k + PY], singles[k + PZ]
        left = (ONE - wind * singles[k + ON_FACE]) * singles[k + LEFT]
        tx, ty, tz = zy * pz - zz * py, zz * px - zx * pz, zx * py - zy * px
        long = math.sqrt(tx * tx + ty * ty + tz * tz)
        turned = left * around / (long if long > NEAREST else NEAREST)
        singles[k + BX] += turned * tx + left * straight * zx
        singles[k + BY] += turned * ty + left * straight * zy
        singles[k + BZ] += turned * tz + left * straight * zz


@kernel
def _turbulence(row, lattice, scratch):
    """TURBULENCE."""
    singles, strength = scratch.singles, np.float32(row.strength)
    for k in range(BLOCK):
        singles[k + FX] = NOUGHT
        singles[k + FY] = NOUGHT
        singles[k + FZ] = NOUGHT
    add_noise(row, lattice, scratch)
    for k in range(BLOCK):
        amplitude = strength * singles[k + LEFT]
        singles[k + FX] *= amplitude
        singles[k + FY] *= amplitude
        singles[k + FZ] *= amplitude
