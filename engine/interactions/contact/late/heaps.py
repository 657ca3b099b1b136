"""Heaps: bodies near each other that move as one stiff body where nothing else has parted them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....solver.rotation import rotation_matrices
from ....world.world import World

if TYPE_CHECKING:
    from ..system import Contacts


class Heap(NamedTuple):
    """Bodies that are near each other, from one to the next.

    Attributes:
        bodies: (bodies,) bool; meets_wall: whether any of them is near something immovable, or touches it as a hull.
        walls: (bodies,) bool, what is immovable near them.
    """

    bodies: np.ndarray
    meets_wall: bool
    walls: np.ndarray


class NearBodies:
    """Bodies near each other in the rounds of a last check, and the heaps that they form."""

    def __init__(self, contacts: Contacts, body: np.ndarray) -> None:
        """Args: contacts: of all bodies; body: (n,) body of each particle."""
        search, elements, bodies = contacts.search, contacts.elements, len(contacts.stands_still)
        self._contacts, self._held, self._seen = contacts, np.zeros(bodies, dtype=bool), 0
        # Pairs (k, 2) int64 of bodies of which the search found elements near each other, or that touch as hulls.
        self._near = _each_once(bodies, [
            np.stack([body[search.pair_particle], body[elements.corner[search.near[search.pair_start], 0]]], axis=1),
            body[elements.edge[search.edge_pair, 0]],
        ])
        self._heaps: dict[bytes, list[Heap]] = {}

    def heaps(self, crosses: np.ndarray) -> list[Heap]:
        """The heaps of the bodies that cross something, (bodies,) bool."""
        self._take_hulls()
        known = crosses.tobytes()
        if known not in self._heaps:
            self._heaps[known] = list(_find_heaps(crosses, self._near, self._held, self._contacts.stands_still))
        return self._heaps[known]

    def _take_hulls(self) -> None:
        """Take over what rigid bodies have touched since the last round."""
        rigid = self._contacts.rigid
        if rigid is None or self._seen == rigid.count:
            return
        system, some, self._seen = rigid.rigid.system, slice(self._seen, rigid.count), rigid.count
        sides, toward = rigid.columns.sides[some], rigid.columns.toward[some]
        touching = system[sides[(sides >= 0).all(axis=1)]]
        alone = sides.max(axis=1, initial=-1)[(toward[:, 3] == 0.0) & (sides < 0).any(axis=1)]
        held = system[alone[alone >= 0]]
        if len(touching) or not self._held[held].all():
            self._near, self._held[held] = _each_once(len(self._held), [self._near, touching]), True
            self._heaps.clear()


def _find_heaps(crosses: np.ndarray, near: np.ndarray, held: np.ndarray, stands_still: np.ndarray) -> Iterator[Heap]:
    """The heaps of the bodies that cross something.

    Args: crosses: (bodies,) bool; near: (k, 2) pairs of bodies near each other; held: (bodies,) bool, rigid bodies
        that touch something immovable as hulls; stands_still: (bodies,) bool.
    """
    left = crosses & ~stands_still
    while left.any():
        heap = np.zeros_like(left)
        heap[np.flatnonzero(left)[0]] = True
        meets_wall, grown, walls = False, True, np.zeros_like(left)
        while grown:
            beside = np.unique(near[heap[near].any(axis=1)])
            meets_wall = bool(stands_still[beside].any() or held[beside].any())
            walls[beside] = stands_still[beside]
            beside = beside[~stands_still[beside]]
            grown = not heap[beside].all()
            heap[beside] = True
        left &= ~heap
        yield Heap(heap, meets_wall, walls)


def _each_once(count: int, pairs: list[np.ndarray]) -> np.ndarray:
    """All pairs of bodies, (k, 2) int64 each, without those that come again; count: of bodies."""
    key = np.concatenate([two[:, 0].astype(np.int64) * count + two[:, 1] for two in pairs])
    # Pairs of elements are listed body by body, so most have the key of the one before.
    key = np.unique(key[np.flatnonzero(np.diff(key, prepend=-1))])
    return np.stack([key // count, key % count], axis=1)


def move_as_one(
    contacts: Contacts, world: World, free: np.ndarray, some: np.ndarray, moves: bool, h: float,
) -> None:
    """Put particles and bodies back to the start of the substep, and move them by their mean displacement.

    Linear and angular momentum are kept: all get the velocities of one stiff body with the momenta of the heap.

    Args: free: (k,) particles of soft bodies; some: (m,) numbers of rigid bodies; moves: False for a heap that
        touches something immovable, which stops.
    """
    state, model = world.state, world.model
    bodies = contacts.rigid.rigid if contacts.rigid is not None else None
    mass, x, v = model.mass[free], contacts.x0[free], (state.x[free] - state.x_prev[free]) / h
    spin, inertia, turned = np.zeros(3), np.zeros((3, 3)), np.zeros((0, 3, 3))
    if bodies is not None:
        bodies.go_back(some, np.zeros((len(some), 3)), state.x)
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
    state.x[free] = contacts.x0[free] + h * mean
    state.x_prev[free] = state.x[free] - h * speed[:count]
    state.was_clamped[free] = True
    if bodies is not None:
        bodies.position[some] += h * mean
        bodies.place(some, state.x)
        bodies.velocity[some], bodies.angular_momentum[some] = speed[count:], turned @ rate
