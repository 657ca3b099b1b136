"""Steering behaviours: accelerations that an agent wants, in order of priority, within its acceleration budget.

Wishes are served in this order, until the agent's largest acceleration is used up (Reynolds 1999, "Steering Behaviors
for Autonomous Characters"): flight, separation, rules, goal, alignment, cohesion, wandering, cruising speed. Each is
(velocity wanted - velocity) / reaction, or a fraction of speed / reaction along a direction.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.kernels import kernel, part_of_kernel
from ...solver.vector.seen import APART, FAR, VELOCITY, sum_neighbours
from .block import (
    ALONG_X,
    APART_X,
    AX,
    AY,
    AZ,
    BEGIN_X,
    BLOCK,
    BUDGET,
    CRUISES,
    DISTANCE_SUM,
    FLEE_X,
    FRIGHT,
    GOAL_X,
    HEEDS,
    MIDDLE_X,
    NX,
    RATE_X,
    SEEK_X,
    SEEKS_GOAL,
    SEEN_COUNT,
    WX,
    X,
    length,
    put,
    scaled,
    three,
)
from .nature import chance

# Agents head for a point on the path this many reaction times ahead.
AHEAD = 3.0
# Smallest divisor: avoids dividing by a length of 0.
TINY = 1e-300


@kernel
def wish(time, habits, block):
    """The wanted velocity of each agent of a block, before its limits; args: time [s]; block: see `block`."""
    for k in range(BLOCK):
        block[k + BUDGET] = habits.acceleration
        block[k + AX] = block[k + AY] = block[k + AZ] = 0.0
    if habits.heeds:
        flee(habits, block)
    for k in range(BLOCK):
        serve(k, scaled(habits.separation * habits.speed / habits.reaction, three(block, k + APART_X)), block)
    if habits.heeds:
        for k in range(BLOCK):
            serve(k, three(block, k + SEEK_X), block)
    for k in range(BLOCK):
        serve(k, goal_wish(k, habits, block), block)
    per_reaction = 1.0 / habits.reaction
    for k in range(BLOCK):
        # Alignment: mean relative velocity of neighbours. Cohesion: offset to their centre in units of their mean
        # distance, so that it has the same weight in a wide flock as in a narrow one.
        seen, far = block[k + SEEN_COUNT], block[k + DISTANCE_SUM]
        urge = block[k + HEEDS] * habits.alignment * per_reaction / (seen if seen > 1.0 else 1.0)
        serve(k, scaled(urge, three(block, k + ALONG_X)), block)
        pull = block[k + HEEDS] * habits.cohesion * habits.speed * per_reaction
        serve(k, scaled(pull / far if far > 0.0 else 0.0, three(block, k + MIDDLE_X)), block)
    drift = habits.wander * habits.speed * per_reaction
    for k in range(BLOCK):
        rate, begin = three(block, k + RATE_X), three(block, k + BEGIN_X)
        serve(k, (
            drift * wave(rate[0] * time + begin[0]), drift * wave(rate[1] * time + begin[1]),
            0.5 * drift * wave(rate[2] * time + begin[2]),
        ), block)
        w = three(block, k + WX)
        deficit = per_reaction * (cruise(k, habits, block) - length(w))
        serve(k, scaled(deficit, three(block, k + NX)), block)
        put(block, k + X, (
            w[0] + habits.dt * block[k + AX], w[1] + habits.dt * block[k + AY], w[2] + habits.dt * block[k + AZ]
        ))


@part_of_kernel
def serve(k, wanted, block):
    """Add a wish (3) to the acceleration of agent k of the block, as far as its budget allows [m/s²]."""
    size, left = length(wanted), block[k + BUDGET]
    fraction = left / (size if size > TINY else TINY)
    fraction = fraction if fraction < 1.0 else 1.0
    block[k + BUDGET] = left - size if left > size else 0.0
    block[k + AX] += fraction * wanted[0]
    block[k + AY] += fraction * wanted[1]
    block[k + AZ] += fraction * wanted[2]


@part_of_kernel
def flee(habits, block):
    """Serve flight: away at full speed, with an urgency that grows with fright."""
    for k in range(BLOCK):
        away, w, fright = three(block, k + FLEE_X), three(block, k + WX), block[k + FRIGHT]
        size = length(away)
        top = habits.fastest / (size if size > TINY else TINY)
        urge = (2.0 * fright if fright < 0.5 else 1.0) / habits.reaction
        serve(k, (urge * (top * away[0] - w[0]), urge * (top * away[1] - w[1]), urge * (top * away[2] - w[2])), block)


@part_of_kernel
def goal_wish(k, habits, block):
    """The acceleration (3) to the goal."""
    offset, w = three(block, k + GOAL_X), three(block, k + WX)
    far, least = length(offset), 0.5 * habits.speed * habits.reaction
    # A goal nearer than half the distance travelled in a reaction time has no useful direction.
    top = habits.speed / (far if far > least else least)
    urge = block[k + SEEKS_GOAL] * habits.goal / habits.reaction
    return urge * (top * offset[0] - w[0]), urge * (top * offset[1] - w[1]), urge * (top * offset[2] - w[2])


@part_of_kernel
def cruise(k, habits, block):
    """Cruising speed of agent k of the block [m/s]."""
    own = habits.speed * block[k + CRUISES]
    return own + block[k + FRIGHT] * (habits.fastest - own)


@part_of_kernel
def wave(cycles):
    """A slow wave between -1 and 1: nearly a sine, from two parabolas and their square."""
    half = cycles - math.floor(cycles) - 0.5
    parabolas = 8.0 * half * (2.0 * abs(half) - 1.0)
    return parabolas * (0.775 + 0.225 * abs(parabolas))


@part_of_kernel
def load_neighbours(i, k, herd, habits, block, sums):
    """Write sums over the visible neighbours of the agent at place i of the herd to lane k of a block.

    APART is the sum of unit vectors away from neighbours, each times the fraction of the personal space that is
    violated. MIDDLE sums the offsets to neighbours, ALONG their relative velocities, DISTANCE_SUM their distances.
    """
    count = herd.seen[i]
    same = sum_neighbours(herd.rows, i, herd.near, np.float32(habits.space), sums, count)
    for axis in range(3):
        block[k + MIDDLE_X + BLOCK * axis] = sums[axis]
        block[k + ALONG_X + BLOCK * axis] = sums[VELOCITY + axis]
        block[k + APART_X + BLOCK * axis] = sums[APART + axis]
    block[k + DISTANCE_SUM], block[k + SEEN_COUNT] = sums[FAR], count
    if same > 0 and habits.space > 0.0:
        # Coincident agents separate in a random direction each.
        angle = 6.283185307179586 * chance(herd.order[i], 9, habits.seed)
        block[k + APART_X] += same * math.cos(angle)
        block[k + APART_X + BLOCK] += same * math.sin(angle)
