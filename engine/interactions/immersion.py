"""Agents among particles of a fluid: drag and buoyancy, with the opposite impulse on the fluid.

The fluid velocity at an agent is the weighted mean u = sum w_j v_j over the particles around it, with weights that obey

    sum w_j = 1,   sum w_j (x_j - x) = 0

so it is exact for linear velocity fields (rotation and shear), and the reaction, -w_j J on each particle, adds neither
net force nor net moment. The impulse J drives the agent's velocity towards u plus the velocity it wants relative to the
fluid. It is exact for a single agent and its particles, and limited in rate by the agent's grip.

Because the exchange over a time is exact, it need not come in every substep: with many, some `EXCHANGES` a frame are
given, each for the substeps that follow until the next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ..compiler.prefetch import fetch
from ..solver.neighbors import Grid
from ..solver.neighbors.lists import LANES, Table, scan
from ..spec import Ignore
from ..spec.rules import CONTACT
from ..step.stage import Stage
from ..world.builder import Builder
from ..world.controls import Controls
from ..world.world import Model, State, World
from .base import Interaction
from .matching import fits

# Particles within so many spacings carry an agent; at most the second number of them count.
REACH, MOST = 2.0, 64
# Agents, and particles, in one task of a thread.
TASK = 64
# Particles are prefetched so many places ahead.
AHEAD = 8
# Exchanges a frame where there are more substeps than that.
EXCHANGES = 2
# Sum of the kernel (1 - d / reach)² within a fluid at rest, 4 pi REACH³ / 30. An agent is fully supported where the sum
# exceeds the fraction IN of it, and not at all below the fraction OUT.
WHOLE, OUT, IN = 3.351, 0.25, 0.55
# Fewer particles, or nearly coplanar ones, do not determine the flow.
FEWEST, FLAT = 6, 1e-3


class Among(NamedTuple):
    """Neighbourhoods of agents, in the order of the cells they are in: the particles around each, and their weights.

    Attributes:
        ids: (a,) int64 particles of the agents; columns: (3, a + 16) float32 their positions [m].
        there: (p,) int64 the fluid's particles in the order of their cells.
        room: (tasks, MOST + 16) int32; apart: (tasks, 4 MOST) ways to the particles around an agent [m], and kernels.
        other: (a, MOST) int32 particles of the world; weight: (a, MOST); count: (a,).
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
    """Columns of the world: v (n, 3), inv_mass (n,), and the agents' own columns."""

    v: np.ndarray
    inv_mass: np.ndarray
    own: np.ndarray
    flow: np.ndarray
    inward: np.ndarray
    hold: np.ndarray
    grip: np.ndarray
    swims: np.ndarray


class Immersion(Interaction):
    """Interaction of fluid particles with agents."""

    def __init__(self, rules: Sequence[Any], builder: Builder, model: Model, state: State) -> None:
        """Find agents and carrying bodies; an Ignore rule between two bodies also switches this off for them."""
        names, bodies = [body.name for body in builder.bodies], builder.bodies
        meets = np.outer([b.traits.steers for b in bodies], [b.traits.carries for b in bodies]).astype(bool)
        for rule in rules:
            if rule.family == CONTACT:
                meets &= ~fits(rule, names) if isinstance(rule, Ignore) else True
        self._ids = _of(bodies, np.array([body.traits.steers for body in bodies], dtype=bool))
        self._carrying = np.zeros(len(state.x), dtype=bool)
        self._carrying[_of(bodies, meets.any(axis=0))] = True
        self._carries = bool(self._carrying.any())
        radius = model.radius[self._carrying]
        self._reach = 2.0 * REACH * float(radius.max(initial=1e-3))
        count = len(self._ids)
        self._room = np.zeros((-(-count // TASK), MOST + LANES), dtype=np.int32)
        self._other, self._weight = np.zeros((count, MOST), dtype=np.int32), np.zeros((count, MOST))
        self._count, self._impulse = np.zeros(count, dtype=np.int32), np.zeros((count, 3))
        self._apart = np.zeros((len(self._room), 4 * MOST))
        self._grid, self._agents = Grid(self._reach), Grid(self._reach)
        self._points, self._places = (np.zeros((size, 3), dtype=np.float32) for size in (0, count))
        self._substep, self._every = 0, 1

    @property
    def sees_fluids(self) -> bool:
        """Whether it exchanges impulses in this substep: in the others particles need not be shown to it."""
        return self._carries and self._substep % self._every == 0

    def acts(self) -> bool:
        """Whether there are agents."""
        return len(self._ids) > 0

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Count substeps anew."""
        self._substep, self._every = 0, -(-world.substeps // EXCHANGES)

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """Exchange impulses in FORCE, for this substep and those until the next exchange."""
        if stage is not Stage.FORCE or not self._carries:
            return
        exchanges, substep = self.sees_fluids, self._substep
        self._substep += 1
        if not exchanges:
            return
        h *= min(self._every, world.substeps - substep)
        found = [ids for system in world.systems if (ids := system.present()) is not None]
        there = np.concatenate([np.zeros(0, dtype=np.int64), *found])
        self.carry(world, there[self._carrying[there]], h)

    def carry(self, world: World, there: np.ndarray, h: float) -> None:
        """Let the fluid particles `there` (p,) carry the agents for h [s]."""
        state, model = world.state, world.model
        if len(self._points) != len(there):
            self._points = np.zeros((len(there), 3), dtype=np.float32)
        take_points(there, state.x, self._points)
        grid, agents = self._grid, self._agents
        grid.sort(self._points)
        take_points(self._ids, state.x, self._places)
        # Agents of one cell meet the same particles.
        agents.sort(self._places)
        among = Among(
            self._ids[agents.order], agents.columns, there[grid.order], self._room, self._apart, self._other,
            self._weight, self._count, self._impulse,
        )
        kept = state.columns
        swimmers = Swimmers(
            state.v, model.inv_mass,
            *(kept[name] for name in ("own", "flow", "inward", "hold", "grip", "swims")),
        )
        table = Table(grid.frame, grid.size, grid.start, grid.columns, np.float32(self._reach))
        carry_all(among, table, swimmers, state.x, h)
        give_back(among, state.v, model.inv_mass)


def _of(bodies: Sequence[Any], chosen: np.ndarray) -> np.ndarray:
    """Particles of the chosen bodies, int64."""
    ranges = [np.arange(body.start, body.stop) for body, is_meant in zip(bodies, chosen, strict=True) if is_meant]
    return np.concatenate([np.zeros(0, dtype=np.int64), *ranges])


@parallel_kernel
def take_points(there, x, points):
    """Positions of some particles, there (p,), in single precision: points (p, 3) [m]."""
    for task in prange((there.shape[0] + TASK - 1) // TASK):
        for n in range(TASK * task, min(TASK * (task + 1), there.shape[0])):
            for k in range(3):
                points[n, k] = x[there[n], k]


@parallel_kernel
def carry_all(among, table, swimmers, x, h):
    """Compute the impulse of every agent, and the weights of its reaction."""
    for task in prange((among.ids.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), among.ids.shape[0])):
            carry_one(a, among, table, swimmers, x, h, among.room[task], among.apart[task])


@kernel
def carry_one(a, among, table, swimmers, x, h, room, apart):
    """Compute the impulse of one agent; one with too few particles around it is outside the fluid."""
    i = among.ids[a]
    count = min(scan(among.columns, table, a, -1, room), MOST)
    among.count[a] = 0
    find_ways(a, i, count, among, float(table.reach), x, swimmers, room, apart)
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
    other, weight, v = among.other[a], among.weight[a], swimmers.v
    for n in range(count):
        dx, dy, dz, near = apart[n], apart[n + MOST], apart[n + 2 * MOST], apart[n + 3 * MOST]
        j, w = other[n], near * (constant + bx * dx + by * dy + bz * dz)
        weight[n] = w
        lightness += w * w * swimmers.inv_mass[j]
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
def find_ways(a, i, count, among, reach, x, swimmers, room, apart):
    """The particles around agent a, the ways to them, and the kernel of each."""
    px, py, pz = x[i, 0], x[i, 1], x[i, 2]
    other = among.other[a]
    for n in range(count):
        j = among.there[room[n]]
        other[n] = j
        fetch(x, among.there[room[min(n + AHEAD, count - 1)]])
        fetch(swimmers.v, j)
        fetch(swimmers.inv_mass, j)
        apart[n], apart[n + MOST], apart[n + 2 * MOST] = x[j, 0] - px, x[j, 1] - py, x[j, 2] - pz
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


@kernel
def give_back(among, v, inv_mass):
    """Apply all impulses, agent after agent, so that sums do not depend on threads."""
    for a in range(among.ids.shape[0]):
        i = among.ids[a]
        jx, jy, jz = among.impulse[a, 0], among.impulse[a, 1], among.impulse[a, 2]
        v[i, 0] += inv_mass[i] * jx
        v[i, 1] += inv_mass[i] * jy
        v[i, 2] += inv_mass[i] * jz
        for n in range(among.count[a]):
            j = among.other[a, n]
            share = inv_mass[j] * among.weight[a, n]
            v[j, 0] -= share * jx
            v[j, 1] -= share * jy
            v[j, 2] -= share * jz
