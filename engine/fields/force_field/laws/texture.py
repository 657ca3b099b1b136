"""Force of a texture, from its samples on a grid.

    RGB        S F (1/2 - color)
    GRADIENT   S F (t(x) - t(x + d e_k)) / d for each axis e_k, t the brightness and d the field's nabla
    CURL       S F curl of the color, by differences over d

With `flat`, texture coordinates and force lie in the object's XY plane. Interpolation is tricubic (Catmull-Rom);
outside of the grid the border values continue.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, part_of_kernel
from .rows import CURL, RGB


@part_of_kernel
def _cubic(t):
    """Catmull-Rom weights of four consecutive samples, at the fraction t between the second and the third."""
    square = t * t
    cube = square * t
    return (
        0.5 * (-cube + 2.0 * square - t), 0.5 * (3.0 * cube - 5.0 * square + 2.0),
        0.5 * (-3.0 * cube + 4.0 * square + t), 0.5 * (cube - square),
    )


@part_of_kernel
def _cell(row, k, x):
    """Index of the first of four samples along an axis, and the fraction between the middle two."""
    place = (x - row.grid_origin[k]) / row.grid_cell[k]
    place = min(max(place, 1.0), row.grid_shape[k] - 2.0)
    first = min(int(math.floor(place)), row.grid_shape[k] - 3) - 1
    return first, place - first - 1.0


@kernel
def look_up(row, samples, x, y, z):
    """Red, green, blue and brightness at a point of texture space; args: samples: (s, 4) of all fields."""
    i, s = _cell(row, 0, x)
    j, t = _cell(row, 1, y)
    k, u = _cell(row, 2, z)
    along_x, along_y, along_z = _cubic(s), _cubic(t), _cubic(u)
    red = green = blue = bright = 0.0
    for a in range(4):
        for b in range(4):
            weight_xy = along_x[a] * along_y[b]
            start = row.first_sample + ((i + a) * row.grid_shape[1] + j + b) * row.grid_shape[2] + k
            for c in range(4):
                weight = weight_xy * along_z[c]
                red += weight * samples[start + c, 0]
                green += weight * samples[start + c, 1]
                blue += weight * samples[start + c, 2]
                bright += weight * samples[start + c, 3]
    return red, green, blue, bright


@kernel
def texture_force(row, samples, amplitude, n, o):
    """(ax, ay, az) [m/s²]; args: amplitude: strength times falloff; n, o: as in `falloff`."""
    x, y, z = o[0] + row.origin[0], o[1] + row.origin[1], o[2] + row.origin[2]
    if row.object_coords:
        to = row.to_object
        x, y, z = (
            to[0, 0] * x + to[0, 1] * y + to[0, 2] * z + to[0, 3],
            to[1, 0] * x + to[1, 1] * y + to[1, 2] * z + to[1, 3],
            to[2, 0] * x + to[2, 1] * y + to[2, 2] * z + to[2, 3],
        )
        if row.flat:
            z = 0.0
    elif row.flat:
        along = x * n[0] + y * n[1] + z * n[2]
        x, y, z = x - along * n[0], y - along * n[1], z - along * n[2]
    here = look_up(row, samples, x, y, z)
    if row.mode == RGB and row.has_color:
        fx, fy, fz = 0.5 - here[0], 0.5 - here[1], 0.5 - here[2]
    else:
        step = row.nabla
        ahead, aside, above = (
            look_up(row, samples, x + step, y, z), look_up(row, samples, x, y + step, z),
            look_up(row, samples, x, y, z + step),
        )
        amplitude = amplitude / step if step > 0.0 else 0.0
        if row.mode == CURL and row.has_color:
            fx = aside[2] - here[2] - above[1] + here[1]
            fy = above[0] - here[0] - ahead[2] + here[2]
            fz = ahead[1] - here[1] - aside[0] + here[0]
        else:
            fx, fy, fz = here[3] - ahead[3], here[3] - aside[3], here[3] - above[3]
    if row.flat:
        along = fx * n[0] + fy * n[1] + fz * n[2]
        fx, fy, fz = fx - along * n[0], fy - along * n[1], fz - along * n[2]
    return amplitude * fx, amplitude * fy, amplitude * fz
