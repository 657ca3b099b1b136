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


def find_heaps(crosses: np.ndarray, contacts: Contacts, near: np.ndarray) -> Iterator[Heap]:
    """The heaps of the bodies that cross something.

    Args: crosses: (bodies,) bool; contacts: of all bodies; near: `near_by_surfaces`.
    """
    near, held, stands_still = _with_hulls(contacts, near), _held_bodies(contacts), contacts.stands_still
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


def _held_bodies(contacts: Contacts) -> np.ndarray:
    """Rigid bodies that touch something immovable as hulls, (bodies,) bool."""
    held, rigid = np.zeros(len(contacts.stands_still), dtype=bool), contacts.rigid
    if rigid is not None:
        sides, toward = rigid.columns.sides[: rigid.count], rigid.columns.toward[: rigid.count]
        alone = sides.max(axis=1, initial=-1)[(toward[:, 3] == 0.0) & (sides < 0).any(axis=1)]
        held[rigid.rigid.system[alone[alone >= 0]]] = True
    return held


def near_by_surfaces(contacts: Contacts, body: np.ndarray) -> np.ndarray:
    """Pairs of bodies of which the broad phase found elements near each other, (k, 2) int64, each once.

    Args: body: (n,) body of each particle.
    """
    search, elements = contacts.search, contacts.elements
    return _each_once(len(contacts.stands_still), [
        np.stack([body[search.pair_particle], body[elements.corner[search.near[search.pair_start], 0]]], axis=1),
        body[elements.edge[search.edge_pair, 0]],
    ])


def _with_hulls(contacts: Contacts, near: np.ndarray) -> np.ndarray:
    """The pairs of bodies `near` (k, 2), and those that touch as hulls."""
    rigid = contacts.rigid
    if rigid is None:
        return near
    sides = rigid.columns.sides[: rigid.count]
    touching = rigid.rigid.system[sides[(sides >= 0).all(axis=1)]]
    return _each_once(len(contacts.stands_still), [near, touching])


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
