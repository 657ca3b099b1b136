"""Links from agents of a flock to what they pull: ropes, bodies, colliders, each other.

A link is a spring with a dashpot, implicit in time: with its elongation C, the rate u of C, the inverse masses w of its
ends, stiffness k and damping c,

    impulse = h (k C + (h k + c) u) / (1 + h w (h k + c))

Links are solved one after another, several times, so that an agent with several ropes does not overshoot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compiler.kernels import kernel
from ..step.stage import Stage
from ..world.builder import Builder
from ..world.push import push
from ..world.world import Model, State, World
from .base import Interaction

# Gauss-Seidel iterations over the links in a substep.
ROUNDS = 4


class LinkRows(NamedTuple):
    """Links: pairs (m, 2) int64 of particles; rest (m,) [m]; stiffness, damping (m,); inv_mass (m, 2) [1/kg].

    `impulse`: (m,) accumulated in the running substep [kg m/s].
    """

    pairs: np.ndarray
    rest: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    inv_mass: np.ndarray
    impulse: np.ndarray


class Leashes(Interaction):
    """All links to agents, see `Builder.leashes`."""

    def __init__(self, _rules: Sequence[Any], builder: Builder, model: Model, _state: State) -> None:
        """Collect inverse masses; a particle of a rigid body has that of the whole body."""
        pairs, rest, stiffness, damping = builder.leashes
        inv_mass, self._is_rigid = model.inv_mass[pairs], np.zeros(pairs.shape, dtype=bool)
        if builder.rigid is not None:
            rigid = builder.rigid
            self._is_rigid = (pairs >= rigid.own.start) & (pairs < rigid.own.stop)
            of = np.searchsorted(rigid.start, pairs[self._is_rigid], side="right") - 1
            inv_mass[self._is_rigid] = 1.0 / rigid.mass[of]
        self._rows = LinkRows(pairs, rest, stiffness, damping, inv_mass, np.zeros(len(pairs)))

    def acts(self) -> bool:
        """Whether there are any links."""
        return len(self._rows.pairs) > 0

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """Apply the links in FORCE; rigid bodies get force and torque at the point of the link."""
        if stage is not Stage.FORCE:
            return
        rows, state = self._rows, world.state
        before = state.v[rows.pairs[self._is_rigid]]
        pull(rows, state.x, h, ROUNDS, state.v)
        if not self._is_rigid.any():
            return
        # Particles of rigid bodies have no velocity of their own.
        state.v[rows.pairs[self._is_rigid]] = before
        along = state.x[rows.pairs[:, 1]] - state.x[rows.pairs[:, 0]]
        along /= np.maximum(np.linalg.norm(along, axis=1), 1e-300)[:, None]
        force = (rows.impulse / h)[:, None] * along
        for side, sign in ((0, 1.0), (1, -1.0)):
            mine = self._is_rigid[:, side]
            push(world, rows.pairs[mine, side], sign * force[mine], h)


@kernel
def pull(rows, x, h, rounds, v):
    """Solve all links; v (n, 3) is in and out."""
    for m in range(rows.pairs.shape[0]):
        rows.impulse[m] = 0.0
    for _ in range(rounds):
        for m in range(rows.pairs.shape[0]):
            i, j = rows.pairs[m, 0], rows.pairs[m, 1]
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            d = np.sqrt(dx * dx + dy * dy + dz * dz)
            if not d > 0.0:
                continue
            nx, ny, nz = dx / d, dy / d, dz / d
            speed = nx * (v[j, 0] - v[i, 0]) + ny * (v[j, 1] - v[i, 1]) + nz * (v[j, 2] - v[i, 2])
            w = rows.inv_mass[m, 0] + rows.inv_mass[m, 1]
            slope = h * rows.stiffness[m] + rows.damping[m]
            wanted = h * (rows.stiffness[m] * (d - rows.rest[m]) + slope * speed) - rows.impulse[m]
            give = wanted / (1.0 + h * w * slope)
            rows.impulse[m] += give
            for k in range(3):
                n = nx if k == 0 else ny if k == 1 else nz
                v[i, k] += rows.inv_mass[m, 0] * give * n
                v[j, k] -= rows.inv_mass[m, 1] * give * n
