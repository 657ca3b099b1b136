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
from .borne import SupportedParticles
from .heaps import Cluster, NearBodies, move_as_one
from .overlaps import Overlaps

if TYPE_CHECKING:
    from ..system import Contacts

# How many rounds project crossing contacts by the inverse masses of both sides.
ROUNDS = 4
# Each later round shortens the displacements of soft particles that still cross to this fraction, see
# `response.shorten`. Displacements of rigid bodies come last: otherwise a body that supports soft particles which
# cannot reach it stays where it is for good.
FRACTIONS = (0.5, 0.0)
# So many further rounds collect crossing particles and bodies in rigid impact zones, which continue as they were when
# the substep began. What one round has stopped stays in its zone, so zones only grow, and the search ends: with groups
# from one round only, two layers of cloth passed a crossing back and forth, and the cluster stopped for it in each
# substep, for ever.
ZONES = 12


def _no_bodies() -> tuple[np.ndarray, ...]:
    """Arguments of `shorten_displacements` for a world without rigid bodies."""
    return np.zeros(0), np.zeros((0, 3)), np.zeros(0, dtype=bool), np.zeros((0, 3))


class LateContacts:
    """Resolves the crossings that are left after the contact solve of a substep.

    Attributes:
        bodies_stop: end of the contacts between rigid bodies and soft particles, which come first.
        pressing_stop: end of those that press soft particles onto their supporting body, which follow.
        soft_stop: end of all but the contacts with something immovable.
        shortened: number of contacts that shortened displacements in this frame; stopped: of clusters that moved as one
            stiff body in it; left: of crossings that were ignored in it, because their bodies intersect anyhow.
        overlaps: pairs of bodies that intersect at the start of a substep; their crossings are ignored.
    """

    def __init__(self, contacts: Contacts, model: Model) -> None:
        """Args: contacts: the behaviour that finds them."""
        self._all = contacts
        self.bodies_stop = self.pressing_stop = self.soft_stop = 0
        self._supported = SupportedParticles(contacts.rigid_of, model.inv_mass)
        rigid_bodies = 0 if contacts.rigid is None else len(contacts.rigid.rigid.mass)
        self._number = np.zeros(rigid_bodies, dtype=np.int64)
        self.shortened = self.stopped = self.left = 0
        self._ignores_overlaps = False
        self._near: NearBodies | None = None
        self.overlaps = Overlaps(contacts.elements, contacts.narrow.winding, model.body, contacts.deforms)

    @cached_property
    def _groups(self) -> Groups:
        """Scratch arrays of `shorten_displacements`, 76 bytes a particle: allocated at its first use."""
        return no_groups(self._all.rigid_of, len(self._number))

    def begin_frame(self) -> None:
        """Reset the counters, and forget which bodies intersect."""
        self.shortened = self.stopped = self.left = 0
        self.overlaps.begin_frame()

    def ignore_overlapping(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Which contacts of bodies a and b, (k,) each, are ignored, (k,) bool."""
        ignored = self.overlaps.has(a, b) & self._ignores_overlaps
        self.left += int(np.count_nonzero(ignored))
        return ignored

    def order_crossings(self, first: int, contact: np.ndarray, weight: np.ndarray, normal: np.ndarray) -> np.ndarray:
        """The order (k,) in which crossing contacts are projected; sets `bodies_stop`, `pressing_stop`, `soft_stop`.

        Args: first: index of the first one; contact, weight: (k, 4), normal: (k, 3), see `contact_buffer`.
        """
        rank = np.where((self._all.rigid_of[contact] < 0).all(axis=1), 2, 0)
        soft = np.flatnonzero(rank)
        rank[soft[self._supported.find_pressing(contact[soft], weight[soft], normal[soft])]] = 1
        self.bodies_stop = first + int(np.count_nonzero(rank == 0))
        rank[soft[self._supported.has_immovable_side(contact[soft], weight[soft])]] = 3
        self.pressing_stop = self.bodies_stop + int(np.count_nonzero(rank == 1))
        self.soft_stop = self.pressing_stop + int(np.count_nonzero(rank == 2))
        return np.argsort(rank, kind="stable")

    def remove_crossings(self, world: World, h: float) -> None:
        """Move back all particles and bodies that crossed a surface in this substep.

        The first rounds project contacts by masses. The next ones shorten displacements. Those that follow move
        crossing particles and bodies in rigid impact zones. The last moves the bodies that still cross something, with
        all near them, as one stiff body. So the number of searches is bounded.
        Bodies that already intersect when the substep begins have no side to be kept on. They are projected once, and
        remaining crossings are ignored; the next frame checks again whether they intersect.
        """
        every, state = self._all, world.state
        rigid = every.rigid
        self._supported.begin()
        self._near = None
        is_known = not every.search.look_back(every.x0, state.x, h)
        if not is_known:
            every.allot(world)
        rounds, zones, goes_on = ROUNDS + len(FRACTIONS), (0, 0), False
        for round_number in range(rounds + ZONES + 1 if every.search.slots else 0):
            asked = every.recheck.ask(every.search, state.x, is_known, goes_on)
            if not asked.pairs.any():
                break
            first_rigid = 0 if rigid is None else rigid.count
            self._ignores_overlaps = round_number > 0
            first = every.find(world, asked)
            if not is_known:
                every.recheck.expect_here(state.x, every.search.moving)
                is_known = True
            if world.contact_buffer.count == first and (rigid is None or rigid.count == first_rigid):
                break
            if round_number == ROUNDS:
                self.overlaps.look(world.contact_buffer.contact[first : world.contact_buffer.count], every.x0)
            self.shortened += world.contact_buffer.count - first if ROUNDS <= round_number < rounds + ZONES else 0
            if round_number < ROUNDS:
                self.project_crossings(world, first, h)
            elif round_number < rounds:
                self.shorten(world, first, first_rigid, FRACTIONS[round_number - ROUNDS], False, h)
            elif round_number < rounds + ZONES:
                # The crossings of all these rounds follow each other in the tables, and may move again.
                zones = (first, first_rigid) if round_number == rounds else zones
                first, first_rigid = zones
                self.shorten(world, first, first_rigid, 0.0, True, h)
            else:
                self._move_clusters(world, first, first_rigid, h)
                break
            goes_on = not self._search_displaced(world, first, h)
            is_known &= goes_on

    def _search_displaced(self, world: World, first: int, h: float) -> bool:
        """Search around particles displaced beyond the margin when agents in crossings from `first` on were moved back.

        Returns whether there were any. A light agent that a heavy body carries along can leave the range within which
        near pairs were found.
        """
        every, crossing = self._all, world.contact_buffer.contact[first : world.contact_buffer.count]
        if not every.is_agent[crossing].any() or not every.search.look_back(every.x0, world.state.x, h):
            return False
        every.allot(world)
        self._near = None
        return True

    def project_crossings(self, world: World, first: int, h: float) -> None:
        """Project the contacts from `first` on by the inverse masses of their sides, and give bodies the impulses."""
        state, model, buffer, rigid = world.state, world.model, world.contact_buffer, self._all.rigid
        supported, contact = self._supported, buffer.contact
        if rigid is not None:
            own, displacement = rigid.rigid, state.x - state.x_prev
            # The rigid solve that follows starts from the poses at the start of the substep.
            gained = no_momenta(own.mass, own.position_before if rigid.count else own.position)
            pressed = [column[first : self.bodies_stop] for column in (contact, buffer.weight, buffer.normal)]
            for start, stop, inv_mass, supporting_body in (
                (first, self.bodies_stop, supported.fix_at_walls(*pressed), self._all.rigid_of),
                (self.bodies_stop, self.pressing_stop, supported.inv_mass, supported.supporting_body),
            ):
                stop_at_bodies(
                    start, stop, buffer.columns, (inv_mass, model.mass), supporting_body, own.columns,
                    (self._all.x0, state.x_prev, state.x, self._all.recovered, displacement), h,
                    world.spec.integrator == "SYMPLECTIC", gained, self._number,
                )
            supported.note_supported(*pressed)
            rigid.gain(gained)
        soft = [column[self.pressing_stop : self.soft_stop] for column in (contact, buffer.weight, buffer.normal)]
        self._all.solve(world, self.pressing_stop, True, h, self.soft_stop, supported.fix_at_walls(*soft))
        self._all.solve(world, self.soft_stop, True, h, buffer.count, model.inv_mass)
        supported.note_at_walls(
            *(column[self.soft_stop : buffer.count] for column in (contact, buffer.weight, buffer.normal))
        )
        # The springs were solved before, so these particles need pre-stabilization too.
        state.was_clamped[contact[first : buffer.count]] = True
        if rigid is not None:
            rigid.solve(world, h, self._all.x0, self._all.recovered, contact[first : buffer.count])

    def shorten(self, world: World, first: int, first_rigid: int, fraction: float, in_zones: bool, h: float) -> None:
        """Shorten the displacements of soft particles in contacts to a fraction; in zones also of rigid bodies.

        Args:
            first: the first crossing of soft particles; first_rigid: the first one between two rigid bodies; h: [s].
            in_zones: whether all contacts are joined, and rigid bodies are moved back too; otherwise contacts of soft
                particles only form groups of their own.
        """
        state, buffer, every, groups = world.state, world.contact_buffer, self._all, self._groups
        joined = buffer.count if in_zones else self.bodies_stop
        mixed = Crossings(first, joined, buffer.contact, buffer.weight)
        soft = Crossings(joined, buffer.count, buffer.contact, buffer.weight)
        between, bodies = soft._replace(first=0, count=0), _no_bodies()
        if every.rigid is not None:
            table, own = every.rigid.columns, every.rigid.rigid
            between = Crossings(first_rigid, every.rigid.count, table.contact, table.weight)
            bodies = (own.mass, h * own.velocity, *self._at_immovable(world, first, first_rigid))
        shorten_displacements(
            between, mixed, soft, world.model.inv_mass, groups, fraction, every.x0, (state.x, state.x_prev), bodies
        )
        state.was_clamped[buffer.contact[first : buffer.count]] = True
        if every.rigid is not None:
            some = np.flatnonzero(groups.is_short)
            groups.is_short[some] = False
            if in_zones:
                own.reset_to_search_pose(some, groups.common[some], state.x)
                # Otherwise a body that light bodies support at a wall would keep its speed, and gain more by gravity.
                held = some[bodies[2][some]]
                own.velocity[held], own.angular_momentum[held] = groups.common[held] / h, 0.0

    def _clusters(self, world: World, first: int, first_rigid: int) -> list[Cluster]:
        """The clusters of the contacts from `first` and `first_rigid` on."""
        if self._near is None:
            self._near = NearBodies(self._all, world.model.body)
        return self._near.clusters(self._crosses(world, first, first_rigid))

    def _crosses(self, world: World, first: int, first_rigid: int) -> np.ndarray:
        """Bodies in the contacts from `first` and `first_rigid` on, (bodies,) bool."""
        every, model = self._all, world.model
        crosses = np.zeros(len(model.bodies), dtype=bool)
        crosses[model.body[world.contact_buffer.contact[first : world.contact_buffer.count]]] = True
        if every.rigid is not None:
            sides = every.rigid.columns.sides[first_rigid : every.rigid.count]
            crosses[every.rigid.rigid.system[sides[sides >= 0]]] = True
        return crosses

    def _at_immovable(self, world: World, first: int, first_rigid: int) -> tuple[np.ndarray, np.ndarray]:
        """Rigid bodies in clusters that touch something immovable, (b,) bool, and its displacement there, (b, 3) [m].

        The displacement of a wall that collides as a hull counts as zero.
        """
        state, own = world.state, self._all.rigid.rigid
        is_held, displacement = np.zeros(len(own.mass), dtype=bool), np.zeros((len(own.mass), 3))
        for cluster in self._clusters(world, first, first_rigid):
            some = cluster.bodies[own.system] & cluster.meets_wall
            is_held |= some
            walls = cluster.walls[world.model.body]
            if some.any() and walls.any():
                displacement[some] = (state.x[walls] - state.x_prev[walls]).mean(axis=0)
        return is_held, displacement

    def _move_clusters(self, world: World, first: int, first_rigid: int, h: float) -> None:
        """Move the clusters of the contacts from `first` and `first_rigid` on, each as one stiff body."""
        every, model, x0 = self._all, world.model, self._all.x0
        for cluster in self._clusters(world, first, first_rigid):
            self.stopped += 1
            free = np.flatnonzero(cluster.bodies[model.body[: len(x0)]] & (model.inv_mass[: len(x0)] > 0.0))
            some = np.zeros(0, dtype=np.int64)
            if every.rigid is not None:
                some = np.flatnonzero(cluster.bodies[every.rigid.rigid.system])
            move_as_one(every, world, free, some, not cluster.meets_wall, h)
