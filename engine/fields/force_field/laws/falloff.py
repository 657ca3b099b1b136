"""The place from which a field acts, and its falloff at a point.

With p = x - L, L the field's place for x, n the normal there and o = x - the object's origin:

    sphere   f(|p|)
    tube     f(|n o|) g(|o - n (n o)|)
    cone     f(|n o|) g(angle between n and o in degrees)

and f(d) = (1 + max(d - least, 0))^-power up to `most`, 0 beyond; g is the same with the radial settings.
"""

from __future__ import annotations

import math

from ....compiler.kernels import part_of_kernel
from .rows import LINE, PLANE, SPHERE, TUBE, VORTEX


@part_of_kernel
def decay(distance, least, most, power):
    """f of the module's docstring."""
    if distance > most:
        return 0.0
    if power == 0.0 or distance <= least:
        return 1.0
    base = 1.0 + distance - least
    if power == 1.0:
        return 1.0 / base
    if power == 2.0:
        return 1.0 / (base * base)
    return base ** -power


@part_of_kernel
def offset(row, ox, oy, oz):
    """p for the shapes POINT, LINE or PLANE; args: (ox, oy, oz) = o.

    A vortex of shape PLANE acts from its axis, like one of shape LINE.
    """
    if row.form != LINE and row.form != PLANE:
        return ox, oy, oz
    along = ox * row.axis[0] + oy * row.axis[1] + oz * row.axis[2]
    ax, ay, az = along * row.axis[0], along * row.axis[1], along * row.axis[2]
    if row.form == LINE or row.law == VORTEX:
        return ox - ax, oy - ay, oz - az
    return ax, ay, az


@part_of_kernel
def falloff(row, nx, ny, nz, distance, ox, oy, oz):
    """Falloff factor, 0 to 1; args: n, |p| and o."""
    along = nx * ox + ny * oy + nz * oz
    if along * row.side < 0.0:
        return 0.0
    if row.falloff == SPHERE:
        return decay(distance, row.least, row.most, row.power)
    left = decay(abs(along), row.least, row.most, row.power)
    if left == 0.0:
        return 0.0
    if row.falloff == TUBE:
        rx, ry, rz = ox - along * nx, oy - along * ny, oz - along * nz
        radial = math.sqrt(rx * rx + ry * ry + rz * rz)
    else:
        far = math.sqrt(ox * ox + oy * oy + oz * oz)
        radial = math.degrees(math.acos(min(max(along / far, -1.0), 1.0))) if far > 0.0 else 0.0
    return left * decay(radial, row.radial_least, row.radial_most, row.radial_power)
