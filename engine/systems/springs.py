"""The springs of all spring graphs in one table, ordered for the solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints.distance import push_springs, solve_springs
from ..graph.schedule import Schedule, schedule

# A spring acts as an explicit force as far as its share keeps every particle's swing at omega h <= sqrt(1/2)...
EXPLICIT_SHARE = 0.125
# ... and only where that is a good part of the spring; else the explicit pass would cost time for nothing.
WORTH_A_PASS = 0.05
# "Automatic" iterations spend about this many spring solves a substep, and stop when springs stand still.
AUTOMATIC_SOLVES = 16000
MOST_ITERATIONS = 256
TOLERANCE = 1e-8
PROBE_PASSES = 24


@dataclass
class SpringTable:
    """All springs, in the order they are solved.

    Attributes:
        i, j: (s,) int32 particles; rest: (s,) float64 [m].
        push_k [N/m], push_c [N·s/m]: (s,) explicit share.
        kappa: (s,) k h² of the implicit share; delta: (s,) c h of it.
        order: the schedule; pushing: whether any spring has an explicit share.
        iterations, relaxation: passes a substep and the factor of all but the first.
        lam, task_worst: scratch.
    """

    i: np.ndarray
    j: np.ndarray
    rest: np.ndarray
    push_k: np.ndarray
    push_c: np.ndarray
    kappa: np.ndarray
    delta: np.ndarray
    order: Schedule
    pushing: bool
    iterations: int
    relaxation: float
    lam: np.ndarray
    task_worst: np.ndarray

    def push(self, x: np.ndarray, v: np.ndarray, inv_mass: np.ndarray, h: float) -> None:
        """Explicit share of all springs on the velocities."""
        if self.pushing:
            push_springs(
                x, self.i, self.j, self.rest, self.push_k, self.push_c, inv_mass, h,
                self.order.task_start, self.order.stage_start, v,
            )

    def begin(self) -> None:
        """Start a substep: no multiplier is applied yet."""
        self.lam[:] = 0.0

    def solve(self, x: np.ndarray, x_prev: np.ndarray, inv_mass: np.ndarray, over: float = 1.0) -> float:
        """One pass forward and one backward over the implicit share of all springs.

        Args:
            over: factor of over-relaxation.

        Returns:
            the largest move of a spring's ends in the backward pass, as a share of its rest length.
        """
        return solve_springs(
            self.i, self.j, self.rest, self.kappa, self.delta, inv_mass, x_prev,
            self.order.task_start, self.order.stage_start, over, x, self.lam, self.task_worst,
        )


def build_springs(
    pairs: np.ndarray, rest: np.ndarray, stiffness: np.ndarray, damping: np.ndarray,
    inv_mass: np.ndarray, x: np.ndarray, h: float, iterations: int,
) -> SpringTable:
    """Table of springs between particles.

    Args:
        pairs: (s, 2) int32; rest: (s,) [m]; stiffness: (s,) [N/m]; damping: (s,) [N·s/m].
        inv_mass: (n,) [1/kg]; x: (n, 3) rest positions [m]; h: substep [s].
        iterations: passes a substep; 0 chooses by the number of springs.
    """
    order = schedule(pairs, len(inv_mass))
    pairs, rest = pairs[order.order], rest[order.order]
    stiffness, damping = stiffness[order.order], damping[order.order]
    push_k, push_c = _explicit_share(pairs, stiffness, damping, inv_mass, h)
    implicit_k, implicit_c = stiffness - push_k, damping - push_c
    table = SpringTable(
        np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]), rest, push_k, push_c,
        implicit_k * h * h, implicit_c * h, order, bool(np.any(push_k > 0.0) or np.any(push_c > 0.0)),
        1, 1.0, np.zeros(len(rest)), np.zeros(max(len(order.task_start) - 1, 0)),
    )
    table.iterations = iterations or int(np.clip(AUTOMATIC_SOLVES // max(len(rest), 1), 1, MOST_ITERATIONS))
    if table.iterations > 1 and len(rest):
        table.relaxation = _best_relaxation(table, x, inv_mass)
    return table


def _explicit_share(
    pairs: np.ndarray, stiffness: np.ndarray, damping: np.ndarray, inv_mass: np.ndarray, h: float
) -> tuple[np.ndarray, np.ndarray]:
    """How much of each spring's stiffness and damping the substep resolves.

    With at most s m / (h² links) in each of a particle's links, omega² h² <= 2 s 2 by Gershgorin; s = EXPLICIT_SHARE.
    """
    links = np.bincount(pairs.reshape(-1), minlength=len(inv_mass))
    with np.errstate(divide="ignore"):
        room = np.where(inv_mass > 0.0, 1.0 / (inv_mass * np.maximum(links, 1)), np.inf)
    room = np.minimum(room[pairs[:, 0]], room[pairs[:, 1]])
    room = np.where(np.isfinite(room), room, 0.0)
    k = np.minimum(stiffness, EXPLICIT_SHARE * 2.0 * room / (h * h))
    c = np.minimum(damping, EXPLICIT_SHARE * room / h)
    worth = (k > WORTH_A_PASS * stiffness) | (c > WORTH_A_PASS * np.maximum(damping, 1e-300))
    if not np.any(worth):
        return np.zeros_like(k), np.zeros_like(c)
    return k, np.where(damping > 0.0, c, 0.0)


def _best_relaxation(table: SpringTable, x: np.ndarray, inv_mass: np.ndarray) -> float:
    """Factor of successive over-relaxation (Young 1954): 2 / (1 + sqrt(1 - r)).

    r, the share of an error that a plain pass leaves, is measured on the rest shape with all particles jolted by a
    millionth of a link.
    """
    jolt = np.random.default_rng(0).standard_normal(x.shape) * 1e-6 * float(np.mean(table.rest))
    jolted = x + np.where(inv_mass[:, None] > 0.0, jolt, 0.0)
    moved = jolted.copy()
    rest, table.rest = table.rest, np.linalg.norm(x[table.i] - x[table.j], axis=1)
    table.begin()
    worst = [table.solve(moved, jolted, inv_mass) for _ in range(PROBE_PASSES)]
    table.rest = rest
    first, last = worst[PROBE_PASSES // 2 - 1], worst[-1]
    if not (0.0 < last < first):
        return 1.0
    left = (last / first) ** (2.0 / PROBE_PASSES)
    over = 2.0 / (1.0 + np.sqrt(1.0 - min(left, 0.9999)))
    few = 2.0 / (1.0 + np.sin(np.pi / table.iterations))
    return float(min(over, few, 1.95))
