"""Layout of the scratch array of a block of agents during a decision.

Numbers are stored column by column, with `BLOCK` agents in each, so that LLVM vectorizes loops over a block. Loops have
no branches and count from 0. Lanes beyond the end of a flock are computed like the others, from numbers left over from
another block, and their results are dropped.
"""

from __future__ import annotations

import math

from ...compiler.kernels import part_of_kernel

# Agents of a block, and the number of tasks that a flock is divided into, each with a scratch array of its own.
BLOCK, TASKS = 32, 64

# Inputs: velocity relative to the flow (W), facing direction (N), bank, phase, effort, whether the agent has landed (0
# or 1), fright, cruising speed as a fraction, wandering (waves a second, phase at time 0); of the neighbours the
# separation vector, the sums of offsets to them and of their relative velocities, and whether they are heeded (0 or 1);
# the offset to the goal, and whether the agent heads for it (0 or 1); flight and rules, see `columns.Agents`; flow
# velocity that carries the agent.
# Results: acceleration budget left, acceleration (A), wanted velocity (X, Y, Z); search distance for walls, below 0 for
# no search, distance to the landing spot, and position (P) [m]; the sum of distances to neighbours, and their count.
(
    WX, WY, WZ, NX, NY, NZ, BANKS, PHASES, EFFORTS, IS_LANDED, FRIGHT, CRUISES, RATE_X, RATE_Y, RATE_Z, BEGIN_X,
    BEGIN_Y, BEGIN_Z, APART_X, APART_Y, APART_Z, MIDDLE_X, MIDDLE_Y, MIDDLE_Z, ALONG_X, ALONG_Y, ALONG_Z, HEEDS, GOAL_X,
    GOAL_Y, GOAL_Z, SEEKS_GOAL, FLEE_X, FLEE_Y, FLEE_Z, SEEK_X, SEEK_Y, SEEK_Z, FLOW_X, FLOW_Y, FLOW_Z, BUDGET, AX, AY,
    AZ, X, Y, Z, REACH, SPOT_DISTANCE, PX, PY, PZ, DISTANCE_SUM, SEEN_COUNT,
) = (BLOCK * column for column in range(55))
BLOCK_NUMBERS = 55 * BLOCK


@part_of_kernel
def put(block, start, values):
    """Write a vector (3) into three consecutive columns; args: start: index of its first component."""
    block[start], block[start + BLOCK], block[start + 2 * BLOCK] = values


@part_of_kernel
def three(block, start):
    """Read a vector (3) from three consecutive columns; args: start: index of its first component."""
    return block[start], block[start + BLOCK], block[start + 2 * BLOCK]


@part_of_kernel
def length(vector):
    """Length of a vector (3)."""
    return math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])


@part_of_kernel
def scaled(scale, vector):
    """A vector (3) times a number."""
    return scale * vector[0], scale * vector[1], scale * vector[2]
