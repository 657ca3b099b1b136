"""Contacts between rigid bodies and soft particles in the inner steps of spring graphs."""

from __future__ import annotations

import numpy as np

from ....compiler.typed_call import TypedCall
from ....solver.rigid.bodies import RigidBodies
from ....solver.rigid.columns import InnerBodies, InnerContacts, RigidContactBuffer
from ....solver.rigid.contact.inner_contact import GAVE, begin_body_holds, end_body_holds, hold_bodies
from ....solver.rigid.motion import go_on_all, place_particles
from ....solver.rigid.sides import invert_inertia, turned_all
from ....world.world import World
from .rows import Rows
from .tied_bodies import TiedBodies


class HeldBodies:
    """Working arrays of `contact.inner_contact`; they grow with the number of contacts."""

    def __init__(self, rows: Rows) -> None:
        """Args: rows: the rows that contacts move."""
        self._graph_rows = rows
        self._tied: TiedBodies | None = None
        self._begin_contacts, self._hold_contacts = TypedCall(begin_body_holds), TypedCall(hold_bodies)
        self._allot(0)
        self._allot_bodies(0)

    def _allot(self, capacity: int) -> None:
        self._inner = InnerContacts(
            np.zeros((capacity, 4), dtype=np.int64), np.zeros((capacity, 4)), np.zeros((capacity, 3)),
            np.zeros(capacity), np.zeros((capacity, 3)), np.zeros((capacity, 3)),
        )

    def _allot_bodies(self, bodies: int) -> None:
        self._inverse, self._kick, self._rate, self._way = (np.zeros((bodies, 6)) for _ in range(4))
        self._went, self._spare, self._gave = np.zeros((bodies, 3)), np.zeros((bodies, 3)), np.zeros((bodies, GAVE))

    def begin(self, world: World, h: float, steps: int) -> bool:
        """Start a substep h [s] of `steps` inner steps; returns whether soft particles touch or are tied to a body."""
        rigid = world.rigid
        if rigid is None or (rigid.holds.count == 0 and rigid.ties is None):
            return False
        if rigid.ties is not None and self._tied is None:
            self._tied = TiedBodies(rigid.ties, self._graph_rows)
        holds, state, model = rigid.holds, world.state, world.model
        if len(self._inner.separation) < holds.count:
            self._allot(len(holds.columns.slot))
        if len(self._kick) < len(rigid.mass):
            self._allot_bodies(len(rigid.mass))
        soft = self._begin_contacts(
            holds.count, holds.columns, model.body, model.inv_mass, state.x, state.x_prev, rigid.position_before,
            self._graph_rows.row, self._graph_rows.spare, steps, self._inner,
        )
        if soft == 0 and self._tied is None:
            return False
        if self._tied is not None:
            self._tied.begin(world, rigid, steps)
        self._begin_bodies(world, rigid, h, steps)
        holds.columns.normal_impulse[: holds.count] = 0.0
        return True

    def _begin_bodies(self, world: World, rigid: RigidBodies, h: float, steps: int) -> None:
        """Spread the velocity change by gravity and water over the inner steps, as for springs."""
        invert_inertia(rigid.rotation_before, rigid.inertia, self._inverse)
        self._kick[:, :3] = h * (world.model.gravity + rigid.spread_force / rigid.mass[:, None])
        turned_all(self._inverse, h * rigid.spread_torque, self._kick)
        np.negative(self._kick, out=self._rate)
        self._kick /= steps
        self._went[:] = self._gave[:] = 0.0

    def hold(self, holds: RigidContactBuffer, rigid: RigidBodies, left: int, steps: int, h: float) -> None:
        """Project contacts in an inner step of h [s]; left: number of inner steps until the end, this one included."""
        rows = self._graph_rows
        bodies = InnerBodies(
            rigid.mass, self._inverse, rigid.velocity, self._kick, self._rate, self._way, self._went, self._spare,
            self._gave,
        )
        if self._tied is not None:
            self._tied.hold(bodies, left, steps, h)
        self._hold_contacts(
            holds.count, holds.columns, self._inner, bodies, rows.columns, rows.row_block, rows.impulse, left, steps, h
        )
        if self._tied is not None:
            self._tied.follow(rigid, h, self._rate)

    def end(self, world: World, h: float, steps: int) -> None:
        """Apply the impulses of a substep of h [s] to the bodies, and move their particles."""
        rigid, state = world.rigid, world.state
        self._kick *= steps
        end_body_holds(
            h, steps, self._kick, rigid.mass, self._inverse, self._gave, rigid.velocity, rigid.angular_momentum,
            rigid.position_before, rigid.rotation_before,
        )
        go_on_all(
            h, rigid.inertia, rigid.position_before, rigid.rotation_before, rigid.velocity, rigid.angular_momentum,
            rigid.position, rigid.rotation,
        )
        own = (rigid.first, rigid.start, rigid.stop, rigid.local)
        place_particles(*own, rigid.position_before, rigid.rotation_before, state.x_prev)
        place_particles(*own, rigid.position, rigid.rotation, state.x)
