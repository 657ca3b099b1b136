"""The order in which the contacts of rigid bodies are solved: stages of tasks that have no body in common.

Gauss-Seidel needs the result of one contact for the next contact of the same body, so only contacts without a common
body may be solved at the same time. Bodies that contacts connect form an island. A small island is one task. A large
island is cut into slabs across its longest direction, each a little thicker than a body:

    stage 0   small islands, which take all their sweeps at once
    stage 1   pairs of bodies in the same slab of a large island
    stage 2   pairs across the lower side of odd slabs;  stage 3: of even slabs
    stage 4   pairs that span more slabs or have soft particles, one task for each island
    stage 5   contacts with the ground and with walls, by slab, last so that bodies are not pressed through them

Contacts with the ground and with walls are last within a task as well.
The order depends only on the island: neither on other bodies nor on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel, part_of_kernel
from ....compiler.typed_call import TypedCall
from ...disjoint_sets import join, root_of
from ..columns import BodyColumns, RigidContactColumns
from ..sides import has_static_side

# Islands with more contacts than this are cut. Thickness of a slab in mean reaches of the island's bodies (a body that
# is two reaches from another cannot touch it), fewest and most slabs.
WHOLE, THICK, FEWEST_SLABS, MOST_SLABS = 256, 2.2, 4, 128
# Stages, see above.
SMALL, WITHIN, AT_ODD, AT_EVEN, REST, GROUND = range(6)
STAGES = 6
# Columns of `OrderScratch.extent` after the least and the largest coordinates of centres.
SUM_OF_REACHES, BODIES = 6, 7


class SolveOrder(NamedTuple):
    """Contacts in tasks, tasks in stages.

    Attributes:
        contact: (m,) int64, contacts in the order of their tasks.
        task_start: (tasks + 1,) int64, ranges of `contact`; stage_start: (STAGES + 1,) int64, ranges of tasks.
    """

    contact: np.ndarray
    task_start: np.ndarray
    stage_start: np.ndarray


class OrderScratch(NamedTuple):
    """Scratch of `order_contacts`, by node: rigid bodies, then systems of particles; and by contact.

    Attributes:
        root: (nodes,) int64, see `constraints.islands.root_of`; count: (nodes,) int64, contacts of each island.
        base, slabs: (nodes,) int64, first task number of each island in a stage, and its slabs.
        axis: (nodes,) int64; low, thick: (nodes,), least coordinate along the axis, and thickness of a slab [m].
        extent: (nodes, 8), least and largest centres, sum of reaches, number of bodies.
        key: (m,) int64, stage and task of each contact; task: int64, where the contacts of each task begin.
    """

    root: np.ndarray
    count: np.ndarray
    base: np.ndarray
    slabs: np.ndarray
    axis: np.ndarray
    low: np.ndarray
    thick: np.ndarray
    extent: np.ndarray
    key: np.ndarray
    task: np.ndarray


class ContactOrder:
    """Finds the order of the contacts of a world, in arrays that it reuses."""

    def __init__(self, nodes: int) -> None:
        """Args: nodes: number of rigid bodies and of systems of particles."""
        self._nodes, self._put = nodes, TypedCall(order_contacts)
        self._is_selected = np.ones(nodes, dtype=bool)
        self.allot(0)

    def allot(self, capacity: int) -> None:
        """Allocate for so many contacts."""
        tasks = STAGES * (self._nodes + capacity) + 1
        whole, real = [self._nodes] * 5 + [capacity, tasks], [self._nodes] * 2
        root, count, base, slabs, axis, key, task = (np.zeros(size, dtype=np.int64) for size in whole)
        low, thick = map(np.zeros, real)
        self._scratch = OrderScratch(
            root, count, base, slabs, axis, low, thick, np.zeros((self._nodes, 8)), key, task
        )
        contact, task_start = np.zeros(capacity, dtype=np.int64), np.zeros(capacity + 1, dtype=np.int64)
        self.found = SolveOrder(contact, task_start, np.zeros(STAGES + 1, dtype=np.int64))

    def put(self, count: int, contacts: RigidContactColumns, body: np.ndarray, bodies: BodyColumns) -> None:
        """Order the first `count` contacts. Args: see `order_contacts`."""
        self._is_selected[:] = True
        self._put(count, contacts, body, bodies, self._is_selected, self._scratch, self.found)

    def put_islands(
        self, nodes: np.ndarray, count: int, contacts: RigidContactColumns, body: np.ndarray, bodies: BodyColumns,
    ) -> np.ndarray:
        """Order the contacts of islands with these nodes only, see `OrderScratch`; returns the bodies in them."""
        self._is_selected[:] = False
        self._is_selected[nodes] = True
        self._put(count, contacts, body, bodies, self._is_selected, self._scratch, self.found)
        return np.flatnonzero(self._is_selected[: len(bodies.mass)])


@kernel
def order_contacts(count, contacts, body, bodies, is_selected, scratch, order):
    """Find the order in which contacts 0 : count are solved.

    Args:
        contacts: `columns.RigidContactColumns`, prepared; body: (n,) system of each particle.
        bodies: `columns.BodyColumns`; scratch: `OrderScratch`; order: `SolveOrder`, out.
        is_selected: (nodes,) bool, in: only islands with such a node are solved; out: all nodes of these islands.
    """
    position, root, key, start = bodies.position, scratch.root, scratch.key, scratch.task
    _find_islands(count, contacts, body, position.shape[0], scratch)
    for node in range(root.shape[0]):
        if is_selected[node]:
            is_selected[root_of(root, node)] = True
    for node in range(root.shape[0]):
        is_selected[node] = is_selected[root_of(root, node)]
    tasks = _cut(position, bodies.reach, scratch)
    start[: STAGES * tasks + 1] = 0
    chosen = 0
    for m in range(count):
        if _is_like_last(m, contacts):
            key[m] = key[m - 1]
        elif is_selected[_body_of(m, contacts.sides)]:
            key[m] = _stage_and_task(m, contacts, position, tasks, scratch)
        else:
            key[m] = -1
        if key[m] >= 0:
            start[key[m] + 1] += 1
            chosen += 1
    found = 0
    for stage in range(STAGES):
        order.stage_start[stage] = found
        for number in range(stage * tasks, (stage + 1) * tasks):
            if start[number + 1] > 0:
                order.task_start[found] = start[number]
                found += 1
            start[number + 1] += start[number]
    order.stage_start[STAGES] = found
    order.task_start[found] = chosen
    for last in range(2):
        for m in range(count):
            if key[m] >= 0 and has_static_side(m, contacts.sides, contacts.normal_response) == (last == 1):
                order.contact[start[key[m]]] = m
                start[key[m]] += 1


@kernel
def _find_islands(count, contacts, body, bodies, scratch):
    """Join the nodes that contacts connect, and count the contacts of each island at its root."""
    sides, contact, normal_response, root = contacts.sides, contacts.contact, contacts.normal_response, scratch.root
    for node in range(root.shape[0]):
        root[node] = node
        scratch.count[node] = 0
    for m in range(count):
        if _is_like_last(m, contacts):
            continue
        a = np.int64(sides[m, 0])
        b = np.int64(sides[m, 1])
        node = a if a >= 0 else b
        if a >= 0 and b >= 0:
            node = join(root, a, b)
        if normal_response[m, 3] > 0.0:
            for e in range(4):
                if contacts.weight[m, e] != 0.0:
                    node = join(root, node, bodies + np.int64(body[contact[m, e]]))
    top = np.int64(0)
    for m in range(count):
        if not _is_like_last(m, contacts):
            top = root_of(root, _body_of(m, sides))
        scratch.count[top] += 1


@part_of_kernel
def _is_like_last(m, contacts):
    """Whether a contact has the same two sides as the one before it in the list, and neither has soft particles."""
    sides, normal_response = contacts.sides, contacts.normal_response
    is_same = m > 0 and sides[m, 0] == sides[m - 1, 0] and sides[m, 1] == sides[m - 1, 1]
    return is_same and normal_response[m, 3] == 0.0 and normal_response[m - 1, 3] == 0.0


@kernel
def _body_of(m, sides):
    """The first rigid body of a contact."""
    return np.int64(sides[m, 0]) if sides[m, 0] >= 0 else np.int64(sides[m, 1])


@kernel
def _cut(position, reach, scratch):
    """Cut large islands into slabs and number the tasks; returns the number of tasks in a stage."""
    root, extent = scratch.root, scratch.extent
    for b in range(position.shape[0]):
        top = root_of(root, np.int64(b))
        if scratch.count[top] <= WHOLE:
            continue
        if b == top:
            for k in range(3):
                extent[top, k] = position[b, k]
                extent[top, 3 + k] = position[b, k]
            extent[top, SUM_OF_REACHES] = 0.0
            extent[top, BODIES] = 0.0
        for k in range(3):
            extent[top, k] = min(extent[top, k], position[b, k])
            extent[top, 3 + k] = max(extent[top, 3 + k], position[b, k])
        extent[top, SUM_OF_REACHES] += reach[b]
        extent[top, BODIES] += 1.0
    tasks = 0
    for node in range(root.shape[0]):
        if root[node] != node or scratch.count[node] == 0:
            continue
        scratch.base[node] = tasks
        scratch.slabs[node] = 1
        if scratch.count[node] > WHOLE:
            _cut_island(node, scratch)
        tasks += scratch.slabs[node]
    return tasks


@kernel
def _cut_island(node, scratch):
    """Slabs of one island across its longest direction."""
    extent = scratch.extent
    axis = 0
    for k in range(1, 3):
        if extent[node, 3 + k] - extent[node, k] > extent[node, 3 + axis] - extent[node, axis]:
            axis = k
    wide = extent[node, 3 + axis] - extent[node, axis]
    thick = max(THICK * extent[node, SUM_OF_REACHES] / extent[node, BODIES], wide / MOST_SLABS)
    slabs = np.int64(wide / thick) + 1
    scratch.axis[node] = axis
    scratch.low[node] = extent[node, axis]
    scratch.thick[node] = thick
    scratch.slabs[node] = slabs if slabs >= FEWEST_SLABS else 1


@kernel
def _slab_of(b, top, position, scratch):
    """Slab of a body of a large island."""
    along = (position[b, scratch.axis[top]] - scratch.low[top]) / scratch.thick[top]
    return min(max(np.int64(along), 0), scratch.slabs[top] - 1)


@kernel
def _stage_and_task(m, contacts, position, tasks, scratch):
    """Index of a contact's task: first the tasks of stage 0, then of stage 1 ..., `tasks` of each stage."""
    sides = contacts.sides
    top = root_of(scratch.root, _body_of(m, sides))
    base = scratch.base[top]
    if scratch.slabs[top] == 1:
        return SMALL * tasks + base
    if contacts.normal_response[m, 3] > 0.0:
        return REST * tasks + base
    own = _slab_of(_body_of(m, sides), top, position, scratch)
    if sides[m, 0] < 0 or sides[m, 1] < 0:
        return GROUND * tasks + base + own
    other = _slab_of(sides[m, 1], top, position, scratch)
    if own == other:
        return WITHIN * tasks + base + own
    if abs(own - other) > 1:
        return REST * tasks + base
    lower = min(own, other)
    return (AT_ODD if lower % 2 == 0 else AT_EVEN) * tasks + base + lower
