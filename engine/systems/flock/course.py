"""How agents take up in every substep what they have decided."""

from __future__ import annotations

from ...compiler.kernels import parallel_kernel, prange
from .nearest import TASK


@parallel_kernel
def drive(first, shares, ways, agents, hold, lift, late, v):
    """Give agents their mean velocity in a substep, and in `late` (n, 3) what it lacks of the one at its end.

    With a = flow + own the velocity goes to a + (v - a) exp(-grip t): so far as agents hold, and upright only for those
    that do not walk. Before that, they hold their weight.

    Args: shares: of the way to a, in the mean and at the end; ways: whether they walk, and whether anything carries
        them, or else there is no flow; hold: (n,) share of its weight that each bears; lift:
        (3,) -h g [m/s].
    """
    walks, is_carried = ways
    for task in prange((hold.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), hold.shape[0])):
            p = first + a
            for k in range(3):
                v[p, k] += hold[a] * lift[k]
                part = 0.0 if walks and k == 2 else 1.0 if walks else hold[a]
                flow = agents.flow[a, k] if is_carried else 0.0
                way = part * (flow + agents.own[a, k] - v[p, k])
                v[p, k] += shares[0] * way
                late[a, k] = (shares[1] - shares[0]) * way


@parallel_kernel
def add_late(first, late, v):
    """Add what agents' velocities lack at the end of a substep, late (n, 3) [m/s]."""
    for task in prange((late.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), late.shape[0])):
            for k in range(3):
                v[first + a, k] += late[a, k]
