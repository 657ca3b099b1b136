"""What agents want: accelerations in the order of their weight, as many as their strength affords.

Wishes are served in this order, until the agent's greatest acceleration is used up (Reynolds 1999, "Steering Behaviors
for Autonomous Characters"): flight, separation, rules, goal, alignment, cohesion, wandering, cruising speed. Each is
(velocity wanted - velocity) / reaction, or a share of speed / reaction along a direction.
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
    CRUISES,
    FAR_OFF,
    FLEE_X,
    FRIGHT,
    GOAL_X,
    GOES,
    HEEDS,
    LEFT,
    MIDDLE_X,
    NX,
    RATE_X,
    SEEK_X,
    SEEN,
    WX,
    X,
    length,
    put,
    scaled,
    three,
)
from .nature import chance

# A place on the path that agents go for is so many reaction times ahead.
AHEAD = 3.0
# A length of 0 has no direction.
TINY = 1e-300


@kernel
def wish(time, habits, room):
    """The velocity that each agent of a block wants, before its limits; args: time [s]; room: see `block`."""
    for k in range(BLOCK):
        room[k + LEFT] = habits.acceleration
        room[k + AX] = room[k + AY] = room[k + AZ] = 0.0
    if habits.heeds:
        flee(habits, room)
    for k in range(BLOCK):
        serve(k, scaled(habits.separation * habits.speed / habits.reaction, three(room, k + APART_X)), room)
    if habits.heeds:
        for k in range(BLOCK):
            serve(k, three(room, k + SEEK_X), room)
    for k in range(BLOCK):
        serve(k, goal_wish(k, habits, room), room)
    pace = 1.0 / habits.reaction
    for k in range(BLOCK):
        # The mean velocity of neighbours, and the way to their middle in units of their mean distance, so that it
        # counts for as much in a wide flock as in a narrow one.
        seen, far = room[k + SEEN], room[k + FAR_OFF]
        urge = room[k + HEEDS] * habits.alignment * pace / (seen if seen > 1.0 else 1.0)
        serve(k, scaled(urge, three(room, k + ALONG_X)), room)
        pull = room[k + HEEDS] * habits.cohesion * habits.speed * pace
        serve(k, scaled(pull / far if far > 0.0 else 0.0, three(room, k + MIDDLE_X)), room)
    drift = habits.wander * habits.speed * pace
    for k in range(BLOCK):
        rate, begin = three(room, k + RATE_X), three(room, k + BEGIN_X)
        serve(k, (
            drift * wave(rate[0] * time + begin[0]), drift * wave(rate[1] * time + begin[1]),
            0.5 * drift * wave(rate[2] * time + begin[2]),
        ), room)
        w = three(room, k + WX)
        lack = pace * (cruise(k, habits, room) - length(w))
        serve(k, scaled(lack, three(room, k + NX)), room)
        put(room, k + X, (
            w[0] + habits.dt * room[k + AX], w[1] + habits.dt * room[k + AY], w[2] + habits.dt * room[k + AZ]
        ))


@part_of_kernel
def serve(k, wanted, room):
    """Serve a wish (3) out of what acceleration is left to agent k of the block [m/s²]."""
    size, left = length(wanted), room[k + LEFT]
    share = left / (size if size > TINY else TINY)
    share = share if share < 1.0 else 1.0
    room[k + LEFT] = left - size if left > size else 0.0
    room[k + AX] += share * wanted[0]
    room[k + AY] += share * wanted[1]
    room[k + AZ] += share * wanted[2]


@part_of_kernel
def flee(habits, room):
    """Serve flight: away at full speed, and the faster the more an agent is frightened."""
    for k in range(BLOCK):
        away, w, fright = three(room, k + FLEE_X), three(room, k + WX), room[k + FRIGHT]
        size = length(away)
        top = habits.fastest / (size if size > TINY else TINY)
        urge = (2.0 * fright if fright < 0.5 else 1.0) / habits.reaction
        serve(k, (urge * (top * away[0] - w[0]), urge * (top * away[1] - w[1]), urge * (top * away[2] - w[2])), room)


@part_of_kernel
def goal_wish(k, habits, room):
    """The acceleration (3) to the goal."""
    way, w = three(room, k + GOAL_X), three(room, k + WX)
    far, least = length(way), 0.5 * habits.speed * habits.reaction
    # Nearer than a moment's way the goal has no direction that is worth a turn.
    top = habits.speed / (far if far > least else least)
    urge = room[k + GOES] * habits.goal / habits.reaction
    return urge * (top * way[0] - w[0]), urge * (top * way[1] - w[1]), urge * (top * way[2] - w[2])


@part_of_kernel
def cruise(k, habits, room):
    """The speed that agent k of the block travels at [m/s]."""
    own = habits.speed * room[k + CRUISES]
    return own + room[k + FRIGHT] * (habits.fastest - own)


@part_of_kernel
def wave(turns):
    """A slow wave between -1 and 1: nearly a sine, from two parabolas and their square."""
    half = turns - math.floor(turns) - 0.5
    parabolas = 8.0 * half * (2.0 * abs(half) - 1.0)
    return parabolas * (0.775 + 0.225 * abs(parabolas))


@part_of_kernel
def neighbours(i, k, herd, habits, room, sums):
    """Put what an agent makes of those that it sees in place k of a block.

    Apart is the sum of unit vectors, each times the share of the personal space that lacks; of the ways to neighbours
    and of velocities relative to its own the sums are taken, and the sum of distances.
    """
    count = herd.seen[i]
    same = sum_neighbours(herd.rows, i, herd.near, np.float32(habits.space), sums, count)
    for axis in range(3):
        room[k + MIDDLE_X + BLOCK * axis] = sums[axis]
        room[k + ALONG_X + BLOCK * axis] = sums[VELOCITY + axis]
        room[k + APART_X + BLOCK * axis] = sums[APART + axis]
    room[k + FAR_OFF], room[k + SEEN] = sums[FAR], count
    if same > 0 and habits.space > 0.0:
        # Those in one place part in a direction of their own.
        turn = 6.283185307179586 * chance(herd.order[i], 9, habits.seed)
        room[k + APART_X] += same * math.cos(turn)
        room[k + APART_X + BLOCK] += same * math.sin(turn)
