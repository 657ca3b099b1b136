"""The hand (mouse): a spring to some particles of one body. Every world has one, usually idle."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import SpecError
from ..solver.rotation import rotation_matrix
from ..spec.check import indices, vector
from ..world.controls import Controls, Grab
from ..world.world import World
from .base import Field

# Bound on the fraction of the distance to the target that one substep may close.
BOUND = 0.25


class Hand(Field):
    """Pulls the centre of the held particles towards a target: F = k (target - x) + c (v_target - v).

    The held particles are light compared with the body, and a spring too stiff for them would make them oscillate: so
    k is at most BOUND / (h² W) and c at most BOUND / (h W), with the inverse mass W of their centre alone. Symplectic
    Euler is stable for h² k W + 2 h c W < 4. On a rigid body of mass m the force acts at the held point, with the
    torque r x F about the centre of mass; there W <= 1 / m + r² / the smallest moment of inertia.
    """

    def __init__(self) -> None:
        self._ids = np.zeros(0, dtype=np.int64)
        self._weights = np.zeros(0)
        self._inv_mass = self._stiffness = self._damping = 0.0
        self._from = self._to = np.zeros(3)
        self._speed = np.zeros(3)
        # Index of the held rigid body, -1 for soft or free particles.
        self._body, self._lever = -1, np.zeros(3)

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Start, continue or release the grab."""
        grab, before = controls.grab, (self._body, self._ids)
        if grab is None:
            self._ids = self._ids[:0]
            return
        self._hold(world, grab)
        target = vector("controls", "grab", grab.target)
        holds_on = before[0] == self._body and np.array_equal(before[1], self._ids)
        self._from = self._to if holds_on else self._held(world)[0]
        self._to = target
        # At the start of a grab the hand is at rest.
        self._speed = (self._to - self._from) * float(world.spec.frame_rate) if holds_on else np.zeros(3)

    def _held(self, world: World) -> tuple[np.ndarray, np.ndarray]:
        """Position [m] and velocity [m/s] of the held centre."""
        rigid, b = world.rigid, self._body
        if rigid is None or b < 0:
            return self._weights @ world.state.x[self._ids], self._weights @ world.state.v[self._ids]
        turned = rotation_matrix(rigid.rotation[b])
        aside, rate = turned @ self._lever, turned @ ((turned.T @ rigid.angular_momentum[b]) / rigid.inertia[b])
        return rigid.position[b] + aside, rigid.velocity[b] + np.cross(rate, aside)

    def _hold(self, world: World, grab: Grab) -> None:
        body, model, rigid = world.body(grab.system), world.model, world.rigid
        if not body.traits.is_grabbable:
            raise SpecError("controls", "grab", grab.system, "the name of a spring graph or a rigid body")
        self._body, count = -1, body.stop - body.start
        if rigid is not None and body.traits.is_rigid:
            # Indices are of the mesh's vertices, not all of which are particles.
            self._body = int(np.flatnonzero(rigid.start == body.start)[0])
            count = int(rigid.mesh_stop[self._body] - rigid.mesh_start[self._body])
        ids = indices(grab.system, "grab", grab.particles, 1, count).astype(np.int64)
        shares = np.asarray(grab.shares, dtype=np.float64)
        if shares.shape != ids.shape or not np.all(np.isfinite(shares) & (shares > 0.0)):
            raise SpecError(grab.system, "grab", "its shares", "one above 0 for each particle")
        for field in ("stiffness", "damping"):
            value = float(getattr(grab, field))
            if not (np.isfinite(value) and value >= 0.0):
                raise SpecError(grab.system, f"grab {field}", value, "a number from 0 up")
        self._stiffness, self._damping = float(grab.stiffness), float(grab.damping)
        if rigid is not None and self._body >= 0:
            self._ids, self._weights = ids, shares / shares.sum()
            self._lever = self._weights @ rigid.mesh[rigid.mesh_start[self._body] + ids]
            far = self._lever @ self._lever / rigid.inertia[self._body].min()
            self._inv_mass = float(1.0 / rigid.mass[self._body] + far)
            return
        ids += body.start
        free = model.inv_mass[ids] > 0.0
        ids, shares = ids[free], shares[free]
        weight = shares * model.mass[ids]
        total = max(float(weight.sum()), np.finfo(float).tiny)
        self._ids, self._weights = ids, weight / total
        self._inv_mass = float(self._weights @ shares) / total

    def acts(self) -> bool:
        """Whether it holds anything."""
        return len(self._ids) > 0

    def push(self, world: World, h: float, done: float) -> None:
        """Apply the spring force."""
        if not len(self._ids):
            return
        state, ids = world.state, self._ids
        k, c = min(self._stiffness, BOUND / (h * h * self._inv_mass)), min(self._damping, BOUND / (h * self._inv_mass))
        target = self._from + (self._to - self._from) * done
        x, v = self._held(world)
        force = k * (target - x) + c * (self._speed - v)
        rigid = world.rigid
        if rigid is not None and self._body >= 0:
            rigid.force[self._body] += force
            rigid.torque[self._body] += np.cross(x - rigid.position[self._body], force)
            return
        state.v[ids] += h * (self._weights * world.model.inv_mass[ids])[:, None] * force

    def memory(self) -> dict[str, Any]:
        """The grab and the hand's position, at which the next frame's path starts."""
        return {"body": self._body, "ids": self._ids, "to": self._to}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore the memory of a snapshot."""
        self._body, self._ids, self._to = memory["body"], memory["ids"], memory["to"]
