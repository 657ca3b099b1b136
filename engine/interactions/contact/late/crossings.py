"""The last check of a substep: particles and bodies that crossed a surface are moved back until none crosses.

A crossing is a contact whose continuous collision test fails on the path from the start of the substep to its end.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ....solver.collide.response.reaction import no_momenta
from ....solver.collide.response.shorten import Crossings, Groups, no_groups, shorten_displacements
from ....solver.rigid.contact.yields import stop_at_bodies
from ....world.world import Model, World
from .borne import Borne
from .heaps import Heap, NearBodies, move_as_one
from .overlaps import Overlaps

if TYPE_CHECKING:
    from ..system import Contacts

# How many rounds project crossing contacts by the inverse masses of both sides.
ROUNDS = 4
# Each later round shortens the displacements of the soft particles that still cross to this share, see
# `response.shorten`. Those of rigid bodies come last: one that bears soft particles which cannot reach it else stays
# where it is for good.
SHARES = (0.5, 0.0)
# So many rounds more gather what crosses in zones, which go on as they were when the substep began. What one round has
# stopped stays in its zone, so zones only grow, and the search ends: with groups of a round alone, two layers of cloth
# sent a crossing back and forth, and the heap stopped for it in each substep, for ever.
ZONES = 12


def _no_bodies() -> tuple[np.ndarray, ...]:
    """What `shorten_displacements` takes of rigid bodies where there are none."""
    return np.zeros(0), np.zeros((0, 3)), np.zeros(0, dtype=bool), np.zeros((0, 3))


class LateContacts:
    """Resolves the crossings that are left after the contact solve of a substep.

    Attributes:
        of_bodies: end of the contacts between rigid bodies and soft particles, which come first; of_borne: end of those
            that press soft particles onto what bears them, which follow; of_soft: end of all but those with
            something immovable.
        shortened: how many contacts shortened displacements in this frame; stopped: how many heaps moved as one stiff
            body in it; left: how many crossings were ignored in it, because their bodies intersect anyhow.
        overlaps: pairs of bodies that intersect at the start of a substep; their crossings are ignored.
    """

    def __init__(self, contacts: Contacts, model: Model) -> None:
        """Args: contacts: the behaviour that finds them."""
        self._all = contacts
        self.of_bodies = self.of_borne = self.of_soft = 0
        self._borne = Borne(contacts.rigid_of, model.inv_mass)
        rigid_bodies = 0 if contacts.rigid is None else len(contacts.rigid.rigid.mass)
        self._number = np.zeros(rigid_bodies, dtype=np.int64)
        self.shortened = self.stopped = self.left = 0
        self._leaves = False
        self._near: NearBodies | None = None
        self.overlaps = Overlaps(contacts.elements, contacts.narrow.winding, model.body, contacts.deforms)

    @cached_property
    def _groups(self) -> Groups:
        """What `shorten_displacements` needs, 76 bytes a particle: made when it first shortens something."""
        return no_groups(self._all.rigid_of, len(self._number))

    def begin_frame(self) -> None:
        """Reset the counters, and forget which bodies intersect."""
        self.shortened = self.stopped = self.left = 0
        self.overlaps.begin_frame()

    def leave(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Which contacts of bodies a and b, (k,) each, are ignored, (k,) bool."""
        left = self.overlaps.has(a, b) & self._leaves
        self.left += int(np.count_nonzero(left))
        return left

    def put_in_turn(self, first: int, contact: np.ndarray, weight: np.ndarray, normal: np.ndarray) -> np.ndarray:
        """The order (k,) in which crossing contacts are projected, with `of_bodies` and `of_borne` from `first` on.

        Args: contact, weight: (k, 4), normal: (k, 3), see `contact_buffer`.
        """
        turn = np.where((self._all.rigid_of[contact] < 0).all(axis=1), 2, 0)
        soft = np.flatnonzero(turn)
        turn[soft[self._borne.press(contact[soft], weight[soft], normal[soft])]] = 1
        self.of_bodies = first + int(np.count_nonzero(turn == 0))
        turn[soft[self._borne.at_walls(contact[soft], weight[soft])]] = 3
        self.of_borne = self.of_bodies + int(np.count_nonzero(turn == 1))
        self.of_soft = self.of_borne + int(np.count_nonzero(turn == 2))
        return np.argsort(turn, kind="stable")

    def remove_crossings(self, world: World, h: float) -> None:
        """Move back all particles and bodies that crossed a surface in this substep.

        The first rounds project contacts by masses, the next ones shorten displacements, those that follow move what
        crosses in zones, and the last moves the bodies that still cross something, with all near them, as one stiff
        body. So the number of searches is bounded.
        Bodies that already intersect when the substep begins have no side to be kept on. They are projected once, and
        what still crosses is ignored; the next frame checks anew whether they intersect.
        """
        every, state = self._all, world.state
        rigid = every.rigid
        self._borne.begin()
        self._near = None
        is_known = not every.search.look_back(every.x0, state.x, h)
        if not is_known:
            every.allot(world)
        rounds, zones, goes_on = ROUNDS + len(SHARES), (0, 0), False
        for acted in range(rounds + ZONES + 1 if every.search.slots else 0):
            asked = every.recheck.ask(every.search, state.x, is_known, goes_on)
            if not asked.pairs.any():
                break
            hard = 0 if rigid is None else rigid.count
            self._leaves = acted > 0
            first = every.find(world, asked)
            if not is_known:
                every.recheck.expect_here(state.x, every.search.moving)
                is_known = True
            if world.holds.count == first and (rigid is None or rigid.count == hard):
                break
            if acted == ROUNDS:
                self.overlaps.look(world.holds.contact[first : world.holds.count], every.x0)
            self.shortened += world.holds.count - first if ROUNDS <= acted < rounds + ZONES else 0
            if acted < ROUNDS:
                self.hold_back(world, first, h)
            elif acted < rounds:
                self.shorten(world, first, hard, SHARES[acted - ROUNDS], False, h)
            elif acted < rounds + ZONES:
                # The crossings of all these rounds follow each other in the tables, and may move again.
                zones = (first, hard) if acted == rounds else zones
                first, hard = zones
                self.shorten(world, first, hard, 0.0, True, h)
            else:
                self._go_on_as_one(world, first, hard, h)
                break
            goes_on = not self._looks_at_thrown(world, first, h)
            is_known &= goes_on

    def _looks_at_thrown(self, world: World, first: int, h: float) -> bool:
        """Search around what strayed when agents in crossings from `first` on were set back; returns whether any did.

        A light agent that a heavy body carries along goes further than the pairs near it reach.
        """
        every, crossing = self._all, world.holds.contact[first : world.holds.count]
        if not every.is_agent[crossing].any() or not every.search.look_back(every.x0, world.state.x, h):
            return False
        every.allot(world)
        self._near = None
        return True

    def hold_back(self, world: World, first: int, h: float) -> None:
        """Project the contacts from `first` on by the inverse masses of their sides, and give bodies the impulses."""
        state, model, holds, rigid = world.state, world.model, world.holds, self._all.rigid
        borne, contact = self._borne, holds.contact
        if rigid is not None:
            own, way = rigid.rigid, state.x - state.x_prev
            # The rigid solve that follows starts from the poses at the start of the substep.
            gained = no_momenta(own.mass, own.position_before if rigid.count else own.position)
            pressed = [column[first : self.of_bodies] for column in (contact, holds.weight, holds.normal)]
            for start, stop, inv_mass, bearer in (
                (first, self.of_bodies, borne.hold_at_walls(*pressed), self._all.rigid_of),
                (self.of_bodies, self.of_borne, borne.inv_mass, borne.bearer),
            ):
                stop_at_bodies(
                    start, stop, holds.columns, (inv_mass, model.mass), bearer, own.columns,
                    (self._all.x0, state.x_prev, state.x, self._all.recovered, way), h,
                    world.spec.integrator == "SYMPLECTIC", gained, self._number,
                )
            borne.note(*pressed)
            rigid.gain(gained)
        soft = [column[self.of_borne : self.of_soft] for column in (contact, holds.weight, holds.normal)]
        self._all.solve(world, self.of_borne, True, h, self.of_soft, borne.hold_at_walls(*soft))
        self._all.solve(world, self.of_soft, True, h, holds.count, model.inv_mass)
        borne.note_walls(*(column[self.of_soft : holds.count] for column in (contact, holds.weight, holds.normal)))
        # The springs were solved before, so these particles need the correction of bent springs too.
        state.was_clamped[contact[first : holds.count]] = True
        if rigid is not None:
            rigid.solve(world, h, self._all.x0, self._all.recovered, contact[first : holds.count])

    def shorten(self, world: World, first: int, hard: int, share: float, in_zones: bool, h: float) -> None:
        """Shorten the displacements of soft particles in contacts to a share, those of zones with their rigid bodies.

        Args:
            first: the first crossing of soft particles; hard: the first one between two rigid bodies; h: [s].
            in_zones: whether all contacts join, and rigid bodies go back too; else contacts of soft particles alone are
                groups of their own.
        """
        state, holds, every, groups = world.state, world.holds, self._all, self._groups
        joined = holds.count if in_zones else self.of_bodies
        mixed = Crossings(first, joined, holds.contact, holds.weight)
        soft = Crossings(joined, holds.count, holds.contact, holds.weight)
        between, bodies = soft._replace(first=0, count=0), _no_bodies()
        if every.rigid is not None:
            table, own = every.rigid.columns, every.rigid.rigid
            between = Crossings(hard, every.rigid.count, table.contact, table.weight)
            bodies = (own.mass, h * own.velocity, *self._held(world, first, hard))
        shorten_displacements(
            between, mixed, soft, world.model.inv_mass, groups, share, every.x0, (state.x, state.x_prev), bodies
        )
        state.was_clamped[holds.contact[first : holds.count]] = True
        if every.rigid is not None:
            some = np.flatnonzero(groups.is_short)
            groups.is_short[some] = False
            if in_zones:
                own.go_back(some, groups.common[some], state.x)
                # What light bodies hold up at a wall would else keep its speed, and gain more by gravity.
                held = some[bodies[2][some]]
                own.velocity[held], own.angular_momentum[held] = groups.common[held] / h, 0.0

    def _heaps(self, world: World, first: int, hard: int) -> list[Heap]:
        """The heaps of the contacts from `first` and `hard` on."""
        if self._near is None:
            self._near = NearBodies(self._all, world.model.body)
        return self._near.heaps(self._crosses(world, first, hard))

    def _crosses(self, world: World, first: int, hard: int) -> np.ndarray:
        """Bodies in the contacts from `first` and `hard` on, (bodies,) bool."""
        every, model = self._all, world.model
        crosses = np.zeros(len(model.bodies), dtype=bool)
        crosses[model.body[world.holds.contact[first : world.holds.count]]] = True
        if every.rigid is not None:
            sides = every.rigid.columns.sides[hard : every.rigid.count]
            crosses[every.rigid.rigid.system[sides[sides >= 0]]] = True
        return crosses

    def _held(self, world: World, first: int, hard: int) -> tuple[np.ndarray, np.ndarray]:
        """Rigid bodies in heaps that touch something immovable, (b,) bool, and its displacement there, (b, 3) [m].

        That of a wall that is met as a hull counts as zero.
        """
        state, own = world.state, self._all.rigid.rigid
        is_held, way = np.zeros(len(own.mass), dtype=bool), np.zeros((len(own.mass), 3))
        for heap in self._heaps(world, first, hard):
            some = heap.bodies[own.system] & heap.meets_wall
            is_held |= some
            walls = heap.walls[world.model.body]
            if some.any() and walls.any():
                way[some] = (state.x[walls] - state.x_prev[walls]).mean(axis=0)
        return is_held, way

    def _go_on_as_one(self, world: World, first: int, hard: int, h: float) -> None:
        """Move bodies of the contacts from `first` and `hard` on, with all near them, each heap as a stiff body."""
        every, model, x0 = self._all, world.model, self._all.x0
        for heap in self._heaps(world, first, hard):
            self.stopped += 1
            free = np.flatnonzero(heap.bodies[model.body[: len(x0)]] & (model.inv_mass[: len(x0)] > 0.0))
            some = np.zeros(0, dtype=np.int64)
            if every.rigid is not None:
                some = np.flatnonzero(heap.bodies[every.rigid.rigid.system])
            move_as_one(every, world, free, some, not heap.meets_wall, h)
