"""Contacts between rigid bodies and soft particles in the inner steps of spring graphs."""

from __future__ import annotations

import numpy as np

from ....compiler.typed_call import TypedCall
from ....solver.rigid.columns import InnerBodies, InnerContacts, rigid_contact_columns
from ....solver.rigid.contact.inner.bodies import IMPULSE_SUMS
from ....solver.rigid.contact.inner.given import begin_bodies, begin_body_contacts, end_body_contacts
from ....solver.rigid.links.soft_ties import no_ties
from ....world.world import World
from .islands import IslandFinder, by_island
from .rows import Rows
from .tied_bodies import TiedBodies


class RigidContactRows:
    """Working arrays of `contact.inner.hold`; they grow with the number of contacts.

    Attributes:
        moving: all rigid bodies in the running substep; none: the same for a world without rigid bodies.
    """

    def __init__(self, rows: Rows) -> None:
        """Args: rows: the rows that contacts move."""
        self._graph_rows = rows
        self._tied = TiedBodies(no_ties(), rows)
        self._begin_contacts, self._begin_bodies = TypedCall(begin_body_contacts), TypedCall(begin_bodies)
        self._end_contacts = TypedCall(end_body_contacts)
        self._allocate(0)
        self.none = self.moving = inner_bodies(np.zeros(0), np.zeros((0, 3)))
        # The contacts, bodies and ties of the running substep, for `solver.inner_steps.solve_islands`.
        self.columns = rigid_contact_columns(0), self._inner, self.moving, self._tied.ties, self._tied.work

    def _allocate(self, capacity: int) -> None:
        self._inner = InnerContacts(
            np.zeros((capacity, 4), dtype=np.int64), np.zeros((capacity, 4)), np.zeros((capacity, 3)),
            np.zeros(capacity), *(np.zeros((capacity, 3)) for _ in range(4)), np.full(capacity, -1),
            np.zeros(capacity, dtype=bool), np.zeros(2, dtype=np.int64), np.zeros(capacity, dtype=np.int64),
        )

    def begin(self, world: World, h: float, finder: IslandFinder, steps: np.ndarray) -> bool:
        """Start a substep h [s]; returns whether soft particles touch or are tied to a body.

        Args: finder: of the islands; steps: (islands,) inner steps.
        """
        rigid = world.rigid
        if rigid is None:
            return False
        rigid.borne[:] = 0.0
        if rigid.contact_buffer.count == 0 and rigid.ties is None:
            return False
        if rigid.ties is not None and self._tied.ties is not rigid.ties:
            self._tied = TiedBodies(rigid.ties, self._graph_rows)
        buffer, state, model, own = rigid.contact_buffer, world.state, world.model, rigid.columns
        if len(self._inner.separation) < buffer.count:
            self._allocate(len(buffer.columns.slot))
        self._inner = self._inner._replace(of_contacts=np.zeros(finder.count + 1, dtype=np.int64))
        soft = self._begin_contacts(
            buffer.count, buffer.columns, model.body, model.inv_mass, state.x, state.x_prev, rigid.position_before,
            finder.graph, finder.label, steps, self._inner,
        )
        if soft == 0 and rigid.ties is None:
            return False
        if self.moving.mass is not rigid.mass or self.moving.velocity is not rigid.velocity:
            self.moving = inner_bodies(rigid.mass, rigid.velocity)
        self.moving = self.moving._replace(of_bodies=finder.bodies.start, body=finder.bodies.item)
        self._begin_bodies(h, model.gravity, own, finder.of_body, steps, self.moving)
        if rigid.ties is not None:
            self._tied.begin(world, own, finder.of_body, self.moving.steps)
            # A tied body stays awake: a sleeping body would not react to its ties.
            rigid.still[rigid.ties.body] = 0.0
        self.columns = buffer.columns, self._inner, self.moving, self._tied.ties, self._tied.work
        return True

    def end(self, world: World, h: float) -> None:
        """Apply the impulses of a substep of h [s] to the bodies, and move their particles."""
        rigid, state = world.rigid, world.state
        self._end_contacts(
            h, world.model.gravity, rigid.columns, self.moving, rigid.borne, rigid.particles, state.x_prev, state.x,
        )


def inner_bodies(mass: np.ndarray, velocity: np.ndarray) -> InnerBodies:
    """State of rigid bodies of these masses, (b,) [kg], and velocities, (b, 3) [m/s], before a substep."""
    bodies, (start, item) = len(mass), by_island(np.full(len(mass), -1), 1)
    inverse, dv_per_step, rate, step_displacement, displacement = (np.zeros((bodies, 6)) for _ in range(5))
    return InnerBodies(
        np.ones(bodies, dtype=np.int64), mass, np.zeros(bodies), inverse, velocity, dv_per_step, rate,
        step_displacement, displacement, np.zeros((bodies, 3)), np.zeros((bodies, IMPULSE_SUMS)), np.zeros((bodies, 9)),
        start, item,
    )
