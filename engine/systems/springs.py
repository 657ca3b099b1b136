"""The springs of all spring graphs in one table, packed in the order they are solved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints import distance
from ..graph.packing import Packing, pack
from ..graph.schedule import schedule
from ..vector import relax as vector
from ..world import State
from .rows import Rows

# A spring acts as an explicit force as far as its share keeps every particle's swing at omega h <= sqrt(1/2)...
EXPLICIT_SHARE = 0.125
# ... and only where that is a good part of the spring; else the explicit pass would cost time for nothing.
WORTH_A_PASS = 0.05
# "Automatic" iterations spend about this many spring solves a substep, and stop when springs stand still.
AUTOMATIC_SOLVES = 16000
MOST_ITERATIONS = 256
# A solve stands still when no coordinate moves more than this share of the mean rest length in a pass.
STILL = {np.float64: 1e-8, np.float32: 1e-7}
PROBE_PASSES = 24


@dataclass
class Links:
    """What springs are made of, in the user's order.

    Attributes:
        pairs: (s, 2) int32 particles; rest: (s,) [m]; stiffness: (s,) [N/m]; damping: (s,) [N·s/m]; all float64.
    """

    pairs: np.ndarray
    rest: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray


class SpringTable:
    """All springs in packed order; arrays have a place for each lane of each block, (p,).

    Attributes:
        links: what they are made of.
        i, j: (p,) int32 rows; rest, kappa, gain, lam: (p,), see `constraints.distance`.
        iterations, relaxation: passes a substep and the factor of all but the first.
    """

    def __init__(
        self, links: Links, rows: Rows, inv_mass: np.ndarray, x: np.ndarray, h: float, iterations: int,
    ) -> None:
        """Args: links; rows of their particles; inv_mass (n,); x (n, 3) rest positions; h [s]; passes, 0 to choose."""
        self.links = links
        number = rows.at.dtype.type
        self._law = vector if number is np.float32 else distance
        row_pairs = rows.row[links.pairs].astype(np.int32)
        self._order = pack(row_pairs, len(rows.at), schedule(row_pairs, len(rows.at)))
        push_k, push_c = explicit_share(links, inv_mass, h)
        kappa, delta = (links.stiffness - push_k) * h * h, (links.damping - push_c) * h
        weight = inv_mass[links.pairs].sum(axis=1)
        stiff = kappa + delta
        self.i, self.j = (_packed(self._order, row_pairs[:, k], rows.spare) for k in (0, 1))
        self.rest = _packed(self._order, links.rest, 0.0, number)
        self.kappa = _packed(self._order, stiff, 0.0, number)
        self.gain = _packed(self._order, 1.0 / (stiff * weight + 1.0), 0.0, number)
        self.lam = np.zeros_like(self.rest)
        self._before = rows.at.copy()
        self._damped = bool(np.any(delta > 0.0))
        if self._damped:
            with np.errstate(invalid="ignore"):
                still, follow = (np.where(stiff > 0.0, part / stiff, 0.0) for part in (kappa * links.rest, delta))
            self._still = _packed(self._order, still, 0.0, number)
            self._elastic = _packed(self._order, np.where(stiff > 0.0, kappa / np.maximum(stiff, 1e-300), 0.0), 0.0)
            self._follow = _packed(self._order, follow, 0.0, number)
        self._pushing = bool(np.any(push_k > 0.0))
        if self._pushing:
            ends = [_packed(self._order, links.pairs[:, k], 0).astype(np.int32) for k in (0, 1)]
            self._push = (*ends, *(_packed(self._order, part, 0.0) for part in (links.rest, push_k, push_c)))
        self._unbroken: tuple[np.ndarray, ...] = ()
        self._mean_rest = float(links.rest.mean()) if len(links.rest) else 1.0
        automatic = AUTOMATIC_SOLVES // max(len(links.rest), 1)
        self.iterations = iterations or int(np.clip(automatic, 1, MOST_ITERATIONS))
        self.relaxation = 1.0
        if self.iterations > 1 and len(links.rest):
            self.relaxation = self._best_relaxation(rows, x)

    def push(self, state: State, inv_mass: np.ndarray, h: float) -> None:
        """Explicit share of all springs on the velocities."""
        if self._pushing:
            i, j, rest, k, c = self._push
            distance.push_springs(
                state.x, i, j, rest, k, c, inv_mass, h, self._order.task_start, self._order.stage_start, state.v
            )

    def begin(self, rows: Rows, state: State) -> None:
        """Start a substep: no multiplier is applied yet, damped springs look where they were."""
        self.lam[:] = 0.0
        if self._damped:
            rows.take_before(state, self._before)
            self._law.follow_lengths(self._before, self.i, self.j, self._still, self._follow, self.rest)

    def solve(self, rows: np.ndarray, over: float = 1.0) -> None:
        """One pass forward and one backward over the implicit share of all springs, by a factor `over`."""
        self._law.relax(
            rows, self.i, self.j, self.rest, self.kappa, self.gain, self.lam,
            self._order.task_start, self._order.stage_start, rows.dtype.type(over),
        )

    def alter(self, rest: np.ndarray, alive: np.ndarray) -> None:
        """Take other rest lengths (p,) [m], and let no link act that is not alive, (p,) bool; it may be again later."""
        acting = [self.kappa, *(self._push[3:] if self._pushing else ())]
        if not self._unbroken:
            self._unbroken = tuple(values.copy() for values in acting)
        for values, whole in zip(acting, self._unbroken, strict=True):
            values[:] = np.where(alive, whole, 0.0)
        self.rest[:] = rest
        if self._damped:
            self._still[:] = self._elastic * rest
        if self._pushing:
            self._push[2][:] = rest

    def packed(self, values: np.ndarray, empty: float) -> np.ndarray:
        """Values of links (s,) at the places where the links stand, (p,); `empty` where there is none."""
        return _packed(self._order, values, empty)

    def by_link(self, values: np.ndarray) -> np.ndarray:
        """The reverse of `packed`."""
        there = self._order.spring >= 0
        found = np.empty(len(self.links.rest), dtype=values.dtype)
        found[self._order.spring[there]] = values[there]
        return found

    def still(self, rows: np.ndarray) -> bool:
        """Whether rows have hardly moved since they were last asked; remembers them."""
        moved = distance.farthest_move(rows, self._before)
        self._before[:] = rows
        return moved < STILL[rows.dtype.type] * self._mean_rest

    def _best_relaxation(self, rows: Rows, x: np.ndarray) -> float:
        """Factor of successive over-relaxation (Young 1954): 2 / (1 + sqrt(1 - r)).

        r, the share of an error that a plain pass leaves, is measured on the rest shape with all particles jolted by
        a thousandth of a link.
        """
        at = rows.at.copy()
        origin = x[rows.ids[0]]
        jolt = np.random.default_rng(0).standard_normal((len(rows.ids), 3)) * 1e-3 * self._mean_rest
        at[:-1, :3] = x[rows.ids] - origin + np.where(at[:-1, 3:] > 0.0, jolt, 0.0)
        rest = self.rest.copy()
        shape = np.append(x[rows.ids] - origin, np.zeros((1, 3)), axis=0)
        self.rest[:] = np.linalg.norm(shape[self.i] - shape[self.j], axis=1)
        self.lam[:] = 0.0
        moved = []
        for _ in range(PROBE_PASSES):
            before = at.copy()
            self.solve(at)
            moved.append(distance.farthest_move(at, before))
        self.rest[:] = rest
        first, last = moved[PROBE_PASSES // 2 - 1], moved[-1]
        if not (0.0 < last < first):
            return 1.0
        left = (last / first) ** (2.0 / PROBE_PASSES)
        over = 2.0 / (1.0 + np.sqrt(1.0 - min(left, 0.9999)))
        few = 2.0 / (1.0 + np.sin(np.pi / self.iterations))
        return float(min(over, few, 1.95))


def _packed(order: Packing, values: np.ndarray, empty: float, number: type | None = None) -> np.ndarray:
    """Values of springs at the places where the springs stand; `empty` where there is none."""
    if len(values) == 0:
        return np.zeros(0, dtype=number or values.dtype)
    return np.where(order.spring >= 0, values[order.spring], empty).astype(number or values.dtype)


def explicit_share(links: Links, inv_mass: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """How much of each spring's stiffness and damping the substep resolves, (s,) each.

    With at most s m / (h² links) in each of a particle's links, omega² h² <= 2 s 2 by Gershgorin; s = EXPLICIT_SHARE.
    """
    pairs = links.pairs
    count = np.bincount(pairs.reshape(-1), minlength=len(inv_mass))
    with np.errstate(divide="ignore"):
        room = np.where(inv_mass > 0.0, 1.0 / (inv_mass * np.maximum(count, 1)), np.inf)
    room = np.minimum(room[pairs[:, 0]], room[pairs[:, 1]])
    room = np.where(np.isfinite(room), room, 0.0)
    k = np.minimum(links.stiffness, EXPLICIT_SHARE * 2.0 * room / (h * h))
    c = np.minimum(links.damping, EXPLICIT_SHARE * room / h)
    if not np.any(k > WORTH_A_PASS * links.stiffness):
        return np.zeros_like(k), np.zeros_like(c)
    return k, c
