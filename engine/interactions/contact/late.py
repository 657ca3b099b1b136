"""The last check of a substep: particles and bodies that crossed a surface are moved back until none crosses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...solver.collide.response.clamp import Momenta, react, share_speeds, shorten_ways
from ...world.world import World

if TYPE_CHECKING:
    from .system import Contacts

# How often those on the way through something are set before it by their masses.
ROUNDS = 4
# To what share of their ways those are held then who still go through something, one after another.
SHARES = (0.5, 0.5, 0.0, 0.0, 0.0, 0.0)


def _nothing(mass: np.ndarray, position: np.ndarray) -> Momenta:
    """What bodies gain so far; args: mass (b,) [kg]; position (b, 3) of centres [m]."""
    return Momenta(mass, position, np.zeros_like(position), np.zeros_like(position))


class LateContacts:
    """Contacts that lead through something.

    Attributes:
        of_bodies: how many contacts there are up to the last one of a rigid body with soft particles.
        shortened: how many contacts shortened ways in the running frame; stopped: how often whole bodies were in it.
    """

    def __init__(self, contacts: Contacts) -> None:
        """Args: who finds them."""
        self._all = contacts
        self._is_done, self.of_bodies = np.zeros(len(contacts.rigid_of), dtype=bool), 0
        self.shortened = self.stopped = 0

    def let_nobody_through(self, world: World, h: float) -> None:
        """Look again at the way that was really gone, and keep back who went through something on it.

        First by masses, then by shorter ways, and at last for whole bodies: those that are in each other's way go on as
        one, and those that still go through something stop. Each round takes one more body so, and the search ends.
        """
        every, state = self._all, world.state
        rigid = every.rigid
        is_known = not every.search.look_back(every.x0, state.x, h)
        if not is_known:
            every.allot(world)
        asked, bodies = None, len(world.model.bodies)
        taken = np.zeros(bodies, dtype=np.int64)
        for iteration in range(ROUNDS + len(SHARES) + 2 * bodies if every.search.slots else 0):
            if is_known and (iteration == 0 or rigid is not None):
                asked = every.recheck.astray(every.search, every.elements, state.x)
            hard = 0 if rigid is None else rigid.count
            first = every.find(world, True, asked)
            if world.holds.count == first and (rigid is None or rigid.count == hard):
                return
            if iteration < ROUNDS:
                self.hold_back(world, first, h)
            elif iteration < ROUNDS + len(SHARES):
                self.shorten(world, first, hard, SHARES[iteration - ROUNDS], h)
            elif not self._take_whole(world, first, hard, taken, h):
                return
            if rigid is None:
                asked = self.ask_again(world, first, is_known)

    def ask_again(self, world: World, first: int, is_known: bool) -> np.ndarray:
        """Pairs to check again: those of particles that the contacts from `first` on have moved."""
        every, moved = self._all, world.holds.contact[first : world.holds.count]
        return every.recheck.moved(every.search, every.elements, world.state.x, moved, is_known)

    def hold_back(self, world: World, first: int, h: float) -> None:
        """Set those of the contacts from `first` on before what they went through, by their masses."""
        state, model, holds, rigid = world.state, world.model, world.holds, self._all.rigid
        if rigid is not None:
            own, way = rigid.rigid, state.x - state.x_prev
            # Bodies that are solved once more begin anew where the substep did.
            gained = _nothing(own.mass, own.position_before if rigid.count else own.position)
            self._all.solve(world, first, True, h, self.of_bodies)
            react(
                first, self.of_bodies, holds.contact, model.inv_mass, model.mass, self._all.rigid_of, way, state.x,
                state.x_prev, h, gained,
            )
            rigid.gain(gained)
        self._all.solve(world, first if rigid is None else self.of_bodies, True, h, holds.count)
        # Held back so late, they bend springs too.
        state.was_clamped[holds.contact[first : holds.count]] = True
        if rigid is not None:
            rigid.solve(world, h, self._all.recovered)

    def shorten(self, world: World, first: int, hard: int, share: float, h: float) -> None:
        """Shorten the ways of all that contacts have part in to a share; see `response.clamp`.

        Args: first: of the contacts of soft particles; hard: of those of rigid bodies among each other.
        """
        state, model, holds, rigid = world.state, world.model, world.holds, self._all.rigid
        self.shortened += holds.count - first
        own = (first, holds.count, holds.contact, holds.weight, model.inv_mass)
        rigid_of, way = self._all.rigid_of, state.x - state.x_prev
        gained = _nothing(np.zeros(0), np.zeros((0, 3)))
        if rigid is not None:
            gained = _nothing(rigid.rigid.mass, rigid.rigid.position)
        shorten_ways(*own, rigid_of, share, self._all.x0, state.x, state.x_prev, self._is_done)
        share_speeds(*own, model.mass, rigid_of, way, state.x, state.x_prev, h, gained)
        state.was_clamped[holds.contact[first : holds.count]] = True
        if rigid is None:
            return
        rigid.gain(gained)
        some = np.unique(rigid_of[holds.contact[first : holds.count]])
        rigid.rigid.shorten(some[some >= 0].astype(np.int64), share, state.x)
        rigid.set_back(world, hard, share)

    def _take_whole(self, world: World, first: int, hard: int, taken: np.ndarray, h: float) -> bool:
        """Move bodies of the contacts from `first` and `hard` on as one, by their mean way; those that were, stop.

        Args: taken: in and out (bodies,), 0 for none, 1 for moved as one, 2 for stopped. Returns whether any more was.
        """
        every = self._all
        rigid, found = every.rigid, np.zeros(len(taken), dtype=bool)
        found[world.model.body[world.holds.contact[first : world.holds.count]]] = True
        if rigid is not None:
            sides = rigid.columns.sides[hard : rigid.count]
            found[rigid.rigid.system[sides[sides >= 0]]] = True
        meets_wall = bool((found & every.stands_still).any())
        found &= (taken < 2) & ~every.stands_still
        if not found.any():
            return False
        self.stopped += 1
        goes_on = found & (taken == 0) & (not meets_wall)
        for chosen, moves in ((goes_on, True), (found & ~goes_on, False)):
            self._place(world, chosen, moves, h)
        taken[found] = np.where(goes_on[found], 1, 2)
        return True

    def _place(self, world: World, chosen: np.ndarray, moves: bool, h: float) -> None:
        """Put bodies, (bodies,) bool, where the substep began, and on by their common way if they move [m]."""
        every, state, model = self._all, world.state, world.model
        own = chosen[model.body[: len(every.x0)]] & (model.inv_mass[: len(every.x0)] > 0.0)
        free = np.flatnonzero(own)
        bodies = every.rigid.rigid if every.rigid is not None else None
        some = np.zeros(0, dtype=np.int64) if bodies is None else np.flatnonzero(chosen[bodies.system])
        way = np.zeros(3)
        if moves:
            momentum = model.mass[free] @ (state.x[free] - state.x_prev[free])
            whole = model.mass[free].sum()
            if bodies is not None:
                momentum += h * (bodies.mass[some] @ bodies.velocity[some])
                whole += bodies.mass[some].sum()
            way = momentum / max(float(whole), 1e-300)
        state.x[free] = every.x0[free] + way
        state.x_prev[free] = every.x0[free]
        state.was_clamped[free] = True
        if bodies is not None:
            bodies.shorten(some, 0.0, state.x)
            bodies.position[some] += way
            bodies.place(some, state.x)
            bodies.velocity[some], bodies.angular_momentum[some] = way / h, 0.0
