"""Shortens displacements of a substep until no contact crosses a surface.

Contacts of rigid bodies that share bodies or particles form a group; any other contact is a group of its own. A soft
particle ends at x0 + w + a (x - x0 - w) instead of x. Here w is the mean displacement of the immovable members of the
group, or else that of the group's centre of mass, so that bodies that fall together continue to fall. A rigid body of a
pile that touches something immovable counts as held too: what it presses against cannot move it. The fraction a only
decreases. At a = 0 a group keeps the shape it had when the substep began, if its rigid bodies do so too, and nothing in
it crosses. What still crosses then is moved as one rigid body or stopped, see `interactions.contact.late.crossings`.

Velocities stay unchanged: contacts of the next substep stop the remaining approach, by the masses of both sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel
from ...disjoint_sets import join, root_of


class Crossings(NamedTuple):
    """Contacts `first` to `count` of a table.

    Attributes:
        first, count: the range; contact, weight: (m, 4), see `contact_buffer`.
    """

    first: int
    count: int
    contact: np.ndarray
    weight: np.ndarray


class Groups(NamedTuple):
    """Scratch arrays over nodes: the particles, and after them the rigid bodies.

    Attributes:
        rigid_of: (n,) int32, rigid body of each particle, or -1.
        root: (nodes,) int64, see `disjoint_sets`.
        is_added, is_moved: (nodes,) bool, whether a node is in its sums and whether it was moved; False between calls.
        sums: (nodes, 8) displacement times mass and mass of a group, then the same of its immovable or held members.
        common: (bodies, 3) out: w of each body [m]; is_short: (bodies,) bool, out: whether it is in any group.
    """

    rigid_of: np.ndarray
    root: np.ndarray
    is_added: np.ndarray
    is_moved: np.ndarray
    sums: np.ndarray
    common: np.ndarray
    is_short: np.ndarray


def no_groups(rigid_of: np.ndarray, bodies: int) -> Groups:
    """Arrays for particles with `rigid_of` (n,) int32, and a number of rigid bodies."""
    nodes = len(rigid_of) + bodies
    return Groups(
        rigid_of, np.zeros(nodes, dtype=np.int64), *np.zeros((2, nodes), dtype=bool), np.zeros((nodes, 8)),
        np.zeros((bodies, 3)), np.zeros(bodies, dtype=bool),
    )


@kernel
def _node_of(i, inv_mass, rigid_of):
    """Node of particle i, -1 if it is immovable."""
    if rigid_of[i] >= 0:
        return rigid_of.shape[0] + rigid_of[i]
    return i if inv_mass[i] > 0.0 else -1


@kernel
def _begin(crossings, inv_mass, groups):
    """Make each node of these contacts a group of its own, with sums of zero."""
    for m in range(crossings.first, crossings.count):
        for e in range(4):
            node = _node_of(crossings.contact[m, e], inv_mass, groups.rigid_of)
            if node >= 0:
                groups.root[node] = node
                for k in range(8):
                    groups.sums[node, k] = 0.0


@kernel
def _join_nodes(crossings, inv_mass, groups):
    """Join the nodes of each contact."""
    for m in range(crossings.first, crossings.count):
        last = -1
        for e in range(4):
            node = _node_of(crossings.contact[m, e], inv_mass, groups.rigid_of)
            if node >= 0 and crossings.weight[m, e] != 0.0:
                last = node if last < 0 else join(groups.root, last, node)


@kernel
def _add_displacements(crossings, inv_mass, groups, positions, bodies):
    """Add the displacements of all nodes, each once, and of immovable particles to the sums of their groups."""
    x, x_prev = positions
    body_mass, body_displacement, is_held, held_displacement = bodies
    count = groups.rigid_of.shape[0]
    sums = groups.sums
    for m in range(crossings.first, crossings.count):
        top = -1
        for e in range(4):
            node = _node_of(crossings.contact[m, e], inv_mass, groups.rigid_of)
            if node < 0 or crossings.weight[m, e] == 0.0:
                continue
            top = root_of(groups.root, node)
            if groups.is_added[node]:
                continue
            groups.is_added[node] = True
            b = node - count
            mass = 1.0 / inv_mass[node] if b < 0 else body_mass[b]
            for k in range(3):
                displacement = x[node, k] - x_prev[node, k] if b < 0 else body_displacement[b, k]
                sums[top, k] += mass * displacement
                if b >= 0 and is_held[b]:
                    sums[top, 4 + k] += mass * held_displacement[b, k]
            sums[top, 3] += mass
            if b >= 0 and is_held[b]:
                sums[top, 7] += mass
        for e in range(4):
            i = crossings.contact[m, e]
            part = abs(crossings.weight[m, e])
            if top < 0 or part == 0.0 or _node_of(i, inv_mass, groups.rigid_of) >= 0:
                continue
            for k in range(3):
                sums[top, 4 + k] += part * (x[i, k] - x_prev[i, k])
            sums[top, 7] += part


@kernel
def _shorten_nodes(crossings, inv_mass, groups, fraction, x0, positions):
    """Move the soft particles of these contacts, each once, and write the common displacement w of rigid bodies."""
    x, x_prev = positions
    count = groups.rigid_of.shape[0]
    for m in range(crossings.first, crossings.count):
        for e in range(4):
            node = _node_of(crossings.contact[m, e], inv_mass, groups.rigid_of)
            if node < 0 or not groups.is_added[node]:
                continue
            groups.is_added[node] = False
            if groups.is_moved[node]:
                continue
            groups.is_moved[node] = True
            top = root_of(groups.root, node)
            first = 4 if groups.sums[top, 7] > 0.0 else 0
            for k in range(3):
                common = groups.sums[top, first + k] / groups.sums[top, first + 3]
                if node >= count:
                    groups.common[node - count, k] = common
                    groups.is_short[node - count] = True
                    continue
                back = (1.0 - fraction) * (x[node, k] - x0[node, k] - common)
                x[node, k] -= back
                x_prev[node, k] -= back


@kernel
def _clear_moved(crossings, inv_mass, groups):
    """Clear the moved flags of the nodes of these contacts."""
    for m in range(crossings.first, crossings.count):
        for e in range(4):
            node = _node_of(crossings.contact[m, e], inv_mass, groups.rigid_of)
            if node >= 0:
                groups.is_moved[node] = False


@kernel
def shorten_displacements(hard, mixed, soft, inv_mass, groups, fraction, x0, positions, bodies):
    """Shorten the displacements of the soft particles of contacts, and find the common displacement of rigid bodies.

    A particle in several groups moves with the first one.

    Args:
        hard, mixed, soft: contacts between rigid bodies, of these with soft particles, and of these alone, `Crossings`.
        inv_mass: (n,) [1/kg]; groups: `Groups`, out; fraction: a; x0: (n, 3) positions at the start of the substep [m].
        positions: x and x_prev, in and out (n, 3) [m].
        bodies: of rigid bodies: mass (b,) [kg], displacement by their velocity (b, 3) [m], whether each is held (b,)
            bool, and displacement of its support (b, 3) [m].
    """
    for crossings in (hard, mixed):
        _begin(crossings, inv_mass, groups)
    for crossings in (hard, mixed):
        _join_nodes(crossings, inv_mass, groups)
    for crossings in (hard, mixed):
        _add_displacements(crossings, inv_mass, groups, positions, bodies)
    for crossings in (hard, mixed):
        _shorten_nodes(crossings, inv_mass, groups, fraction, x0, positions)
    for m in range(soft.first, soft.count):
        one = Crossings(m, m + 1, soft.contact, soft.weight)
        _begin(one, inv_mass, groups)
        _join_nodes(one, inv_mass, groups)
        _add_displacements(one, inv_mass, groups, positions, bodies)
        _shorten_nodes(one, inv_mass, groups, fraction, x0, positions)
    for crossings in (hard, mixed, soft):
        _clear_moved(crossings, inv_mass, groups)
