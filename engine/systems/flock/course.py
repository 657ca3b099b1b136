"""Relaxation of agents' velocities towards the decided ones in every substep."""

from __future__ import annotations

from ...compiler.kernels import parallel_kernel, prange
from .nearest import TASK


@parallel_kernel
def drive(first, fractions, flags, agents, hold, lift, remainder, v):
    """Set agents' mean velocity of a substep; `remainder` (n, 3): out, the difference to the velocity at its end [m/s].

    With a = flow + own the velocity goes to a + (v - a) exp(-grip t). The change is scaled by `hold` for agents that do
    not walk; walkers take it in full, but only horizontally. Before that, the weight that agents support is cancelled.

    Args: fractions: of the difference a - v, in the mean and at the end; flags: whether they walk, and whether a flow
        carries them; hold: (n,) fraction of its weight that each agent supports itself; lift: (3,) -h g [m/s].
    """
    walks, is_carried = flags
    for task in prange((hold.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), hold.shape[0])):
            p = first + a
            for k in range(3):
                v[p, k] += hold[a] * lift[k]
                hold_fraction = 0.0 if walks and k == 2 else 1.0 if walks else hold[a]
                flow = agents.flow[a, k] if is_carried else 0.0
                change = hold_fraction * (flow + agents.own[a, k] - v[p, k])
                v[p, k] += fractions[0] * change
                remainder[a, k] = (fractions[1] - fractions[0]) * change


@parallel_kernel
def add_remainder(first, remainder, v):
    """Add `remainder` of `drive`, (n, 3) [m/s], at the end of a substep."""
    for task in prange((remainder.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), remainder.shape[0])):
            for k in range(3):
                v[first + a, k] += remainder[a, k]
