"""The springs of all spring graphs in one table, packed in solving order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....compiler import aligned
from ....mesh.graph.order.packing import BLOCK, Packing, pack
from ....mesh.graph.order.runs import KINDS
from ....mesh.graph.order.schedule import schedule
from ....solver.constraints import distance
from ....solver.constraints.columns import SpringColumns
from ....solver.vector import span as vector
from .islands import packed_tasks
from .rows import LinkedRows, Rows

# The automatic number of inner steps spends about this many spring solves on a small island in a substep of this length
# [s], and proportionally more in a longer one: an inner step damps fast motion in proportion to its length, so a flag
# would flap less with fewer substeps ...
AUTOMATIC_SOLVES, USUAL_SUBSTEP = 16000, 1.0 / 240.0
# ... and on other islands one step per this many links between the ends of a body ...
LINKS_A_STEP = 24
# ... but at most this many, unless the contacts of a small island need more (`most_steps`) ...
MOST_STEPS = 64
# ... and none longer than this [s]. With 4 substeps of one step a frame, or 2 of two, a limp floating ring of 2,048
# vertices was pressed through itself, and water pulled its inverted part ever deeper; with six steps a frame it floats.
LONGEST_STEP = 1.0 / 192.0
# A dashpot c is limited to this / (w h) in an inner step h, with w the inverse masses of its ends. It then removes half
# of a relative velocity in one step, more than critical damping of any spring that a step resolves. A stronger dashpot
# would only reduce how far a pass transmits a load: a support would creep under a crate.
MOST_DASHPOT = 1.0


@dataclass
class Links:
    """Links with their properties, in the user's order.

    Attributes:
        pairs: (s, 2) int32 particles; rest: (s,) [m]; stiffness: (s,) [N/m]; damping: (s,) [N·s/m]; all float64.
    """

    pairs: np.ndarray
    rest: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray


@dataclass
class Springs:
    """Springs in the form that measurements use.

    Attributes:
        i, j: (s,) int32 rows; rest: (s,) [m], 0 for padding.
        task_start: (tasks + 1,) ranges of springs; stage_start: (stages + 1,) ranges of tasks that share no row.
    """

    i: np.ndarray
    j: np.ndarray
    rest: np.ndarray
    task_start: np.ndarray
    stage_start: np.ndarray


def all_links(bodies: Sequence[Links]) -> Links:
    """The links of all bodies in one table; uniform columns are broadcast and take no memory."""
    pairs, rest, *uniform = (np.concatenate(column) for column in zip(*map(_columns, bodies), strict=True))
    return Links(pairs, rest, *map(broadcast_if_uniform, uniform))


def broadcast_if_uniform(values: np.ndarray) -> np.ndarray:
    """The same values (s,), as a broadcast of one number where all are equal."""
    return np.broadcast_to(values[0], values.shape) if len(values) and np.all(values == values[0]) else values


def _columns(links: Links) -> tuple[np.ndarray, ...]:
    return links.pairs, links.rest, links.stiffness, links.damping


class SpringTable:
    """All springs in packed order; arrays have an element for each lane of each block, (p,).

    Attributes:
        i, j: (p,) int32 rows; rest: (p,) [m], 0 for padding; goal, kappa, lam: (p,), see `constraints.distance`.
        steps: (pieces,) inner steps per substep.
        count: number of springs; tasks: by island.
        alterations: how often `alter` has disabled or enabled links.
    """

    def __init__(self, links: Links, linked: LinkedRows, rows: Rows, h: float, steps: np.ndarray) -> None:
        """Args: links; linked: their rows; rows: all; h: the substep [s]; steps: (pieces,) inner steps."""
        number = rows.moved.dtype.type
        self._law = vector if number is np.float32 else distance
        count, self.count = len(rows.at), len(linked.pairs)
        self._order = pack(linked.pairs, count, schedule(linked.pairs, count, linked.label), rows.as_meshed)
        self.i, self.j = (_packed(self._order, linked.pairs[:, k], rows.spare) for k in (0, 1))
        self.rest = _packed(self._order, links.rest, 0.0, number)
        self.lam = aligned.zeros(self.rest.shape, number)
        self._stiffness, self._damping = (
            _column(self._order, values, number) for values in (links.stiffness, links.damping)
        )
        self._inv_mass = rows.at[:, 3].copy()
        self._inv_mass_sum = self._sum_inv_masses()
        self._alive: np.ndarray | None = None
        self.alterations = 0
        self.kappa = self._intact_kappa = aligned.zeros(len(self.i), number)
        self.goal, self._follow = self.rest, aligned.zeros(0, number)
        self._base = aligned.zeros((3, len(self.i)), number)
        self._near_blocks = np.zeros(len(self.i) // BLOCK, dtype=np.int64)
        self._substep, self._block_piece = h, rows.block_piece
        self._piece = rows.piece[self.i]
        self.tasks = packed_tasks(self._order, self._piece, len(rows.free))
        self.steps = steps
        self._scale(slice(None))

    def set_iterations(self, steps: np.ndarray) -> None:
        """Set the number of inner steps per substep of each piece, (pieces,)."""
        changed = steps != self.steps
        some = slice(None) if changed.all() else np.flatnonzero(changed[self._piece])
        self.steps = steps
        self._scale(some)

    def _scale(self, some: Any) -> None:
        """Scale some springs, an index of lanes, for the inner steps of their pieces."""
        number = self.rest.dtype.type
        h = self._substep / per_piece(self.steps, self._piece[some])
        stiffness, damping, inv_mass_sum = (
            values[some] if isinstance(values, np.ndarray) else values
            for values in (self._stiffness, self._damping, self._inv_mass_sum)
        )
        elastic = stiffness * h**2
        # The implicit step itself damps like a dashpot of k h / 2; add only the requested damping beyond that.
        dashpot = np.maximum(damping * h - 0.5 * elastic, 0.0)
        if np.any(dashpot > 0.0):
            dashpot = np.minimum(dashpot, MOST_DASHPOT / np.maximum(inv_mass_sum, 1e-300))
        stiff = elastic + dashpot
        self._intact_kappa[some] = np.where(self._order.spring[some] >= 0, stiff, 0.0).astype(number)
        if self._alive is not None:
            self.kappa[some] = np.where(self._alive[some], self._intact_kappa[some], number(0.0))
        fraction = np.divide(dashpot, stiff, out=np.zeros_like(stiff), where=dashpot > 0.0)
        if not len(self._follow) and np.any(dashpot > 0.0):
            self._follow, self.goal = aligned.zeros(len(self.rest), number), aligned.copy(self.rest)
        if len(self._follow):
            self._follow[some] = fraction
            self.goal[some] = self.rest[some]

    def _sum_inv_masses(self) -> Any:
        """Sum of the inverse masses at both ends of each spring, (p,) [1/kg]; 0.0 where nothing is damped."""
        return self._inv_mass[self.i] + self._inv_mass[self.j] if np.any(self._damping) else 0.0

    def set_stiffness(self, links: Links) -> None:
        """Change stiffness and damping of the same links."""
        number = self.rest.dtype.type
        self._stiffness, self._damping = (
            _column(self._order, values, number) for values in (links.stiffness, links.damping)
        )
        self._inv_mass_sum = self._sum_inv_masses()
        self._scale(slice(None))

    def set_rest_lengths(self, rest: np.ndarray) -> None:
        """Change the rest lengths of links that neither yield nor break, (s,) [m]."""
        self.rest[:] = _packed(self._order, rest, 0.0)
        self._scale(slice(None))

    def lengths(self, at: np.ndarray) -> np.ndarray:
        """Length of each spring for rows `at` (r, 4), (p,) [m]; the array is overwritten in the next substep."""
        length = self._base[0]
        self._law.lengths(at, self.i, self.j, length, self._order.task_start, self._order.run_stop)
        return length

    def joined(self, chosen: np.ndarray) -> np.ndarray:
        """Rows that are chosen, or that a spring joins to a chosen one; chosen and result (r + 1,) bool."""
        near = chosen.copy()
        distance.mark_joined(self.i, self.j, chosen, near)
        return near

    def around(self, loose: np.ndarray) -> SpringColumns:
        """The springs at some rows, (r + 1,) bool, for `solver.inner_steps.straighten`: undamped, in one task.

        They are scaled for a step as long as the substep.
        """
        blocks = self._near_blocks[: distance.list_blocks(self.i, self.j, BLOCK, loose, self._near_blocks)]
        lanes = (BLOCK * blocks[:, None] + np.arange(BLOCK)).reshape(-1)
        rest = self.rest[lanes]
        return SpringColumns(
            i=self.i[lanes], j=self.j[lanes], base=np.zeros((3, len(lanes)), dtype=rest.dtype), rest=rest, goal=rest,
            kappa=self.kappa[lanes] * (self.steps[self._piece[lanes]] ** 2).astype(rest.dtype), follow=rest[:0],
            lam=np.zeros_like(rest), task_start=np.array([0, len(blocks)]),
            run_stop=np.zeros((1, KINDS), dtype=np.int64), task=np.array([0]), stage_start=np.array([0, 1]),
            island=np.array([0, 2]), is_wide=np.array([False, False]),
        )

    @property
    def columns(self) -> SpringColumns:
        """All springs, for `solver.inner_steps.solve_islands`; `set_iterations` and `alter` replace the arrays."""
        order = self._order
        return SpringColumns(
            self.i, self.j, self._base, self.rest, self.goal, self.kappa, self._follow, self.lam, order.task_start,
            order.run_stop, *self.tasks.columns,
        )

    def for_energy(self) -> tuple[Any, ...]:
        """Spring arguments of `stored_energy.spring_changes`."""
        return self.rest, self.kappa, self._follow, (self._substep / self.steps)[self._block_piece]

    def as_springs(self) -> Springs:
        """A view of the packed springs, with padding; it reflects later changes."""
        return Springs(self.i, self.j, self.rest, BLOCK * self._order.task_start, self._order.stage_start)

    def alter(self, rest: np.ndarray, alive: np.ndarray) -> None:
        """Set rest lengths (p,) [m] and disable links that are not alive, (p,) bool; they may be enabled again.

        From then on `kappa` and `rest` may be written, as in `plasticity.yield_and_break`.
        """
        if self._alive is None:
            self.kappa = aligned.copy(self._intact_kappa)
        self._alive = alive
        self.alterations += 1
        self.kappa[:] = np.where(alive, self._intact_kappa, 0.0)
        self.rest[:] = np.where(alive, rest, 0.0)

    def packed(self, values: np.ndarray, empty: float) -> np.ndarray:
        """Values of links (s,) in packed order, (p,); `empty` for padding."""
        return _packed(self._order, values, empty)

    def by_link(self, values: np.ndarray) -> np.ndarray:
        """The inverse of `packed`."""
        return values[self._order.lane]


def _column(order: Packing, values: np.ndarray, number: type) -> Any:
    """Values of links in packed order, (p,), or one float if all are equal."""
    if len(values) and values.strides != (0,):
        return _packed(order, values, 0.0, number)
    return float(values[0]) if len(values) else 0.0


def per_piece(values: np.ndarray, piece: np.ndarray) -> Any:
    """Values of pieces at each element, (p,), or one number if all are equal; piece: (p,) of each element."""
    return values[piece] if len(values) and np.any(values != values[0]) else (values[0] if len(values) else 1)


def affordable_steps(springs: np.ndarray, h: float) -> np.ndarray:
    """Inner steps of a substep of h [s] that are affordable for so many springs of an island, (k,)."""
    return np.where(springs > 0, np.clip(_automatic_steps(springs, h), 1, MOST_STEPS), 1)


def most_steps(springs: np.ndarray, h: float) -> np.ndarray:
    """The most inner steps of a substep of h [s] that contacts of bodies with so many springs may require, (k,).

    A ball of 14 g and 0.4 MN/m under a crate of 170 kg needs 460 in 1/96 s. With 64 it stored 20 times the kinetic
    energy of the crate before the impact.
    """
    return np.maximum(_automatic_steps(springs, h), MOST_STEPS)


def enough_steps(springs: np.ndarray, linked: LinkedRows, rows: Rows, h: float) -> np.ndarray:
    """Inner steps of a substep of h [s] that each piece needs, (pieces,) int64; springs: (pieces,), their number.

    A pass transmits a force over a few links only, so a body with many links from end to end needs more steps.
    """
    far = np.zeros(len(rows.free), dtype=np.int64)
    np.maximum.at(far, rows.piece, linked.depth)
    steps = np.maximum(np.ceil(far / LINKS_A_STEP), math.ceil(h / LONGEST_STEP - 1e-9)).astype(np.int64)
    return np.where(springs > 0, np.clip(steps, 1, MOST_STEPS), 1)


def _automatic_steps(springs: np.ndarray, h: float) -> np.ndarray:
    """Inner steps of a substep of h [s] that take `AUTOMATIC_SOLVES` with so many springs, (k,)."""
    return int(AUTOMATIC_SOLVES * max(h / USUAL_SUBSTEP, 1.0)) // np.maximum(springs, 1)


def _packed(order: Packing, values: np.ndarray, empty: float, number: type | None = None) -> np.ndarray:
    """Values of springs in packed order; `empty` for padding."""
    found = aligned.zeros(len(order.spring), number or values.dtype)
    if empty:
        found[:] = empty
    found[order.lane] = values
    return found
