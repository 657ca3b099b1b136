"""Contacts between rigid bodies and soft particles in the inner steps of spring graphs."""

from __future__ import annotations

import numpy as np

from ....compiler.typed_call import TypedCall
from ....solver.constraints.islands import Islands, islands_of_contacts, list_islands
from ....solver.rigid.bodies import RigidBodies
from ....solver.rigid.columns import InnerBodies, InnerContacts, RigidContactBuffer
from ....solver.rigid.contact.given import end_body_holds
from ....solver.rigid.contact.inner_contact import GAVE, begin_body_holds, hold_bodies
from ....solver.rigid.motion import go_on_all, place_particles
from ....solver.rigid.sides import invert_inertia, turned_all
from ....world.world import World
from .islands import IslandFinder, listed
from .rows import Rows
from .tied_bodies import TiedBodies


class HeldBodies:
    """Working arrays of `contact.inner_contact`; they grow with the number of contacts.

    Attributes:
        gave: (b, GAVE) impulses that soft particles gave bodies in the running substep.
    """

    def __init__(self, rows: Rows) -> None:
        """Args: rows: the rows that contacts move."""
        self._graph_rows = rows
        self._tied: TiedBodies | None = None
        self._begin_contacts, self._hold_contacts = TypedCall(begin_body_holds), TypedCall(hold_bodies)
        self._find_islands, self._bodies = TypedCall(islands_of_contacts), listed(np.zeros(0, dtype=np.int64), 0)
        self._allot(0)
        self._allot_bodies(0)

    def _allot(self, capacity: int) -> None:
        self._inner = InnerContacts(
            np.zeros((capacity, 4), dtype=np.int64), np.zeros((capacity, 4)), np.zeros((capacity, 3)),
            np.zeros(capacity), np.zeros((capacity, 3)), np.zeros((capacity, 3)), np.full(capacity, -1),
            np.zeros(2, dtype=np.int64), np.zeros(capacity, dtype=np.int64),
        )

    def _allot_bodies(self, bodies: int) -> None:
        self._inverse, self._kick, self._rate, self._way = (np.zeros((bodies, 6)) for _ in range(4))
        self._steps = np.ones(bodies, dtype=np.int64)
        self._went, self._spare, self.gave = np.zeros((bodies, 3)), np.zeros((bodies, 3)), np.zeros((bodies, GAVE))

    def begin(self, world: World, h: float, finder: IslandFinder, steps: np.ndarray) -> bool:
        """Start a substep h [s]; returns whether soft particles touch or are tied to a body.

        Args: finder: of the islands; steps: (islands,) inner steps.
        """
        rigid = world.rigid
        if rigid is None:
            return False
        rigid.borne[:] = 0.0
        if rigid.holds.count == 0 and rigid.ties is None:
            return False
        if rigid.ties is not None and self._tied is None:
            self._tied = TiedBodies(rigid.ties, self._graph_rows)
        holds, state, model = rigid.holds, world.state, world.model
        if len(self._inner.separation) < holds.count:
            self._allot(len(holds.columns.slot))
        if len(self._kick) < len(rigid.mass):
            self._allot_bodies(len(rigid.mass))
        self._list(holds, finder, model.inv_mass)
        soft = self._begin_contacts(
            holds.count, holds.columns, model.body, model.inv_mass, state.x, state.x_prev, rigid.position_before,
            self._graph_rows.row, self._graph_rows.spare, steps, self._inner,
        )
        if soft == 0 and self._tied is None:
            return False
        self._steps[:] = np.where(finder.of_body >= 0, steps[finder.of_body], 1)
        if self._tied is not None:
            self._tied.begin(world, rigid, finder.of_body, self._steps)
        self._begin_bodies(world, rigid, h)
        holds.columns.normal_impulse[: holds.count] = 0.0
        return True

    def _list(self, holds: RigidContactBuffer, finder: IslandFinder, inv_mass: np.ndarray) -> None:
        """List contacts and bodies by island; contacts with the ground last, so that nothing is pressed into it."""
        inner, own = self._inner, holds.columns
        self._find_islands(
            holds.count, own.contact, own.weight, own.sides, finder.graph, finder.label, inner.island
        )
        start = np.zeros(finder.count + 1, dtype=np.int64)
        is_soft = (own.weight[: holds.count] != 0.0) & (inv_mass[own.contact[: holds.count]] > 0.0)
        is_last = (own.sides[: holds.count] < 0).any(axis=1) & ~is_soft.any(axis=1)
        list_islands(holds.count, inner.island, is_last, start, inner.contact)
        self._inner = inner._replace(of_contacts=start)
        self._bodies = listed(finder.of_body, finder.count)

    def _begin_bodies(self, world: World, rigid: RigidBodies, h: float) -> None:
        """Spread the velocity change by gravity and water over the inner steps, as for springs."""
        invert_inertia(rigid.rotation_before, rigid.inertia, self._inverse)
        self._kick[:, :3] = h * (world.model.gravity + rigid.spread_force / rigid.mass[:, None])
        turned_all(self._inverse, h * rigid.spread_torque, self._kick)
        np.negative(self._kick, out=self._rate)
        self._kick /= self._steps[:, None]
        self._went[:] = self.gave[:] = 0.0

    def hold(self, rigid: RigidBodies, active: np.ndarray, islands: Islands) -> None:
        """Project the contacts of some islands (k,) in the inner step that they have just taken."""
        rows = self._graph_rows
        bodies = InnerBodies(
            rigid.mass, self._inverse, rigid.velocity, self._kick, self._rate, self._way, self._went, self._spare,
            self.gave, *self._bodies,
        )
        if self._tied is not None:
            self._tied.hold(bodies, active, islands)
        self._hold_contacts(
            active, islands, rigid.holds.columns, self._inner, bodies, rows.columns, rows.row_block, rows.impulse
        )
        if self._tied is not None:
            self._tied.follow(rigid, active, islands, self._rate)

    def end(self, world: World, h: float) -> None:
        """Apply the impulses of a substep of h [s] to the bodies, and move their particles."""
        rigid, state, gravity = world.rigid, world.state, world.model.gravity
        self._kick *= self._steps[:, None]
        np.maximum(self.gave[:, :3] @ -gravity / max(h * float(gravity @ gravity), 1e-300), 0.0, out=rigid.borne)
        end_body_holds(
            h, self._steps, self._kick, rigid.mass, self._inverse, self.gave, rigid.velocity, rigid.angular_momentum,
            rigid.position_before, rigid.rotation_before,
        )
        go_on_all(
            h, rigid.inertia, rigid.position_before, rigid.rotation_before, rigid.velocity, rigid.angular_momentum,
            rigid.position, rigid.rotation,
        )
        own = (rigid.first, rigid.start, rigid.stop, rigid.local)
        place_particles(*own, rigid.position_before, rigid.rotation_before, state.x_prev)
        place_particles(*own, rigid.position, rigid.rotation, state.x)
