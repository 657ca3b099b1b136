"""The fluid that presses on what bends is carried by it: springs and contacts feel its mass, and it feels what they do.

In a substep the fluid acts first; springs and contacts follow. A vertex of a light sheet weighs much less than the
particles that press on it. With its own mass alone, springs would pull it back through these by all its stretch h v,
and hold no more weight than its mass times stretch over h². So, from the fluid's last step on, until the substep ends,
each such vertex p has the additional mass

    M_p = sum over pressing contacts c of b_cp m_c        b_cp: share of the corner p in the contact's closest point

where m_c is the particle's mass, divided among its contacts by their impulses. What springs and contacts then change
of the vertex's velocity by dv_p and of its place by dx_p, particles take on as well:

    dv_i = sum over c of i, over p, of m_c / m_i b_cp dv_p

so sum m_i dv_i = sum M_p dv_p, and momentum is kept. What is carried moves with the vertex, so both begin with their
common velocity: without that a vertex that flutters would give the fluid more than it has. The fluid meets the change
of place on the vertex's path in the next substep, so particles take it on there, across the surface, as an additional
velocity dx_p / h for that substep alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....compiler.kernels import kernel
from ..walls import WallTable
from .contacts import BENDS, Contacts

if TYPE_CHECKING:
    from ....world.world import World
    from .bodies import MetBodies


class CarriedMass:
    """What fluid the vertices of the running substep carry."""

    def __init__(self, bodies: MetBodies) -> None:
        """None yet; bodies: that the fluid meets."""
        self._bodies, count = bodies, len(bodies.points)
        self._mass, self._momentum, self._change = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3))
        self._some, self._own = np.zeros(0, dtype=np.int64), np.zeros((2, 0))
        self._joint = np.zeros((0, 3))

    def load(
        self, world: World, h: float, count: int, contacts: Contacts, table: WallTable, order: np.ndarray,
        v: np.ndarray,
    ) -> None:
        """Add the fluid's mass to the vertices on which it presses in the first `count` contacts.

        Args: h: the substep [s]; order: (n,) particle of each row; v: (n, 3) of particles [m/s], changes.
        """
        bodies, model, state, change = self._bodies, world.model, world.state, self._change
        columns, mass = bodies.columns, self._mass
        find_loads(count, contacts, table, columns, bodies.carries, order, v, mass, self._momentum)
        self._some = some = np.flatnonzero(mass)
        ids = bodies.points[some]
        self._own = own, _light = np.stack([model.mass[ids], model.inv_mass[ids]])
        if len(ids) == 0:
            return
        whole = own + mass[some]
        joint = (own[:, None] * state.v[ids] + self._momentum[some]) / whole[:, None]
        faster, self._joint = joint - state.v[ids], joint
        state.v[ids], state.x[ids] = joint, state.x[ids] + h * faster
        change[some] = -(own / mass[some])[:, None] * faster
        hand_on(count, contacts, table, columns, mass, change, order, False, v)
        model.mass[ids], model.inv_mass[ids] = whole, 1.0 / whole
        world.mass_changes += 1

    def unload(
        self, world: World, h: float, count: int, contacts: Contacts, table: WallTable, order: np.ndarray,
        v: np.ndarray,
    ) -> np.ndarray:
        """End a substep: vertices have their own mass again, and particles move on with them; args as of `load`.

        Returns:
            (n, 3) the additional velocity of particles in the next substep; no rows if there is none [m/s].
        """
        bodies, some, state, change = self._bodies, self._some, world.state, self._change
        ids = bodies.points[some]
        if len(ids) == 0:
            return np.zeros((0, 3))
        world.model.mass[ids], world.model.inv_mass[ids] = self._own
        world.mass_changes += 1
        change[some] = state.v[ids] - self._joint
        hand_on(count, contacts, table, bodies.columns, self._mass, change, order, False, v)
        change[some] = (state.x[ids] - bodies.at[some]) / h
        lag = np.zeros_like(v)
        hand_on(count, contacts, table, bodies.columns, self._mass, change, order, True, lag)
        return lag


@kernel
def bends(c, contacts, table, met):
    """Whether a contact is one with what bends."""
    return met.answers[table.triangle[contacts.row[c], contacts.wall[c]]] == BENDS


@kernel
def shared_by(c, count, contacts, table, met):
    """How many contacts with what bends the particle of contact c has, its first one, and the first behind them."""
    several, stop = 0, c
    while stop < count and contacts.row[stop] == contacts.row[c]:
        if bends(stop, contacts, table, met):
            several += 1
        stop += 1
    return several, stop


@kernel
def was_pressed(p, met):
    """Whether the fluid pressed on a vertex in the substep."""
    return met.impulse[p, 0] != 0.0 or met.impulse[p, 1] != 0.0 or met.impulse[p, 2] != 0.0


@kernel
def find_loads(count, contacts, table, met, carries, order, v, mass, momentum):
    """Mass (p,) and momentum (p, 3) of the particles that press on each vertex that may carry some, (p,) bool."""
    mass[:] = 0.0
    momentum[:] = 0.0
    c = 0
    while c < count:
        several, stop = shared_by(c, count, contacts, table, met)
        for k in range(c, stop):
            if bends(k, contacts, table, met):
                row, wall, part = contacts.row[k], contacts.wall[k], 1.0 / several
                for n in range(3):
                    p = met.corner[table.triangle[row, wall], n]
                    if carries[p] and was_pressed(p, met):
                        own = part * table.share[row, wall, n] * contacts.mass[k]
                        mass[p] += own
                        for axis in range(3):
                            momentum[p, axis] += own * v[order[row], axis]
        c = stop


@kernel
def hand_on(count, contacts, table, met, mass, change, order, across, v):
    """Add to the velocities v (n, 3) of particles what the vertices that carry them have changed by, (p, 3) [m/s].

    Args: mass: (p,) that vertices carry [kg]; order: (n,) particle of each row; across: only across the surface.
    """
    c = 0
    while c < count:
        several, stop = shared_by(c, count, contacts, table, met)
        for k in range(c, stop):
            if bends(k, contacts, table, met):
                row, wall, part = contacts.row[k], contacts.wall[k], 1.0 / several
                dx = dy = dz = 0.0
                for n in range(3):
                    p = met.corner[table.triangle[row, wall], n]
                    if mass[p] > 0.0:
                        share = part * table.share[row, wall, n]
                        dx += share * change[p, 0]
                        dy += share * change[p, 1]
                        dz += share * change[p, 2]
                if across:
                    arm = contacts.arm[k]
                    along = dx * arm[0] + dy * arm[1] + dz * arm[2]
                    dx, dy, dz = along * arm[0], along * arm[1], along * arm[2]
                v[order[row], 0] += dx
                v[order[row], 1] += dy
                v[order[row], 2] += dz
        c = stop
