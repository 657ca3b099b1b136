"""The last check of a substep: particles and bodies that crossed a surface are moved back until none crosses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...solver.collide.response.clamp import Momenta, react, share_speeds, shorten_ways
from ...solver.rotation import rotation_matrices
from ...world.world import World

if TYPE_CHECKING:
    from .system import Contacts

# How often those on the way through something are set before it by their masses.
ROUNDS = 4
# To what share of their ways those are held then who still go through something, one after another.
SHARES = (0.5, 0.5, 0.0, 0.0, 0.0, 0.0)
# Bodies whose ways had to be shortened in so many substeps in a row lie in each other, and are let go.
PATIENCE = 10


def _nothing(mass: np.ndarray, position: np.ndarray) -> Momenta:
    """What bodies gain so far; args: mass (b,) [kg]; position (b, 3) of centres [m]."""
    return Momenta(mass, position, np.zeros_like(position), np.zeros_like(position))


class LateContacts:
    """Contacts that lead through something.

    Attributes:
        of_bodies: how many contacts there are up to the last one of a rigid body with soft particles.
        shortened: how many contacts shortened ways in the running frame; stopped: how many heaps went on as one in it;
            left: how many contacts went through something in it, because their bodies are let go.
        caught: (bodies,) int64, for how many substeps each has been in the way of another.
        lets_go: (bodies,) bool, those of which contacts are left alone in the running round.
    """

    def __init__(self, contacts: Contacts) -> None:
        """Args: who finds them."""
        self._all = contacts
        self._is_done, self.of_bodies = np.zeros(len(contacts.rigid_of), dtype=bool), 0
        self.shortened = self.stopped = self.left = 0
        bodies = len(contacts.stands_still)
        self.caught, self.lets_go, self._seen = (np.zeros(bodies, dtype=kind) for kind in (np.int64, bool, bool))

    def begin_frame(self) -> None:
        """Count anew."""
        self.shortened = self.stopped = self.left = 0

    def leave(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Which contacts of bodies a and b, (k,) each, are left alone, (k,) bool."""
        left = self.lets_go[a] & self.lets_go[b]
        self._seen[a[left]] = self._seen[b[left]] = True
        self.left += int(np.count_nonzero(left))
        return left

    def let_nobody_through(self, world: World, h: float) -> None:
        """Look again at the way that was really gone, and keep back who went through something on it.

        First by masses, then by shorter ways, and at last for whole bodies: those that still go through something, and
        all that are near them, go on as one. So a substep looks at no pair more often than ROUNDS and SHARES say.
        Bodies that lie in each other would be held so for ever: after PATIENCE substeps they are set back once by their
        masses, and what still goes through is left to the next substep.
        """
        every, state = self._all, world.state
        rigid = every.rigid
        is_known = not every.search.look_back(every.x0, state.x, h)
        if not is_known:
            every.allot(world)
        asked, rounds = None, ROUNDS + len(SHARES)
        self._seen[:] = False
        for iteration in range(rounds + 1 if every.search.slots else 0):
            if is_known and (iteration == 0 or rigid is not None):
                asked = every.recheck.astray(every.search, every.elements, state.x)
            hard = 0 if rigid is None else rigid.count
            self.lets_go = (self.caught >= PATIENCE) & (iteration > 0)
            first = every.find(world, True, asked)
            if world.holds.count == first and (rigid is None or rigid.count == hard):
                break
            if iteration >= ROUNDS:
                self._seen[world.model.body[world.holds.contact[first : world.holds.count]]] = True
            if iteration < ROUNDS:
                self.hold_back(world, first, h)
            elif iteration < rounds:
                self.shorten(world, first, hard, SHARES[iteration - ROUNDS], h)
            else:
                self._go_on_as_one(world, first, hard, h)
            if rigid is None:
                asked = self.ask_again(world, first, is_known)
        if self.caught.any() or self._seen.any():
            self.caught = np.where(self._seen, self.caught + 1, 0)

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

    def _go_on_as_one(self, world: World, first: int, hard: int, h: float) -> None:
        """Bodies of the contacts from `first` and `hard` on, with all that are near them, move as stiff heaps."""
        every, bodies = self._all, world.model.bodies
        found = np.zeros(len(bodies), dtype=bool)
        found[world.model.body[world.holds.contact[first : world.holds.count]]] = True
        if every.rigid is not None:
            sides = every.rigid.columns.sides[hard : every.rigid.count]
            found[every.rigid.rigid.system[sides[sides >= 0]]] = True
        near = self._near_bodies(world)
        while (found & ~every.stands_still).any():
            heap = np.zeros_like(found)
            heap[np.flatnonzero(found & ~every.stands_still)[0]] = True
            meets_wall, grown = False, True
            while grown:
                beside = np.unique(near[heap[near].any(axis=1)])
                meets_wall = bool(every.stands_still[beside].any())
                beside = beside[~every.stands_still[beside]]
                grown = not heap[beside].all()
                heap[beside] = True
            self.stopped += 1
            self._place(world, heap, not meets_wall, h)
            found &= ~heap

    def _near_bodies(self, world: World) -> np.ndarray:
        """Pairs of bodies that the search found near each other or that touch as hulls, (k, 2) int64."""
        search, body, corner = self._all.search, world.model.body, self._all.elements.corner
        edge, rigid = self._all.elements.edge, self._all.rigid
        pairs = [
            np.stack([body[search.pair_particle], body[corner[search.near[search.pair_start], 0]]], axis=1),
            body[edge[search.edge_pair, 0]],
        ]
        if rigid is not None:
            sides = rigid.columns.sides[: rigid.count]
            sides = sides[(sides >= 0).all(axis=1)]
            pairs.append(rigid.rigid.system[sides])
        return np.unique(np.concatenate(pairs).astype(np.int64), axis=0)

    def _place(self, world: World, chosen: np.ndarray, moves: bool, h: float) -> None:
        """Put bodies, (bodies,) bool, where the substep began, and on by their mean way if they move.

        Who moves keeps both momenta: all get the velocities of one stiff body.
        """
        every, state, model = self._all, world.state, world.model
        free = np.flatnonzero(chosen[model.body[: len(every.x0)]] & (model.inv_mass[: len(every.x0)] > 0.0))
        bodies = every.rigid.rigid if every.rigid is not None else None
        some = np.zeros(0, dtype=np.int64) if bodies is None else np.flatnonzero(chosen[bodies.system])
        mass, x, v = model.mass[free], every.x0[free], (state.x[free] - state.x_prev[free]) / h
        spin, inertia, turned = np.zeros(3), np.zeros((3, 3)), np.zeros((0, 3, 3))
        if bodies is not None:
            bodies.shorten(some, 0.0, state.x)
            mass, x, v = (
                np.concatenate(both) for both in (
                    (mass, bodies.mass[some]), (x, bodies.position[some]), (v, bodies.velocity[some])
                )
            )
            matrix = rotation_matrices(bodies.rotation[some])
            turned = np.einsum("bij,bj,bkj->bik", matrix, bodies.inertia[some], matrix)
            spin, inertia = bodies.angular_momentum[some].sum(axis=0), turned.sum(axis=0)
        mean, rate = np.zeros(3), np.zeros(3)
        lever = x - mass @ x / mass.sum()
        if moves:
            mean = mass @ v / mass.sum()
            spin += np.cross(lever, mass[:, None] * v).sum(axis=0)
            inertia += (mass[:, None] * lever).ravel() @ lever.ravel() * np.eye(3) - (mass[:, None] * lever).T @ lever
            rate = np.linalg.lstsq(inertia, spin, rcond=None)[0]
        speed, count = mean + np.cross(rate, lever), len(free)
        state.x[free] = every.x0[free] + h * mean
        state.x_prev[free] = state.x[free] - h * speed[:count]
        state.was_clamped[free] = True
        if bodies is not None:
            bodies.position[some] += h * mean
            bodies.place(some, state.x)
            bodies.velocity[some], bodies.angular_momentum[some] = speed[count:], turned @ rate
