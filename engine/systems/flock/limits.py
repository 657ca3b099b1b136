"""What bodies of agents can: how fast they turn, between which speeds they travel, how steep their path is."""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, part_of_kernel
from .block import BLOCK, NX, WX, X, length, put, three
from .wishes import TINY, cruise

# An agent slower than this share of its speed keeps looking where it looked.
STILL = 0.05


@kernel
def limit(habits, room):
    """Turn and scale the velocity that each agent of a block wants to what its body can."""
    for k in range(BLOCK):
        w, nose, wanted = three(room, k + WX), three(room, k + NX), three(room, k + X)
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
        way = not_too_steep(turned(ex, ey, ez, fx, fy, fz, habits), nose, habits)
        most = 1.1 * cruise(k, habits, room)
        speed = speed if speed > habits.slowest else habits.slowest
        speed = speed if speed < most else most
        put(room, k + X, (speed * way[0], speed * way[1], speed * way[2]))


@part_of_kernel
def turned(ex, ey, ez, fx, fy, fz, habits):
    """A unit vector turned towards another, as far as an agent turns in a decision."""
    cosine = ex * fx + ey * fy + ez * fz
    cosine = cosine if cosine > -1.0 else -1.0
    cosine = cosine if cosine < 1.0 else 1.0
    rx, ry, rz = fx - cosine * ex, fy - cosine * ey, fz - cosine * ez
    size = math.sqrt(rx * rx + ry * ry + rz * rz)
    # Straight back: any way round, level if there is one.
    is_back, is_level = size < 1e-9, abs(ez) < 0.99
    rx = (ey if is_level else 1.0) if is_back else rx
    ry = (-ex if is_level else 0.0) if is_back else ry
    rz = 0.0 if is_back else rz
    size = math.sqrt(rx * rx + ry * ry + rz * rz)
    # Lanes without an agent have no way at all.
    c, s = habits.turn_cosine, habits.turn_sine / (size if size > TINY else TINY)
    gx, gy, gz = c * ex + s * rx, c * ey + s * ry, c * ez + s * rz
    size = math.sqrt(gx * gx + gy * gy + gz * gz)
    scale = 1.0 / (size if size > TINY else TINY)
    is_free = cosine >= habits.turn_cosine
    return fx if is_free else scale * gx, fy if is_free else scale * gy, fz if is_free else scale * gz


@part_of_kernel
def not_too_steep(way, nose, habits):
    """A unit vector (3) that climbs or dives no more than agents can; straight up and down it goes to the nose."""
    ex, ey, ez = way
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
