"""Acceleration of a particle by each field, as in Blender's effectors.

With p, n, o as in `falloff`, z the object's Z axis, S strength, F falloff, v velocity, the acceleration is

    FORCE       S F p/|p|, over |p|² with inverse_square         WIND   S F n
    VORTEX      S F |p| (n x p)/|n x p| of shape POINT; else S F (t + z x t S F) - v with t = z x o
    MAGNET      v x B, B = S F (n x p)/|n x p| of POINT and LINE, else S F n
    HARMONIC    -S F p (1 - rest/|p|) - 2 damping sqrt|S| v      CHARGE   S F p
    LENNARDJ    S p min(2, u (u - 1)/|p|), u = (size/|p|)^6
    TURBULENCE  S F (N(q/s), N(q'/s), N(q''/s)), q = o + z or x, s the field's size, N as in `noise`
    DRAG        -F (min(S, 2) |v| + min(damping, 2)) v, with S Blender's linear and damping its quadratic setting

and -flow F v for all but HARMONIC and DRAG. Terms with v are returned separately, as a rate and the vector B, so that
they can be integrated without overshoot.
"""

from __future__ import annotations

import math

from ....compiler.kernels import part_of_kernel
from .noise import turbulence
from .rows import CHARGE, DRAG, FORCE, HARMONIC, LENNARDJ, LINE, MAGNET, POINT, TURBULENCE, VORTEX, WIND


@part_of_kernel
def static_force(row, lattice, strength, left, n, p, o, size):
    """The part that does not depend on velocity: (ax, ay, az) [m/s²].

    Args: strength: noise included; left: falloff; n, p, o: three numbers each; size: radius of the particle [m].
    """
    amplitude = strength * left
    distance = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    if row.law == WIND:
        return amplitude * n[0], amplitude * n[1], amplitude * n[2]
    if row.law == VORTEX:
        return _vortex(row, amplitude, distance, n, p, o)
    if row.law == TURBULENCE:
        scale = 1.0 / row.length if row.length > 0.0 else 1.0
        x, y, z = o[0] + row.axis[0], o[1] + row.axis[1], o[2] + row.axis[2]
        if row.global_coords:
            x, y, z = o[0] + row.origin[0], o[1] + row.origin[1], o[2] + row.origin[2]
        x *= scale
        y *= scale
        z *= scale
        return (
            amplitude * turbulence(lattice, x, y, z), amplitude * turbulence(lattice, y, z, x),
            amplitude * turbulence(lattice, z, x, y),
        )
    factor = 0.0
    if row.law == CHARGE:
        factor = amplitude
    elif distance > 0.0:
        if row.law == FORCE:
            factor = amplitude / distance
            if row.inverse_square:
                factor /= distance * distance
        elif row.law == HARMONIC:
            factor = -amplitude * (1.0 - row.length / distance)
        elif row.law == LENNARDJ:
            near = size / distance
            near *= near * near
            near *= near
            factor = strength * min(2.0, near * (near - 1.0) / distance)
    return factor * p[0], factor * p[1], factor * p[2]


@part_of_kernel
def _vortex(row, amplitude, distance, n, p, o):
    """Acceleration of a vortex, without its -v, which `brake` adds."""
    if row.form == POINT:
        tx, ty, tz = n[1] * p[2] - n[2] * p[1], n[2] * p[0] - n[0] * p[2], n[0] * p[1] - n[1] * p[0]
        long = math.sqrt(tx * tx + ty * ty + tz * tz)
        factor = amplitude * distance / long if long > 0.0 else 0.0
        return factor * tx, factor * ty, factor * tz
    zx, zy, zz = row.axis[0], row.axis[1], row.axis[2]
    tx, ty, tz = (
        amplitude * (zy * o[2] - zz * o[1]), amplitude * (zz * o[0] - zx * o[2]), amplitude * (zx * o[1] - zy * o[0])
    )
    return (
        tx + amplitude * (zy * tz - zz * ty), ty + amplitude * (zz * tx - zx * tz),
        tz + amplitude * (zx * ty - zy * tx),
    )


@part_of_kernel
def brake(row, strength, damping, left):
    """The damping rate c + d |v| in -(c + d |v|) v: c [1/s] and d [1/m]."""
    if row.law == DRAG:
        return left * min(damping, 2.0), left * min(strength, 2.0)
    if row.law == HARMONIC:
        return 2.0 * damping * math.sqrt(abs(strength)), 0.0
    own = 1.0 if row.law == VORTEX and row.form != POINT else 0.0
    return own + row.flow * left, 0.0


@part_of_kernel
def magnetic(row, amplitude, n, p):
    """B of a magnetic field [1/s], zero for other fields; args: amplitude: strength times falloff."""
    if row.law != MAGNET:
        return 0.0, 0.0, 0.0
    bx, by, bz = n[0], n[1], n[2]
    if row.form == POINT or row.form == LINE:
        bx, by, bz = n[1] * p[2] - n[2] * p[1], n[2] * p[0] - n[0] * p[2], n[0] * p[1] - n[1] * p[0]
    long = math.sqrt(bx * bx + by * by + bz * bz)
    factor = amplitude / long if long > 0.0 else 0.0
    return factor * bx, factor * by, factor * bz
