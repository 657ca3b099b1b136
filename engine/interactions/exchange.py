"""Exchange of impulses between agents and the particles around them; see `immersion` for its law."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ..compiler.prefetch import fetch
from ..solver.neighbors import Grid
from ..solver.neighbors.lists import scan

# At most so many particles carry an agent.
MOST = 64
# Agents in one task of a thread; positions in one.
TASK, ROWS = 64, 1024
# Layers of agents are so many cells thick. Cells of agents are wider than the reach by this share, so that layers
# two apart have no particle in common.
LAYER, ROUNDING = 2, 1e-3
# Particles are prefetched so many places ahead.
AHEAD = 8
# Sum of the kernel (1 - d / reach)² within a fluid at rest, 4 pi REACH³ / 30. An agent is fully supported where the sum
# exceeds the fraction IN of it, and not at all below the fraction OUT.
WHOLE, OUT, IN = 3.351, 0.25, 0.55
# Fewer particles, or nearly coplanar ones, do not determine the flow.
FEWEST, FLAT = 6, 1e-3


class Among(NamedTuple):
    """Neighbourhoods of agents, in the order of the cells they are in: the particles around each, and their weights.

    Attributes:
        ids: (a,) int64 particles of the agents; columns: (3, a + 16) float32 their positions [m].
        there: (p,) int32 rows of the stream in the order of their cells.
        room: (tasks, MOST + 16) int32; apart: (tasks, 4 MOST) ways to the particles around an agent [m], and kernels.
        other: (a, MOST) int32 rows of the stream; weight: (a, MOST); count: (a,).
        impulse: (a, 3) on each agent [kg m/s].
    """

    ids: np.ndarray
    columns: np.ndarray
    there: np.ndarray
    room: np.ndarray
    apart: np.ndarray
    other: np.ndarray
    weight: np.ndarray
    count: np.ndarray
    impulse: np.ndarray


class Swimmers(NamedTuple):
    """Columns of the world: x and v (n, 3), inv_mass (n,), and the agents' own columns."""

    x: np.ndarray
    v: np.ndarray
    inv_mass: np.ndarray
    own: np.ndarray
    flow: np.ndarray
    inward: np.ndarray
    hold: np.ndarray
    grip: np.ndarray
    swims: np.ndarray


def layers_of(agents: Grid) -> np.ndarray:
    """First agent of each layer of LAYER cells or more along z, and their number: (layers + 1,) int64.

    Layers are an even number: the first and the last are side by side where the table of cells repeats.
    """
    plane, height = int(agents.size[0] * agents.size[1]), int(agents.size[2])
    layers = max(height // LAYER // 2 * 2, 2)
    first = np.arange(layers) * LAYER if height >= layers * LAYER else np.zeros(layers, dtype=np.int64)
    return np.append(agents.start[plane * first], agents.count).astype(np.int64)


@parallel_kernel
def take_points(ids, x, is_idle, points):
    """A stream's positions x (p, 3) in single precision: points (p, 3) [m]; those of idle particles are nowhere.

    Args: ids: (p,) of the stream's particles; is_idle: (n,) bool, of all particles.
    """
    for task in prange((ids.shape[0] + ROWS - 1) // ROWS):
        for n in range(ROWS * task, min(ROWS * (task + 1), ids.shape[0])):
            for k in range(3):
                points[n, k] = math.nan if is_idle[ids[n]] else x[n, k]


@parallel_kernel
def carry_all(among, table, swimmers, stream, h):
    """Compute the impulse of every agent, and the weights of its reaction."""
    for task in prange((among.ids.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), among.ids.shape[0])):
            carry_one(a, among, table, swimmers, stream, h, among.room[task], among.apart[task])


@kernel
def carry_one(a, among, table, swimmers, stream, h, room, apart):
    """Compute the impulse of one agent; one with too few particles around it is outside the fluid."""
    i = among.ids[a]
    count = min(scan(among.columns, table, a, -1, room), MOST)
    among.count[a] = 0
    find_ways(a, i, count, among, float(table.reach), stream, swimmers.x, room, apart)
    sums = moments(count, apart)
    if swimmers.swims[i] > 0.0:
        swimmers.hold[i] = min(max((sums[0] / WHOLE - OUT) / (IN - OUT), 0.0), 1.0)
    lack = swimmers.swims[i] * (1.0 - min(sums[0] / WHOLE, 1.0))
    for k in range(3):
        swimmers.inward[i, k] = lack * sums[1 + k] / max(sums[0] * table.reach, 1e-300)
        among.impulse[a, k] = 0.0
    is_told, constant, bx, by, bz = weights_of(sums, float(table.reach))
    if count < FEWEST or not is_told:
        return
    lightness = swimmers.inv_mass[i]
    ux, uy, uz = 0.0, 0.0, 0.0
    other, weight, v = among.other[a], among.weight[a], stream.v
    for n in range(count):
        dx, dy, dz, near = apart[n], apart[n + MOST], apart[n + 2 * MOST], apart[n + 3 * MOST]
        j, w = other[n], near * (constant + bx * dx + by * dy + bz * dz)
        weight[n] = w
        lightness += w * w * stream.inv_mass[stream.kind[j]]
        ux += w * v[j, 0]
        uy += w * v[j, 1]
        uz += w * v[j, 2]
    among.count[a] = count
    share = -np.expm1(-swimmers.grip[i] * h * lightness / swimmers.inv_mass[i]) / lightness
    for k in range(3):
        u = ux if k == 0 else uy if k == 1 else uz
        if swimmers.swims[i] > 0.0:
            swimmers.flow[i, k] = u
        among.impulse[a, k] = share * (u + swimmers.own[i, k] - swimmers.v[i, k])


@part_of_kernel
def find_ways(a, i, count, among, reach, stream, x, room, apart):
    """The particles around agent a, the ways to them, and the kernel of each."""
    px, py, pz = x[i, 0] - stream.origin[0], x[i, 1] - stream.origin[1], x[i, 2] - stream.origin[2]
    other, there = among.other[a], stream.x
    for n in range(count):
        j = among.there[room[n]]
        other[n] = j
        fetch(there, among.there[room[min(n + AHEAD, count - 1)]])
        fetch(stream.v, j)
        apart[n], apart[n + MOST], apart[n + 2 * MOST] = there[j, 0] - px, there[j, 1] - py, there[j, 2] - pz
    # Without branches and for as many as there may be, so that LLVM vectorizes it.
    for n in range(MOST):
        dx, dy, dz = apart[n], apart[n + MOST], apart[n + 2 * MOST]
        near = 1.0 - math.sqrt(dx * dx + dy * dy + dz * dz) / reach
        near = near if near > 0.0 else 0.0
        apart[n + 3 * MOST] = near * near


@part_of_kernel
def moments(count, apart):
    """Sums over the particles around an agent: of the kernel, kernel times offset, kernel times outer product."""
    s, sx, sy, sz = 0.0, 0.0, 0.0, 0.0
    xx, yy, zz, xy, yz, zx = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for n in range(count):
        dx, dy, dz, w = apart[n], apart[n + MOST], apart[n + 2 * MOST], apart[n + 3 * MOST]
        wx, wy, wz = w * dx, w * dy, w * dz
        s += w
        sx += wx
        sy += wy
        sz += wz
        xx += wx * dx
        yy += wy * dy
        zz += wz * dz
        xy += wx * dy
        yz += wy * dz
        zx += wz * dx
    return s, sx, sy, sz, xx, yy, zz, xy, yz, zx


@kernel
def weights_of(sums, reach):
    """Whether weights exist, and c and b of their formula: weight = kernel (c + b . offset)."""
    s, sx, sy, sz, xx, yy, zz, xy, yz, zx = sums
    ax, ay, az = yy * zz - yz * yz, zx * yz - xy * zz, xy * yz - yy * zx
    by, bz, cz = xx * zz - zx * zx, xy * zx - xx * yz, xx * yy - xy * xy
    whole = xx * ax + xy * ay + zx * az
    if not whole > FLAT * (s * reach * reach / 30.0) ** 3:
        return False, 0.0, 0.0, 0.0, 0.0
    gx = (ax * sx + ay * sy + az * sz) / whole
    gy = (ay * sx + by * sy + bz * sz) / whole
    gz = (az * sx + bz * sy + cz * sz) / whole
    left = s - (sx * gx + sy * gy + sz * gz)
    if not left > FLAT * s:
        return False, 0.0, 0.0, 0.0, 0.0
    c = 1.0 / left
    return True, c, -c * gx, -c * gy, -c * gz


@parallel_kernel
def give_back(among, layers, swimmers, stream):
    """Apply all impulses. Layers of cells two apart have no particle in common, so sums do not depend on threads.

    Args: layers: see `layers_of`.
    """
    for turn in range(2):
        for half in prange((layers.shape[0] - turn) // 2):
            layer = 2 * half + turn
            for a in range(layers[layer], layers[layer + 1]):
                give_one_back(a, among, swimmers, stream)


@kernel
def give_one_back(a, among, swimmers, stream):
    """Apply the impulse of one agent."""
    i, v = among.ids[a], stream.v
    jx, jy, jz = among.impulse[a, 0], among.impulse[a, 1], among.impulse[a, 2]
    swimmers.v[i, 0] += swimmers.inv_mass[i] * jx
    swimmers.v[i, 1] += swimmers.inv_mass[i] * jy
    swimmers.v[i, 2] += swimmers.inv_mass[i] * jz
    for n in range(among.count[a]):
        j = among.other[a, n]
        share = stream.inv_mass[stream.kind[j]] * among.weight[a, n]
        v[j, 0] -= share * jx
        v[j, 1] -= share * jy
        v[j, 2] -= share * jz
