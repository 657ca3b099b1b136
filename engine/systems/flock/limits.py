"""Limits of agents' velocity: turn rate, range of speeds, steepness of the path."""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, part_of_kernel
from .block import BLOCK, NX, WX, X, length, put, three
from .wishes import TINY, cruise

# An agent slower than this fraction of its speed setting keeps its facing direction.
STILL = 0.05


@kernel
def limit(habits, block):
    """Rotate and scale the wanted velocity of each agent of a block to within its limits."""
    for k in range(BLOCK):
        w, nose, wanted = three(block, k + WX), three(block, k + NX), three(block, k + X)
        before, speed = length(w), length(wanted)
        is_under_way = before > STILL * habits.speed
        scale = 1.0 / before if before > 0.0 else 0.0
        ex = scale * w[0] if is_under_way else nose[0]
        ey = scale * w[1] if is_under_way else nose[1]
        ez = scale * w[2] if is_under_way else nose[2]
        per_speed = 1.0 / speed if speed > 0.0 else 0.0
        fx = per_speed * wanted[0] if speed > 0.0 else ex
        fy = per_speed * wanted[1] if speed > 0.0 else ey
        fz = per_speed * wanted[2] if speed > 0.0 else ez
        direction = not_too_steep(turned(ex, ey, ez, fx, fy, fz, habits), nose, habits)
        most = 1.1 * cruise(k, habits, block)
        speed = speed if speed > habits.slowest else habits.slowest
        speed = speed if speed < most else most
        put(block, k + X, (speed * direction[0], speed * direction[1], speed * direction[2]))


@part_of_kernel
def turned(ex, ey, ez, fx, fy, fz, habits):
    """Rotate unit vector e towards unit vector f, by at most the rotation allowed in a decision."""
    cosine = ex * fx + ey * fy + ez * fz
    cosine = cosine if cosine > -1.0 else -1.0
    cosine = cosine if cosine < 1.0 else 1.0
    rx, ry, rz = fx - cosine * ex, fy - cosine * ey, fz - cosine * ez
    size = math.sqrt(rx * rx + ry * ry + rz * rz)
    # Opposite direction: any rotation axis will do; choose a level rotation if possible.
    is_back, is_level = size < 1e-9, abs(ez) < 0.99
    rx = (ey if is_level else 1.0) if is_back else rx
    ry = (-ex if is_level else 0.0) if is_back else ry
    rz = 0.0 if is_back else rz
    size = math.sqrt(rx * rx + ry * ry + rz * rz)
    # In lanes without an agent all vectors may be zero.
    c, s = habits.turn_cosine, habits.turn_sine / (size if size > TINY else TINY)
    gx, gy, gz = c * ex + s * rx, c * ey + s * ry, c * ez + s * rz
    size = math.sqrt(gx * gx + gy * gy + gz * gz)
    scale = 1.0 / (size if size > TINY else TINY)
    is_free = cosine >= habits.turn_cosine
    return fx if is_free else scale * gx, fy if is_free else scale * gy, fz if is_free else scale * gz


@part_of_kernel
def not_too_steep(direction, nose, habits):
    """Limit the slope of a unit vector (3) to `climb`; a vertical one tilts towards the facing direction."""
    ex, ey, ez = direction
    level = math.sqrt(ex * ex + ey * ey)
    is_steep, is_upright = abs(ez) > habits.climb * level, level < 1e-6
    lx, ly = nose[0] if is_upright else ex, nose[1] if is_upright else ey
    size = math.sqrt(lx * lx + ly * ly)
    is_upright = size < 1e-6
    lx, ly, size = 1.0 if is_upright else lx, 0.0 if is_upright else ly, 1.0 if is_upright else size
    lz = habits.climb * size
    lz = lz if ez > 0.0 else -lz
    scale = 1.0 / math.sqrt(lx * lx + ly * ly + lz * lz)
    return scale * lx if is_steep else ex, scale * ly if is_steep else ey, scale * lz if is_steep else ez
