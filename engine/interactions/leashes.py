"""Links from agents of a flock to the objects that they pull: ropes, bodies, colliders, other agents.

A link is a spring with a dashpot, implicit in time: with its elongation C, the rate u of C, the inverse masses w of its
ends, stiffness k and damping c,

    impulse = h (k C + (h k + c) u) / (1 + h w (h k + c))

Links are solved one after another, several times, so that an agent with several ropes does not overshoot. A point of a
rigid body at r from its centre has the inverse mass w = 1 / M + (r x n) . I^-1 (r x n) along the link n. Each link of a
body sees the velocity changes by its other links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compiler.kernels import kernel
from ..solver.rigid.bodies import RigidBodies
from ..solver.rotation import rotation_matrices
from ..step.stage import Stage
from ..world.builder import Builder
from ..world.push import push
from ..world.world import Model, State, World
from .base import Interaction

# Gauss-Seidel iterations over the links in a substep.
ITERATIONS = 4


class LinkRows(NamedTuple):
    """Links: pairs (m, 2) int64 of particles; rest (m,) [m]; stiffness, damping (m,); inv_mass (m, 2) [1/kg].

    `impulse`: (m,) accumulated in the running substep [kg m/s].
    `body`: (m, 2) int64, row of each end's rigid body in `motion` and `inverse`, -1 for other ends; `arm`: (m, 2, 3)
    from its centre [m]. `motion`: (b, 6) velocity and angular velocity of rigid bodies. `inverse`: (b, 10) inverse mass
    [1/kg] and inverse inertia along the world's axes [1/(kg m²)] of each.
    """

    pairs: np.ndarray
    rest: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    inv_mass: np.ndarray
    impulse: np.ndarray
    body: np.ndarray
    arm: np.ndarray
    motion: np.ndarray
    inverse: np.ndarray


class Leashes(Interaction):
    """All links to agents, see `Builder.leashes`."""

    sees_fluids = False

    def __init__(self, _rules: Sequence[Any], builder: Builder, model: Model, _state: State) -> None:
        """Find the rigid bodies that are linked."""
        pairs, rest, stiffness, damping = builder.leashes
        self._is_rigid, self._bodies = np.zeros(pairs.shape, dtype=bool), np.zeros(0, dtype=np.int64)
        body = np.full(pairs.shape, -1, dtype=np.int64)
        if builder.rigid is not None:
            rigid = builder.rigid
            self._is_rigid = (pairs >= rigid.own.start) & (pairs < rigid.own.stop)
            of = np.searchsorted(rigid.start, pairs[self._is_rigid], side="right") - 1
            self._bodies, body[self._is_rigid] = np.unique(of, return_inverse=True)
        count = len(self._bodies)
        self._rows = LinkRows(
            pairs, rest, stiffness, damping, model.inv_mass[pairs], np.zeros(len(pairs)), body,
            np.zeros((*pairs.shape, 3)), np.zeros((count, 6)), np.zeros((count, 10)),
        )

    def acts(self) -> bool:
        """Whether there are any links."""
        return len(self._rows.pairs) > 0

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """Apply the links in FORCE; rigid bodies get force and torque at the point of the link."""
        if stage is not Stage.FORCE:
            return
        rows, state = self._rows, world.state
        if self._is_rigid.any():
            self._take_bodies(world.rigid, state.x)
        pull(rows, state.x, h, ITERATIONS, state.v)
        if not self._is_rigid.any():
            return
        along = state.x[rows.pairs[:, 1]] - state.x[rows.pairs[:, 0]]
        along /= np.maximum(np.linalg.norm(along, axis=1), 1e-300)[:, None]
        force = (rows.impulse / h)[:, None] * along
        for side, sign in ((0, 1.0), (1, -1.0)):
            is_rigid = self._is_rigid[:, side]
            push(world, rows.pairs[is_rigid, side], sign * force[is_rigid], h)

    def _take_bodies(self, rigid: RigidBodies, x: np.ndarray) -> None:
        """Copy the motion and the inverse masses of the linked bodies; x (n, 3) [m]."""
        rows, some = self._rows, self._bodies
        rows.arm[self._is_rigid] = x[rows.pairs[self._is_rigid]] - rigid.position[some][rows.body[self._is_rigid]]
        axes = rotation_matrices(rigid.rotation[some])
        inverse = (axes / rigid.inertia[some][:, None, :]) @ axes.transpose(0, 2, 1)
        rows.inverse[:, 0], rows.inverse[:, 1:] = 1.0 / rigid.mass[some], inverse.reshape(-1, 9)
        rows.motion[:, :3] = rigid.velocity[some]
        rows.motion[:, 3:] = np.einsum("bij,bj->bi", inverse, rigid.angular_momentum[some])


@kernel
def pull(rows, x, h, iterations, v):
    """Solve all links; v (n, 3) and rows.motion are in and out."""
    inverse = rows.inverse
    motion = rows.motion
    arm = rows.arm
    for m in range(rows.pairs.shape[0]):
        rows.impulse[m] = 0.0
    for _ in range(iterations):
        for m in range(rows.pairs.shape[0]):
            i, j = rows.pairs[m, 0], rows.pairs[m, 1]
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            d = np.sqrt(dx * dx + dy * dy + dz * dz)
            if not d > 0.0:
                continue
            nx, ny, nz = dx / d, dy / d, dz / d
            speed = 0.0
            w = 0.0
            for side in range(2):
                sign = 2.0 * side - 1.0
                b = rows.body[m, side]
                if b < 0:
                    p = rows.pairs[m, side]
                    speed += sign * (nx * v[p, 0] + ny * v[p, 1] + nz * v[p, 2])
                    w += rows.inv_mass[m, side]
                    continue
                cx = arm[m, side, 1] * nz - arm[m, side, 2] * ny
                cy = arm[m, side, 2] * nx - arm[m, side, 0] * nz
                cz = arm[m, side, 0] * ny - arm[m, side, 1] * nx
                speed += sign * (nx * motion[b, 0] + ny * motion[b, 1] + nz * motion[b, 2])
                speed += sign * (cx * motion[b, 3] + cy * motion[b, 4] + cz * motion[b, 5])
                w += inverse[b, 0]
                w += cx * (inverse[b, 1] * cx + inverse[b, 2] * cy + inverse[b, 3] * cz)
                w += cy * (inverse[b, 4] * cx + inverse[b, 5] * cy + inverse[b, 6] * cz)
                w += cz * (inverse[b, 7] * cx + inverse[b, 8] * cy + inverse[b, 9] * cz)
            slope = h * rows.stiffness[m] + rows.damping[m]
            required = h * (rows.stiffness[m] * (d - rows.rest[m]) + slope * speed) - rows.impulse[m]
            change = required / (1.0 + h * w * slope)
            rows.impulse[m] += change
            for side in range(2):
                impulse = (1.0 - 2.0 * side) * change
                b = rows.body[m, side]
                if b < 0:
                    p = rows.pairs[m, side]
                    v[p, 0] += rows.inv_mass[m, side] * impulse * nx
                    v[p, 1] += rows.inv_mass[m, side] * impulse * ny
                    v[p, 2] += rows.inv_mass[m, side] * impulse * nz
                    continue
                cx = impulse * (arm[m, side, 1] * nz - arm[m, side, 2] * ny)
                cy = impulse * (arm[m, side, 2] * nx - arm[m, side, 0] * nz)
                cz = impulse * (arm[m, side, 0] * ny - arm[m, side, 1] * nx)
                motion[b, 0] += inverse[b, 0] * impulse * nx
                motion[b, 1] += inverse[b, 0] * impulse * ny
                motion[b, 2] += inverse[b, 0] * impulse * nz
                motion[b, 3] += inverse[b, 1] * cx + inverse[b, 2] * cy + inverse[b, 3] * cz
                motion[b, 4] += inverse[b, 4] * cx + inverse[b, 5] * cy + inverse[b, 6] * cz
                motion[b, 5] += inverse[b, 7] * cx + inverse[b, 8] * cy + inverse[b, 9] * cz
