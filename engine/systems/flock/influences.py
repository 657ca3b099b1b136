"""Influences on an agent besides its own flock: predators, and the bodies that the rules Flee, Seek and Follow name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, prange
from ...errors import SpecError
from ...solver.neighbors import Grid
from ...solver.neighbors.grid import cells_along
from ...solver.neighbors.lists import wrapped
from ...spec import names_of
from ...world.builder import Builder
from .columns import Agents, SightTable
from .nature import LEADS
from .nearest import TASK

# Kinds of urges, by `Rule.urge`; LEAD: leaders of the flock itself influence the other agents.
FLEE, SEEK, FOLLOW, LEAD = 0, 1, 2, 3
URGES = {"FLEE": FLEE, "SEEK": SEEK, "FOLLOW": FOLLOW}


class Urge(NamedTuple):
    """Response to the nearest source: kind, strength, reach [m], and gap [m], the distance that a follower keeps.

    `is_line`: followers go in single file.
    """

    kind: int
    strength: float
    reach: float
    gap: float
    is_line: bool


@dataclass
class Influence:
    """Particles of other bodies that a flock responds to; args: ids: (m,) particles of the world."""

    urge: Urge
    ids: np.ndarray


def influences_of(name: str, rules: Sequence[Any], builder: Builder) -> list[Influence]:
    """Influences on a flock by the rules of a world, once all bodies exist.

    Raises:
        SpecError: a flock that flees, seeks or follows itself.
    """
    found = []
    for rule in rules:
        if not getattr(rule, "urge", "") or not {name, "*"} & set(names_of(rule.a)):
            continue
        others = set(names_of(rule.b))
        if name in others:
            raise SpecError(
                name, rule.label, f"itself on both sides, {name} and {name}", "another system as the one it heeds"
            )
        meant = [body for body in builder.bodies if body.name != name and {body.name, "*"} & others]
        ids = np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(one.start, one.stop) for one in meant)])
        urge = Urge(
            URGES[rule.urge], float(getattr(rule, "strength", 1.0)), float(rule.reach),
            float(getattr(rule, "gap", 0.0)), bool(getattr(rule, "in_line", False)),
        )
        if len(ids):
            found.append(Influence(urge, ids))
    return found


def heed(
    urge: Urge, sources: np.ndarray, velocities: np.ndarray, flock: tuple[np.ndarray, np.ndarray, Agents],
    top: float, per_reaction: float,
) -> None:
    """Add the response of every agent of a flock to an urge to `flee`, `seek` and `fright`.

    Args:
        sources, velocities: (m, 3) positions and velocities of the sources [m], [m/s].
        flock: positions and velocities (n, 3) of agents, and their state.
        top: their largest speed [m/s]; per_reaction: 1 / reaction [1/s].
    """
    if len(sources) == 0:
        return
    x, v, agents = flock
    grid = Grid(urge.reach)
    grid.sort(sources.astype(np.float32))
    table = SightTable(grid.frame, grid.size, grid.start, grid.columns, grid.order)
    heed_nearest(urge, table, np.ascontiguousarray(velocities), x, v, agents, top, per_reaction)


@parallel_kernel
def heed_nearest(urge, table, velocities, x, v, agents, top, per_reaction):
    """Add every agent's response to the nearest source within reach."""
    for task in prange((x.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), x.shape[0])):
            if urge.kind == LEAD and agents.mind[a, LEADS] > 0.0:
                continue
            j, square = nearest_source(table, np.float32(x[a, 0]), np.float32(x[a, 1]), np.float32(x[a, 2]), urge.reach)
            if j >= 0:
                heed_one(a, j, square, urge, table, velocities, x, v, agents, top, per_reaction)


@kernel
def nearest_source(table, px, py, pz, reach):
    """The sorted place of the nearest source, -1 for none within reach [m], and the square of its distance [m²]."""
    best, found = np.float32(reach * reach), -1
    nx, ny, nz = table.size[0], table.size[1], table.size[2]
    x = int(math.floor(cells_along(px, table.frame[0], table.frame[3])))
    y = int(math.floor(cells_along(py, table.frame[1], table.frame[3])))
    z = int(math.floor(cells_along(pz, table.frame[2], table.frame[3])))
    for dz in range(-1, 2):
        for dy in range(-1, 2):
            row = (wrapped(z % nz + dz, nz) * ny + wrapped(y % ny + dy, ny)) * nx
            for dx in range(-1, 2):
                cell = row + wrapped(x % nx + dx, nx)
                for j in range(table.start[cell], table.start[cell + 1]):
                    square = (table.columns[0, j] - px) ** 2 + (table.columns[1, j] - py) ** 2 + (
                        table.columns[2, j] - pz) ** 2
                    if square < best:
                        best, found = square, j
    return found, best


@kernel
def heed_one(a, j, square, urge, table, velocities, x, v, agents, top, per_reaction):
    """Add the response of agent a to the source at sorted place j; args: square: of their distance [m²]."""
    d = math.sqrt(square)
    j_id = table.place[j]
    if urge.kind == FLEE:
        fraction = urge.strength * (1.0 - d / urge.reach)
        for k in range(3):
            agents.flee[a, k] += fraction * (x[a, k] - table.columns[k, j]) / max(d, 1e-6)
        agents.fright[a] = min(1.0, agents.fright[a] + fraction)
        return
    is_behind_another = urge.kind == FOLLOW and urge.is_line and a > 0
    sx, sy, sz = float(table.columns[0, j]), float(table.columns[1, j]), float(table.columns[2, j])
    ux, uy, uz = velocities[j_id, 0], velocities[j_id, 1], velocities[j_id, 2]
    if is_behind_another:
        sx, sy, sz = x[a - 1, 0], x[a - 1, 1], x[a - 1, 2]
        ux, uy, uz = v[a - 1, 0], v[a - 1, 1], v[a - 1, 2]
    if urge.kind == SEEK:
        ux, uy, uz = 0.0, 0.0, 0.0
    rx, ry, rz = sx - x[a, 0], sy - x[a, 1], sz - x[a, 2]
    far = math.sqrt(rx * rx + ry * ry + rz * rz)
    # A follower nearer than the gap falls back.
    scale = top / max(far, 1e-6)
    if urge.kind == FOLLOW:
        scale = per_reaction * (far - urge.gap) / max(far, 1e-6)
    elif urge.kind == LEAD:
        # The leader's velocity, plus a velocity towards it that grows with distance.
        scale = top * max(far - urge.gap, 0.0) / (urge.reach * max(far, 1e-6))
    wx, wy, wz = ux + scale * rx, uy + scale * ry, uz + scale * rz
    size = math.sqrt(wx * wx + wy * wy + wz * wz)
    fraction = 1.0 if size <= top else top / size
    agents.seek[a, 0] += urge.strength * per_reaction * (fraction * wx - v[a, 0])
    agents.seek[a, 1] += urge.strength * per_reaction * (fraction * wy - v[a, 1])
    agents.seek[a, 2] += urge.strength * per_reaction * (fraction * wz - v[a, 2])
