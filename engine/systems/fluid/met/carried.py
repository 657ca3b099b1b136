"""Added mass: a deformable body carries the fluid that presses on it, so springs and contacts act on both.

In a substep the fluid acts first; springs and contacts follow. A vertex of a light sheet weighs much less than the
particles that press on it. With its own mass alone, springs would pull it back through these by all its stretch h v,
and support no more weight than its mass times stretch over h². So, from the fluid's last step to the end of the
substep, each such vertex p has the additional mass

    M_p = sum over pressing contacts c of b_cp m_c        b_cp: barycentric weight of corner p in the closest point

where m_c is the particle's mass, divided equally among its contacts with deformable bodies. Springs and contacts then
change the vertex's velocity by dv_p and its position by dx_p, and particles get

    dv_i = sum over c of i, over p, of m_c / m_i b_cp dv_p

so sum m_i dv_i = sum M_p dv_p, and momentum is conserved. The carried fluid moves with the vertex, so both begin with
their common velocity: without that, a fluttering vertex would give the fluid more than it has. In the next substep the
change of position is part of the vertex's path. So particles follow the point of the surface on which they lie, normal
to the surface, by an additional velocity, the sum of b_cp dx_p / h, for that substep alone. Vertices that weigh next to
nothing are thrown ahead of the fluid at tens of metres a second, and return to it: a particle that the surface had left
behind follows only as far as the surface would come too near. Otherwise it would be thrown into the fluid, or through
the other side.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ....compiler.typed_call import TypedCall
from ....mesh.graph.edges import triangle_edges, unique_pairs
from ..law import CLEARANCE
from ..wall_table import WallTable
from .contacts import Contacts
from .lag import NO_LAG, Lag
from .loads import find_loads, follow, transfer_changes
from .stops import corners_of, stop_corners

if TYPE_CHECKING:
    from ....world.world import World
    from .bodies import MetBodies


# Particles within this distance of a deformable body are carried by it [spacing].
CLOSE = 1.5
# Standard deviation of a diffused load [spacing], and the most passes of diffusion.
SPREAD, MOST_PASSES = 1.0, 16


class CarriedMass:
    """Fluid carried by vertices in the current substep.

    Attributes:
        mass: of all fluid [kg].
    """

    def __init__(self, bodies: MetBodies, x: np.ndarray, spacing: float) -> None:
        """No load yet. Args: bodies: coupled to the fluid; x: (n, 3) at rest, spacing: of particles [m]."""
        self._bodies, count = bodies, len(bodies.points)
        self._mesh = _diffusion(bodies, x[bodies.points], spacing)
        # Carried momentum and mass of each vertex, its change of velocity or position, and a buffer.
        self._carried, self._change, self._scratch = np.zeros((count, 4)), np.zeros((count, 3)), np.zeros((count, 4))
        self.corners = corners_of(bodies.points, bodies.carries, bodies.at, bodies.seen)
        self._takes, self._any, self.mass = np.zeros(count, dtype=bool), bool(bodies.carries.any()), 0.0
        self._close, self._clearance = CLOSE * spacing, CLEARANCE * spacing
        self._contact_count = np.zeros(0, dtype=np.int64)
        self._loaded, self._some = np.zeros(count, dtype=np.int64), np.zeros(0, dtype=np.int64)
        self._own, self._common_v = (np.zeros(0), np.zeros(0)), np.zeros((0, 3))
        self._find_loads, self._transfer_changes, self._follow, self._stop = map(
            TypedCall, (find_loads, transfer_changes, follow, stop_corners)
        )

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
        if len(self._contact_count) < count:
            self._contact_count = np.zeros(2 * count, dtype=np.int64)
        found = self._find_loads(
            count, self._close, contacts, self._contact_count, table, bodies.columns, self.corners, self._mesh, order,
            v, (self._takes, carried, self._scratch, self._loaded),
        )
        self._some = some = self._loaded[:found]
        ids = bodies.points[some]
        self._own = own_mass, _light = model.mass[ids], model.inv_mass[ids]
        if len(ids) == 0:
            return
        fluid = carried[some, 3]
        common_v = (own_mass[:, None] * state.v[ids] + carried[some, :3]) / (own_mass + fluid)[:, None]
        faster, self._common_v = common_v - state.v[ids], common_v
        state.v[ids], state.x[ids] = common_v, state.x[ids] + h * faster
        self.corners.common_v[some] = common_v
        # Spread forces on the vertex, as of water, move the carried fluid as well.
        for spread_dv in (world.spread_force.dv_per_step, world.spread_force.dv_gradient):
            if len(spread_dv):
                spread_dv[ids] *= (own_mass / (own_mass + fluid))[:, None]
        self._transfer(-(own_mass / fluid)[:, None] * faster, count, contacts, table, order, v)
        model.mass[ids] += fluid
        model.inv_mass[ids] = 1.0 / model.mass[ids]
        added = world.added
        added.changes, added.fluid = added.changes + 1, self.mass
        added.speed = math.sqrt(float((common_v * common_v).sum(axis=1).max()))

    def stop(
        self, world: World, h: float, count: int, contacts: Contacts, table: WallTable,
        fluid: tuple[Any, ...], origin: np.ndarray, unit: float, v: np.ndarray,
    ) -> None:
        """After springs: stop vertices without load at particles; args: see `stops.stop_corners`."""
        if self._any:
            state = world.state
            self._stop(
                count, (h, self._clearance, unit), origin, fluid, contacts, self._contact_count, table,
                self._bodies.columns, self.corners, (state.x, state.x_prev), v,
            )

    def unload(
        self, world: World, h: float, count: int, contacts: Contacts, table: WallTable, order: np.ndarray,
        v: np.ndarray,
    ) -> Lag:
        """End a substep: restore the vertices' own mass, and let particles follow them; args as of `load`.

        Returns:
            the additional velocity of particles in the next substep.
        """
        some, state = self._some, world.state
        ids = self._bodies.points[some]
        if len(ids) == 0:
            return NO_LAG
        world.model.mass[ids], world.model.inv_mass[ids] = self._own
        world.added.changes += 1
        self._transfer(state.v[ids] - self._common_v, count, contacts, table, order, v)
        bodies, rows, displacements = self._bodies, np.empty(count, dtype=np.int64), np.empty((count, 3))
        self._change[:] = state.x[bodies.points] - bodies.at
        found = self._follow(
            count, contacts, self._contact_count, table, bodies.columns, self._takes, self._change, order,
            (rows, displacements),
        )
        self._some, world.added.fluid = some[:0], 0.0
        return Lag(rows[:found], displacements[:found] / h)

    def _transfer(
        self, change: np.ndarray, count: int, contacts: Contacts, table: WallTable, order: np.ndarray, v: np.ndarray
    ) -> None:
        """Add the velocity changes of loaded vertices, `change` (s, 3) [m/s], to v (n, 3) of their particles."""
        self._change[:] = 0.0
        self._change[self._some] = change
        met, of_points = self._bodies.columns, (self._takes, self._change, self._scratch)
        self._transfer_changes(count, contacts, self._contact_count, table, met, self._mesh, of_points, order, v)


def _diffusion(bodies: MetBodies, x: np.ndarray, spacing: float) -> tuple[int, np.ndarray, np.ndarray]:
    """Diffusion of loads between vertices where the mesh is finer than the fluid, for `loads.diffuse`.

    The load of one vertex diffuses until its standard deviation is SPREAD spacings: with half of one, light rings get a
    dent at each particle. The exchange along an edge is symmetric, so the sum is conserved, and diffusion is its own
    transpose.

    Args: x: (p, 3) of the bodies' points at rest [m]; spacing: of particles [m].

    Returns:
        passes; edges between vertices that carry fluid, (e, 2); fraction of the difference exchanged in a pass, (e,).
    """
    edges = unique_pairs(triangle_edges(bodies.columns.corner))
    length = np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1)
    some = bodies.carries[edges].all(axis=1) & (length < spacing) & (length > 0.0)
    edges, length = edges[some], length[some]
    degree = np.bincount(edges.reshape(-1), minlength=len(x))
    # In a plane of equal edges, each vertex with six, a pass adds 3 fraction length² to the variance along each axis.
    wanted, most = (SPREAD * spacing) ** 2 / (3.0 * length**2), 0.5 / degree[edges].max(axis=1, initial=1)
    passes = min(int(np.ceil(np.max(wanted / most, initial=0.0))), MOST_PASSES)
    return passes, edges, np.minimum(wanted / max(passes, 1), most)
