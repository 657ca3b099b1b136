"""Exchange of impulses between agents and the particles around them; see `immersion` for its law."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ..compiler.prefetch import fetch
from ..solver.neighbors import Grid
from ..solver.neighbors.lists import scan

# Maximum number of particles that carry an agent.
MOST = 64
# Agents in one task of a thread; positions in one.
TASK, ROWS = 64, 1024
# Thickness of a layer of agents in cells. Cells of agents are wider than the reach by the fraction ROUNDING, so that
# layers two apart have no particle in common.
LAYER, ROUNDING = 2, 1e-3
# Particles are prefetched this many places ahead.
AHEAD = 8
# Sum of the kernel (1 - d / reach)² within a fluid at rest, 4 pi REACH³ / 30. An agent is fully supported where the sum
# exceeds the fraction IN of it, and not at all below the fraction OUT.
FULL_SUM, OUT, IN = 3.351, 0.25, 0.55
# Fewer particles, or nearly coplanar ones, do not determine the flow.
FEWEST, FLAT = 6, 1e-3


class Neighborhoods(NamedTuple):
    """Neighbourhoods of agents, sorted by cell: the particles around each, and their weights.

    Attributes:
        ids: (a,) int64 particles of the agents; columns: (3, a + 16) float32 their positions [m].
        stream_order: (p,) int32 rows of the stream in the order of their cells.
        scratch: (tasks, MOST + 16) int32.
        offsets: (tasks, 4 MOST) vectors from an agent to the particles around it [m], and their kernel values.
        other: (a, MOST) int32 rows of the stream; weight: (a, MOST); count: (a,).
        impulse: (a, 3) on each agent [kg m/s].
    """

    ids: np.ndarray
    columns: np.ndarray
    stream_order: np.ndarray
    scratch: np.ndarray
    offsets: np.ndarray
    other: np.ndarray
    weight: np.ndarray
    count: np.ndarray
    impulse: np.ndarray


class AgentColumns(NamedTuple):
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

    The number of layers is even: the first and the last are neighbours, because the table of cells is periodic.
    """
    plane, height = int(agents.size[0] * agents.size[1]), int(agents.size[2])
    layers = max(height // LAYER // 2 * 2, 2)
    first = np.arange(layers) * LAYER if height >= layers * LAYER else np.zeros(layers, dtype=np.int64)
    return np.append(agents.start[plane * first], agents.count).astype(np.int64)


@parallel_kernel
def take_points(ids, x, is_idle, points):
    """A stream's positions x (p, 3) in single precision: points (p, 3) [m]; NaN for idle particles.

    Args: ids: (p,) of the stream's particles; is_idle: (n,) bool, of all particles.
    """
    for task in prange((ids.shape[0] + ROWS - 1) // ROWS):
        for n in range(ROWS * task, min(ROWS * (task + 1), ids.shape[0])):
            for k in range(3):
                points[n, k] = math.nan if is_idle[ids[n]] else x[n, k]


@parallel_kernel
def compute_impulses(among, table, swimmers, stream, h):
    """Compute the impulse of every agent, and the weights of its reaction."""
    for task in prange((among.ids.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), among.ids.shape[0])):
            compute_impulse(a, among, table, swimmers, stream, h, among.scratch[task], among.offsets[task])


@kernel
def compute_impulse(a, among, table, swimmers, stream, h, scratch, offsets):
    """Compute the impulse of one agent; one with too few particles around it is outside the fluid."""
    i = among.ids[a]
    count = min(scan(among.columns, table, a, -1, scratch), MOST)
    among.count[a] = 0
    find_offsets(a, i, count, among, float(table.reach), stream, swimmers.x, scratch, offsets)
    sums = moments(count, offsets)
    if swimmers.swims[i] > 0.0:
        swimmers.hold[i] = min(max((sums[0] / FULL_SUM - OUT) / (IN - OUT), 0.0), 1.0)
    deficit = swimmers.swims[i] * (1.0 - min(sums[0] / FULL_SUM, 1.0))
    for k in range(3):
        swimmers.inward[i, k] = deficit * sums[1 + k] / max(sums[0] * table.reach, 1e-300)
        among.impulse[a, k] = 0.0
    is_determined, constant, bx, by, bz = weights_of(sums, float(table.reach))
    if count < FEWEST or not is_determined:
        return
    total_inv_mass = swimmers.inv_mass[i]
    ux, uy, uz = 0.0, 0.0, 0.0
    other, weight, v = among.other[a], among.weight[a], stream.v
    for n in range(count):
        dx, dy, dz, near = offsets[n], offsets[n + MOST], offsets[n + 2 * MOST], offsets[n + 3 * MOST]
        j, w = other[n], near * (constant + bx * dx + by * dy + bz * dz)
        weight[n] = w
        total_inv_mass += w * w * stream.inv_mass[stream.kind[j]]
        ux += w * v[j, 0]
        uy += w * v[j, 1]
        uz += w * v[j, 2]
    among.count[a] = count
    effective_mass = -np.expm1(-swimmers.grip[i] * h * total_inv_mass / swimmers.inv_mass[i]) / total_inv_mass
    for k in range(3):
        u = ux if k == 0 else uy if k == 1 else uz
        if swimmers.swims[i] > 0.0:
            swimmers.flow[i, k] = u
        among.impulse[a, k] = effective_mass * (u + swimmers.own[i, k] - swimmers.v[i, k])


@part_of_kernel
def find_offsets(a, i, count, among, reach, stream, x, scratch, offsets):
    """The particles around agent a, the offsets to them, and the kernel value of each."""
    px, py, pz = x[i, 0] - stream.origin[0], x[i, 1] - stream.origin[1], x[i, 2] - stream.origin[2]
    other, there = among.other[a], stream.x
    for n in range(count):
        j = among.stream_order[scratch[n]]
        other[n] = j
        fetch(there, among.stream_order[scratch[min(n + AHEAD, count - 1)]])
        fetch(stream.v, j)
        offsets[n], offsets[n + MOST], offsets[n + 2 * MOST] = there[j, 0] - px, there[j, 1] - py, there[j, 2] - pz
    # Without branches and always for the maximum number of particles, so that LLVM vectorizes it.
    for n in range(MOST):
        dx, dy, dz = offsets[n], offsets[n + MOST], offsets[n + 2 * MOST]
        near = 1.0 - math.sqrt(dx * dx + dy * dy + dz * dz) / reach
        near = near if near > 0.0 else 0.0
        offsets[n + 3 * MOST] = near * near


@part_of_kernel
def moments(count, offsets):
    """Sums over the particles around an agent: of the kernel, kernel times offset, kernel times outer product."""
    s, sx, sy, sz = 0.0, 0.0, 0.0, 0.0
    xx, yy, zz, xy, yz, zx = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for n in range(count):
        dx, dy, dz, w = offsets[n], offsets[n + MOST], offsets[n + 2 * MOST], offsets[n + 3 * MOST]
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
    det = xx * ax + xy * ay + zx * az
    if not det > FLAT * (s * reach * reach / 30.0) ** 3:
        return False, 0.0, 0.0, 0.0, 0.0
    gx = (ax * sx + ay * sy + az * sz) / det
    gy = (ay * sx + by * sy + bz * sz) / det
    gz = (az * sx + bz * sy + cz * sz) / det
    remainder = s - (sx * gx + sy * gy + sz * gz)
    if not remainder > FLAT * s:
        return False, 0.0, 0.0, 0.0, 0.0
    c = 1.0 / remainder
    return True, c, -c * gx, -c * gy, -c * gz


@parallel_kernel
def apply_impulses(among, layers, swimmers, stream):
    """Apply all impulses. Layers two apart have no particle in common, so sums do not depend on threads.

    Args: layers: see `layers_of`.
    """
    for parity in range(2):
        for half in prange((layers.shape[0] - parity) // 2):
            layer = 2 * half + parity
            for a in range(layers[layer], layers[layer + 1]):
                apply_impulse(a, among, swimmers, stream)


@kernel
def apply_impulse(a, among, swimmers, stream):
    """Apply the impulse of one agent."""
    i, v = among.ids[a], stream.v
    jx, jy, jz = among.impulse[a, 0], among.impulse[a, 1], among.impulse[a, 2]
    swimmers.v[i, 0] += swimmers.inv_mass[i] * jx
    swimmers.v[i, 1] += swimmers.inv_mass[i] * jy
    swimmers.v[i, 2] += swimmers.inv_mass[i] * jz
    for n in range(among.count[a]):
        j = among.other[a, n]
        scale = stream.inv_mass[stream.kind[j]] * among.weight[a, n]
        v[j, 0] -= scale * jx
        v[j, 1] -= scale * jy
        v[j, 2] -= scale * jz
