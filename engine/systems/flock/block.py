"""Layout of the scratch numbers with which a block of agents decides.

Numbers stand column by column, `BLOCK` agents in each, so that LLVM vectorizes loops over a block. Loops have no
branches and count from 0. Agents beyond the end of a flock are decided with like the others, from numbers that are left
from another block, and dropped.
"""

from __future__ import annotations

import math

from ...compiler.kernels import part_of_kernel

# Agents of a block, and how many parts a flock is cut into, each with scratch numbers of its own.
BLOCK, TASKS = 32, 64

# What agents know: velocity relative to what carries them, where they look, bank, phase, effort, whether they are
# landed (0 or 1), fright, cruising speed as a share, wandering (waves a second, where they begin); of their neighbours
# ways apart, sums of ways to them and of their relative velocities, and how much they are heeded; the way to the goal,
# and how much they want it; flight and rules, see `columns.Agents`; velocity of what carries them.
# Then what they make of it: acceleration that is left, acceleration, velocity they want; how far they look for walls,
# below 0 for not at all, how far the spot is on which they land, and where they are [m]; the sum of distances of
# neighbours, and how many there are.
(
    WX, WY, WZ, NX, NY, NZ, BANKS, PHASES, EFFORTS, RESTS, FRIGHT, CRUISES, RATE_X, RATE_Y, RATE_Z, BEGIN_X, BEGIN_Y,
    BEGIN_Z, APART_X, APART_Y, APART_Z, MIDDLE_X, MIDDLE_Y, MIDDLE_Z, ALONG_X, ALONG_Y, ALONG_Z, HEEDS, GOAL_X, GOAL_Y,
    GOAL_Z, GOES, FLEE_X, FLEE_Y, FLEE_Z, SEEK_X, SEEK_Y, SEEK_Z, FLOW_X, FLOW_Y, FLOW_Z, LEFT, AX, AY, AZ, X, Y, Z,
    REACH, SPOT, PX, PY, PZ, FAR_OFF, SEEN,
) = (BLOCK * column for column in range(55))
ROOM = 55 * BLOCK


@part_of_kernel
def put(room, place, values):
    """Put three numbers in the columns that begin at a place."""
    room[place], room[place + BLOCK], room[place + 2 * BLOCK] = values


@part_of_kernel
def three(room, place):
    """The three numbers in the columns that begin at a place."""
    return room[place], room[place + BLOCK], room[place + 2 * BLOCK]


@part_of_kernel
def length(vector):
    """Length of a vector (3)."""
    return math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])


@part_of_kernel
def scaled(scale, vector):
    """A vector (3) times a number."""
    return scale * vector[0], scale * vector[1], scale * vector[2]
