"""Clusters: bodies near each other that move as one stiff body where no other method has separated them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....solver.rotation import rotation_matrices
from ....world.world import World

if TYPE_CHECKING:
    from ..system import Contacts


class Cluster(NamedTuple):
    """Bodies that are connected by chains of near pairs.

    Attributes:
        bodies: (bodies,) bool; meets_wall: whether any of them is near something immovable, or touches it as a hull.
        walls: (bodies,) bool, immovable bodies near them.
    """

    bodies: np.ndarray
    meets_wall: bool
    walls: np.ndarray


class NearBodies:
    """Bodies near each other in the rounds of a last check, and the clusters that they form."""

    def __init__(self, contacts: Contacts, body: np.ndarray) -> None:
        """Args: contacts: of all bodies; body: (n,) body of each particle."""
        search, elements, bodies = contacts.search, contacts.elements, len(contacts.is_immovable)
        self._contacts, self._at_wall, self._seen_count = contacts, np.zeros(bodies, dtype=bool), 0
        # Pairs (k, 2) int64 of bodies that have elements near each other, as found by the search, or touch as hulls.
        self._near = _unique_pairs(bodies, [
            np.stack([body[search.pair_particle], body[elements.corner[search.near[search.pair_start], 0]]], axis=1),
            body[elements.edge[search.edge_pair, 0]],
        ])
        self._clusters: dict[bytes, list[Cluster]] = {}

    def clusters(self, crosses: np.ndarray) -> list[Cluster]:
        """The clusters that contain the bodies that cross something, (bodies,) bool."""
        self._add_hull_contacts()
        known = crosses.tobytes()
        if known not in self._clusters:
            self._clusters[known] = list(
                _find_clusters(crosses, self._near, self._at_wall, self._contacts.is_immovable)
            )
        return self._clusters[known]

    def _add_hull_contacts(self) -> None:
        """Add what rigid bodies have touched since the last round."""
        rigid = self._contacts.rigid
        if rigid is None or self._seen_count == rigid.count:
            return
        system, some, self._seen_count = rigid.rigid.system, slice(self._seen_count, rigid.count), rigid.count
        sides, normal_response = rigid.columns.sides[some], rigid.columns.normal_response[some]
        touching = system[sides[(sides >= 0).all(axis=1)]]
        alone = sides.max(axis=1, initial=-1)[(normal_response[:, 3] == 0.0) & (sides < 0).any(axis=1)]
        at_wall = system[alone[alone >= 0]]
        if len(touching) or not self._at_wall[at_wall].all():
            self._near, self._at_wall[at_wall] = _unique_pairs(len(self._at_wall), [self._near, touching]), True
            self._clusters.clear()


def _find_clusters(
    crosses: np.ndarray, near: np.ndarray, at_wall: np.ndarray, is_immovable: np.ndarray
) -> Iterator[Cluster]:
    """The clusters that contain the bodies that cross something.

    Args: crosses: (bodies,) bool; near: (k, 2) pairs of bodies near each other; at_wall: (bodies,) bool, rigid bodies
        that touch something immovable as hulls; is_immovable: (bodies,) bool.
    """
    remaining = crosses & ~is_immovable
    while remaining.any():
        cluster = np.zeros_like(remaining)
        cluster[np.flatnonzero(remaining)[0]] = True
        meets_wall, grown, walls = False, True, np.zeros_like(remaining)
        while grown:
            beside = np.unique(near[cluster[near].any(axis=1)])
            meets_wall = bool(is_immovable[beside].any() or at_wall[beside].any())
            walls[beside] = is_immovable[beside]
            beside = beside[~is_immovable[beside]]
            grown = not cluster[beside].all()
            cluster[beside] = True
        remaining &= ~cluster
        yield Cluster(cluster, meets_wall, walls)


def _unique_pairs(count: int, pairs: list[np.ndarray]) -> np.ndarray:
    """All pairs of bodies, (k, 2) int64 each, without repetitions; count: number of bodies."""
    key = np.concatenate([two[:, 0].astype(np.int64) * count + two[:, 1] for two in pairs])
    # Pairs of elements are listed body by body, so most have the key of the previous one.
    key = np.unique(key[np.flatnonzero(np.diff(key, prepend=-1))])
    return np.stack([key // count, key % count], axis=1)


def move_as_one(
    contacts: Contacts, world: World, free: np.ndarray, some: np.ndarray, moves: bool, h: float,
) -> None:
    """Put particles and bodies back to the start of the substep, and move them by their mean displacement.

    Linear and angular momentum are kept: all get the velocities of one stiff body with the momenta of the cluster.

    Args: free: (k,) particles of soft bodies; some: (m,) indices of rigid bodies; moves: False for a cluster that
        touches something immovable, which stops.
    """
    state, model = world.state, world.model
    bodies = contacts.rigid.rigid if contacts.rigid is not None else None
    mass, x, v = model.mass[free], contacts.x0[free], (state.x[free] - state.x_prev[free]) / h
    angular_momentum, inertia, world_inertia = np.zeros(3), np.zeros((3, 3)), np.zeros((0, 3, 3))
    if bodies is not None:
        bodies.reset_to_search_pose(some, np.zeros((len(some), 3)), state.x)
        mass, x, v = (
            np.concatenate(both) for both in (
                (mass, bodies.mass[some]), (x, bodies.position[some]), (v, bodies.velocity[some])
            )
        )
        matrix = rotation_matrices(bodies.rotation[some])
        world_inertia = np.einsum("bij,bj,bkj->bik", matrix, bodies.inertia[some], matrix)
        angular_momentum, inertia = bodies.angular_momentum[some].sum(axis=0), world_inertia.sum(axis=0)
    mean, rate = np.zeros(3), np.zeros(3)
    lever = x - mass @ x / mass.sum()
    if moves:
        mean = mass @ v / mass.sum()
        angular_momentum += np.cross(lever, mass[:, None] * v).sum(axis=0)
        inertia += (mass[:, None] * lever).ravel() @ lever.ravel() * np.eye(3) - (mass[:, None] * lever).T @ lever
        rate = np.linalg.lstsq(inertia, angular_momentum, rcond=None)[0]
    speed, count = mean + np.cross(rate, lever), len(free)
    state.x[free] = contacts.x0[free] + h * mean
    state.x_prev[free] = state.x[free] - h * speed[:count]
    state.was_clamped[free] = True
    if bodies is not None:
        bodies.position[some] += h * mean
        bodies.place(some, state.x)
        bodies.velocity[some], bodies.angular_momentum[some] = speed[count:], world_inertia @ rate
