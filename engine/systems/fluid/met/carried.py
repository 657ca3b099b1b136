"""The fluid that presses on what bends is carried by it: springs and contacts feel its mass, and it feels what they do.

In a substep the fluid acts first; springs and contacts follow. A vertex of a light sheet weighs much less than the
particles that press on it. With its own mass alone, springs would pull it back through these by all its stretch h v,
and hold no more weight than its mass times stretch over h². So, from the fluid's last step on, until the substep ends,
each such vertex p has the additional mass

    M_p = sum over pressing contacts c of b_cp m_c        b_cp: share of the corner p in the contact's closest point

where m_c is the particle's mass, divided equally among its contacts with what bends. What springs and contacts then
change of the vertex's velocity by dv_p and of its place by dx_p, particles take on as well:

    dv_i = sum over c of i, over p, of m_c / m_i b_cp dv_p

so sum m_i dv_i = sum M_p dv_p, and momentum is kept. What is carried moves with the vertex, so both begin with their
common velocity: without that a vertex that flutters would give the fluid more than it has. The fluid meets the change
of place on the vertex's path in the next substep, so particles follow the point where they lie on the surface there,
across it, by an additional velocity sum of b_cp dx_p / h for that substep alone. Vertices that weigh next to nothing
are thrown ahead of the fluid at tens of metres a second, and come back to it: a particle that the surface had left
behind follows only as far as the surface would come too near. Otherwise it would be thrown into the fluid, or through
the other side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....compiler.kernels import kernel
from ....mesh.graph.edges import triangle_edges, unique_pairs
from ..density import WEIGHT
from ..law import CLEARANCE
from ..wall_table import WallTable
from .contacts import BENDS, Contacts
from .lag import NO_LAG, Lag
from .stops import corners_of, stop_corners

if TYPE_CHECKING:
    from ....world.world import World
    from .bodies import MetBodies


# Particles up to so far from what bends are carried by it [spacing].
CLOSE = 1.5
# Standard deviation of a spread load [spacing], and the most passes of spreading.
SPREAD, MOST_PASSES = 1.0, 16


class CarriedMass:
    """What fluid the vertices of the running substep carry.

    Attributes:
        mass: of the whole fluid [kg].
    """

    def __init__(self, bodies: MetBodies, x: np.ndarray, spacing: float) -> None:
        """None yet; args: bodies: that the fluid meets; x: (n, 3) at rest, spacing: of particles [m]."""
        self._bodies, count = bodies, len(bodies.points)
        self._mesh = _spreading(bodies, x[bodies.points], spacing)
        # Momentum and mass.
        self._carried, self._change, self._room = np.zeros((count, 4)), np.zeros((count, 3)), np.zeros((count, 4))
        self.corners = corners_of(bodies.points, bodies.carries, bodies.at, bodies.seen)
        self._takes, self._any, self.mass = np.zeros(count, dtype=bool), bool(bodies.carries.any()), 0.0
        self._close, self._clearance = CLOSE * spacing, CLEARANCE * spacing
        self._several = np.zeros(0, dtype=np.int64)
        self._some, self._own, self._joint = np.zeros(0, dtype=np.int64), np.zeros((2, 0)), np.zeros((0, 3))

    def load(
        self, world: World, h: float, count: int, contacts: Contacts, table: WallTable, order: np.ndarray,
        v: np.ndarray,
    ) -> None:
        """Add the fluid's mass to the vertices on which it presses in the first `count` contacts.

        Args: h: the substep [s]; order: (n,) particle of each row; v: (n, 3) of particles [m/s], changes.
        """
        if not self._any:
            return
        bodies, model, state, carried = self._bodies, world.model, world.state, self._carried
        is_pushed = (bodies.columns.impulse != 0.0).any(axis=1)
        self._takes[:] = bodies.carries & (is_pushed | self.corners.presses)
        self.corners.presses[:] = False
        if len(self._several) < count:
            self._several = np.zeros(2 * count, dtype=np.int64)
        find_loads(
            count, self._close, contacts, self._several, table, bodies.columns, self._takes, order, v, carried
        )
        spread(*self._mesh, carried, self._room)
        self.corners.loaded[:] = carried[:, 3] > 0.0
        self._some = some = np.flatnonzero(self.corners.loaded)
        ids = bodies.points[some]
        self._own = own, _light = np.stack([model.mass[ids], model.inv_mass[ids]])
        if len(ids) == 0:
            return
        fluid = carried[some, 3]
        joint = (own[:, None] * state.v[ids] + carried[some, :3]) / (own + fluid)[:, None]
        faster, self._joint = joint - state.v[ids], joint
        state.v[ids], state.x[ids] = joint, state.x[ids] + h * faster
        self.corners.joint[some] = joint
        # What water gives the vertex moves the fluid as well.
        for late in (world.spread_force.dv_per_step, world.spread_force.dv_gradient):
            if len(late):
                late[ids] *= (own / (own + fluid))[:, None]
        self._hand_on(-(own / fluid)[:, None] * faster, count, contacts, table, order, v)
        model.mass[ids] += fluid
        model.inv_mass[ids] = 1.0 / model.mass[ids]
        whole = world.added
        whole.changes, whole.fluid = whole.changes + 1, self.mass
        whole.speed = float(np.sqrt(np.max(np.einsum("ij,ij->i", joint, joint))))

    def stop(
        self, world: World, h: float, count: int, contacts: Contacts, table: WallTable,
        fluid: tuple[Any, ...], origin: np.ndarray, unit: float, v: np.ndarray,
    ) -> None:
        """After springs: stop vertices that carry nothing at particles, see `stops.stop_corners` for the args."""
        if self._any:
            state = world.state
            stop_corners(
                count, (h, self._clearance, unit), origin, fluid, contacts, self._several, table,
                self._bodies.columns, self.corners, (state.x, state.x_prev), v,
            )

    def unload(
        self, world: World, h: float, count: int, contacts: Contacts, table: WallTable, order: np.ndarray,
        v: np.ndarray,
    ) -> Lag:
        """End a substep: vertices have their own mass again, and particles move on with them; args as of `load`.

        Returns:
            the additional velocity of particles in the next substep.
        """
        some, state = self._some, world.state
        ids = self._bodies.points[some]
        if len(ids) == 0:
            return NO_LAG
        world.model.mass[ids], world.model.inv_mass[ids] = self._own
        world.added.changes += 1
        self._hand_on(state.v[ids] - self._joint, count, contacts, table, order, v)
        bodies, rows, ways = self._bodies, np.empty(count, dtype=np.int64), np.empty((count, 3))
        self._change[:] = state.x[bodies.points] - bodies.at
        found = follow(
            count, contacts, self._several, table, bodies.columns, self._takes, self._change, order, (rows, ways)
        )
        self._some, world.added.fluid = some[:0], 0.0
        return Lag(rows[:found], ways[:found] / h)

    def _hand_on(
        self, change: np.ndarray, count: int, contacts: Contacts, table: WallTable, order: np.ndarray, v: np.ndarray
    ) -> None:
        """Add to v (n, 3) what the vertices that carry something have changed by, `change` (s, 3) [m/s]."""
        self._change[:] = 0.0
        self._change[self._some] = change
        spread(*self._mesh, self._change, self._room)
        met = self._bodies.columns
        hand_on(count, contacts, self._several, table, met, self._takes, self._change, order, v)


def _spreading(bodies: MetBodies, x: np.ndarray, spacing: float) -> tuple[int, np.ndarray, np.ndarray]:
    """How vertices share what presses on them where the mesh is finer than the fluid, for `spread`.

    What one vertex holds spreads by diffusion until its standard deviation is SPREAD spacings: with half of one, light
    rings get a dent at each particle. The exchange along an edge is the same in both directions, so the sum of what is
    spread stays, and spreading is its own transpose.

    Args: x: (p, 3) of the bodies' points at rest [m]; spacing: of particles [m].

    Returns:
        passes; edges between vertices that carry fluid, (e, 2); share that each exchanges in a pass, (e,).
    """
    edges = unique_pairs(triangle_edges(bodies.columns.corner))
    length = np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1)
    some = bodies.carries[edges].all(axis=1) & (length < spacing) & (length > 0.0)
    edges, length = edges[some], length[some]
    degree = np.bincount(edges.reshape(-1), minlength=len(x))
    # In a plane of equal edges, each vertex with six, a pass adds 3 share length² to the variance along each axis.
    wanted, most = (SPREAD * spacing) ** 2 / (3.0 * length**2), 0.5 / degree[edges].max(axis=1, initial=1)
    passes = min(int(np.ceil(np.max(wanted / most, initial=0.0))), MOST_PASSES)
    return passes, edges, np.minimum(wanted / max(passes, 1), most)


@kernel
def spread(passes, edges, share, values, room):
    """Let `values` (p, k) diffuse along edges (e, 2); room: (p, 4)."""
    columns = values.shape[1]
    for _pass in range(passes):
        for p in range(values.shape[0]):
            for k in range(columns):
                room[p, k] = values[p, k]
        for e in range(edges.shape[0]):
            a, b = edges[e, 0], edges[e, 1]
            for k in range(columns):
                way = share[e] * (room[a, k] - room[b, k])
                values[a, k] -= way
                values[b, k] += way


@kernel
def count_shared(count, close, contacts, table, met, several):
    """Out: several (c,) int64, close contacts with what bends of each contact's particle; 0 for all others."""
    first = 0
    while first < count:
        found, stop = 0, first
        while stop < count and contacts.row[stop] == contacts.row[first]:
            is_close = contacts.away[stop] < close and met.answers[table.triangle[contacts.wall[stop]]] == BENDS
            several[stop] = 1 if is_close else 0
            found += several[stop]
            stop += 1
        for c in range(first, stop):
            several[c] *= found
        first = stop


@kernel
def find_loads(count, close, contacts, several, table, met, takes, order, v, carried):
    """Momentum and mass, (p, 4), of the particles at each vertex that takes them, (p,) bool.

    Args: close: [m]; several: out, see `count_shared`.
    """
    carried[:] = 0.0
    count_shared(count, close, contacts, table, met, several)
    for c in range(count):
        if several[c] == 0:
            continue
        row, wall = contacts.row[c], contacts.wall[c]
        for n in range(3):
            p = met.corner[table.triangle[wall], n]
            if takes[p]:
                own = table.share[wall, n] * contacts.mass[c] / several[c]
                carried[p, 3] += own
                for axis in range(3):
                    carried[p, axis] += own * v[order[row], axis]


@kernel
def hand_on(count, contacts, several, table, met, takes, change, order, v):
    """Add to the velocities v (n, 3) of particles what the vertices that take them have changed by, (p, 3) [m/s].

    Args: several: see `count_shared`; takes: (p,) bool; order: (n,) particle of each row.
    """
    for c in range(count):
        if several[c] == 0:
            continue
        row, wall = contacts.row[c], contacts.wall[c]
        dx = dy = dz = 0.0
        for n in range(3):
            p = met.corner[table.triangle[wall], n]
            if takes[p]:
                share = table.share[wall, n] / several[c]
                dx += share * change[p, 0]
                dy += share * change[p, 1]
                dz += share * change[p, 2]
        v[order[row], 0] += dx
        v[order[row], 1] += dy
        v[order[row], 2] += dz


@kernel
def follow(count, contacts, several, table, met, takes, change, order, lag):
    """Ways across the surface by which particles follow vertices that have moved by `change`; returns of how many.

    A surface goes with the particles that lie on it as it is, so here no load is spread. One that comes closes the gap
    to a particle first. What is nearly parallel to a nearer wall counts less.

    Args: takes: (p,) bool; change: (p, 3) [m]; order: (n,) particle of each row; lag: out, (c,) particles and their
        ways, (c, 3) [m].
    """
    found, (particles, ways) = 0, lag
    for c in range(count):
        row, wall = contacts.row[c], contacts.wall[c]
        corner, arm, along = met.corner[table.triangle[wall]], contacts.arm[c], 0.0
        if several[c] and (takes[corner[0]] or takes[corner[1]] or takes[corner[2]]):
            for n in range(3):
                for axis in range(3):
                    along += table.share[wall, n] * change[corner[n], axis] * arm[axis]
            if along > 0.0:
                along = max(along - max(contacts.gap[c], 0.0), 0.0)
            # All contacts of a particle follow each other.
            if found == 0 or particles[found - 1] != order[row]:
                particles[found] = order[row]
                ways[found] = 0.0
                found += 1
            for axis in range(3):
                ways[found - 1, axis] += table.plane[wall, WEIGHT] * along * arm[axis]
    return found
