"""A decision of every agent: from what it wants to the velocity it takes up and the posture that shows it."""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ...compiler.prefetch import fetch
from .block import (
    BANKS,
    BEGIN_X,
    BLOCK,
    CRUISES,
    EFFORTS,
    FLEE_X,
    FLOW_X,
    FRIGHT,
    GOAL_X,
    GOES,
    HEEDS,
    NX,
    PHASES,
    PX,
    RATE_X,
    REACH,
    RESTS,
    SEEK_X,
    SPOT,
    TASKS,
    WX,
    X,
    Z,
    length,
    put,
    three,
)
from .carriage import carry
from .columns import BANK, EFFORT, LANDED, PHASE, STATE
from .goals import place_ahead
from .landing import land, landing_wish
from .limits import limit
from .nature import BEGIN, CRUISE, LEADS, RATE, SIDE
from .walls.binding import BINDS, NEAREST, find_bound
from .walls.clearance import FAR, is_clear, measure, remember
from .walls.keep_off import keep_off
from .walls.near import list_leaves
from .wishes import AHEAD, neighbours, wish

# Rows of agents are prefetched this many places ahead, because they are in the order of ids.
PREFETCHED = 16


@parallel_kernel
def decide(time, herd, habits, goals, walls, agents, motion, rooms):
    """Let every agent of a flock decide: fills `agents.own`, `nose` and `posture`.

    Args: time: [s]; rooms: `Rooms`, one for each task.
    """
    count = herd.order.shape[0]
    blocks = (count + BLOCK - 1) // BLOCK
    for task in prange(TASKS):
        for block in range(blocks * task // TASKS, blocks * (task + 1) // TASKS):
            decide_block(BLOCK * block, min(BLOCK * (block + 1), count), task, time, herd, habits, goals, walls, agents,
                         motion, rooms)


@kernel
def decide_block(begin, end, task, time, herd, habits, goals, walls, agents, motion, rooms):
    """Let a few agents that are near each other decide."""
    room = rooms.block[task]
    for i in range(begin, end):
        fetch_rows(herd.order[min(i + PREFETCHED, herd.order.shape[0] - 1)], habits, agents)
        take(i, i - begin, herd, habits, goals, agents, room, rooms.sums[task])
    wish(time, habits, room)
    limit(habits, room)
    if habits.lands:
        for i in range(begin, end):
            if room[i - begin + SPOT] < math.inf:
                put(room, i - begin + X, landing_wish(
                    herd.order[i], place_of(i, herd), three(room, i - begin + WX), goals, habits
                ))
    if habits.walks:
        for k in range(BLOCK):
            room[k + Z] = 0.0
    if walls.skip.shape[0] > 0:
        heed_walls(begin, end, task, herd, habits, walls, agents, motion, rooms)
    if habits.is_bounded:
        for i in range(begin, end):
            stay_between(herd.place[i, 2], agents.box[herd.order[i]], i - begin, habits, room)
    carry(habits, room)
    for i in range(begin, end):
        settle(herd.order[i], i - begin, habits, agents, room)


@part_of_kernel
def fetch_rows(a, habits, agents):
    """Prefetch the rows of agent a that it decides with."""
    fetch(agents.posture, a)
    fetch(agents.nose, a)
    fetch(agents.own, a)
    fetch(agents.mind, a)
    if habits.is_carried:
        fetch(agents.flow, a)
        fetch(agents.borne, a)
    if habits.is_bounded:
        fetch(agents.box, a)
    if habits.heeds:
        fetch(agents.flee, a)
        fetch(agents.seek, a)
        fetch(agents.fright, a)


@part_of_kernel
def place_of(i, herd):
    """Where the agent at place i of the herd is, (3) [m]."""
    return herd.place[i, 0], herd.place[i, 1], herd.place[i, 2]


@part_of_kernel
def take(i, k, herd, habits, goals, agents, room, sums):
    """Put what the agent at place i of the herd knows in place k of a block."""
    a, row = herd.order[i], herd.rows[i]
    nose, posture, nature = agents.nose[a], agents.posture[a], agents.mind[a]
    put(room, k + WX, (float(row[3]), float(row[4]), float(row[5])))
    put(room, k + NX, (nose[0], nose[1], nose[2]))
    put(room, k + PX, place_of(i, herd))
    fright = agents.fright[a] if habits.heeds else 0.0
    room[k + FRIGHT] = fright
    room[k + SPOT] = land(a, place_of(i, herd), fright, goals, habits, agents.posture)
    room[k + BANKS], room[k + PHASES], room[k + EFFORTS] = posture[BANK], posture[PHASE], posture[EFFORT]
    room[k + RESTS] = 1.0 if posture[STATE] == LANDED else 0.0
    room[k + CRUISES] = nature[CRUISE]
    put(room, k + RATE_X, (nature[RATE], nature[RATE + 1], nature[RATE + 2]))
    put(room, k + BEGIN_X, (nature[BEGIN], nature[BEGIN + 1], nature[BEGIN + 2]))
    neighbours(i, k, herd, habits, room, sums)
    leads = nature[LEADS] > 0.0
    room[k + HEEDS] = 0.0 if leads or herd.seen[i] == 0 else 1.0
    take_goal(a, k, leads, place_of(i, herd), habits, goals, agents, room)
    put(room, k + FLOW_X, flow_of(a, habits, agents))
    if habits.heeds:
        put(room, k + FLEE_X, (agents.flee[a, 0], agents.flee[a, 1], agents.flee[a, 2]))
        put(room, k + SEEK_X, (agents.seek[a, 0], agents.seek[a, 1], agents.seek[a, 2]))


@part_of_kernel
def take_goal(a, k, leads, place, habits, goals, agents, room):
    """Put the way from a place (3) [m] to the goal of agent a in place k of a block, if it goes for it."""
    room[k + GOES] = 0.0
    put(room, k + GOAL_X, (0.0, 0.0, 0.0))
    if goals.path.shape[0] > 0 and habits.goal > 0.0 and (leads or habits.leaders == 0.0):
        room[k + GOES] = 1.0
        x, y, z = place_ahead(a, place, AHEAD * habits.reaction * habits.speed, goals, agents.leg)
        put(room, k + GOAL_X, (x - place[0], y - place[1], z - place[2]))


@part_of_kernel
def flow_of(a, habits, agents):
    """How agent a will be borne by the end of the frame, (3) [m/s]."""
    if not habits.is_carried:
        return 0.0, 0.0, 0.0
    flow, borne, share = agents.flow, agents.borne, habits.uptake
    return (
        borne[a, 0] + share * (flow[a, 0] - borne[a, 0]), borne[a, 1] + share * (flow[a, 1] - borne[a, 1]),
        borne[a, 2] + share * (flow[a, 2] - borne[a, 2]),
    )


@part_of_kernel
def heed_walls(begin, end, task, herd, habits, walls, agents, motion, rooms):
    """Keep the agents of a block off walls."""
    room, most = rooms.block[task], -1.0
    for k in range(BLOCK):
        speed = length(three(room, k + X)) + length(three(room, k + FLOW_X))
        room[k + REACH] = habits.keep + speed * habits.foresight
    for i in range(begin, end):
        reach, spot = room[i - begin + REACH], room[i - begin + SPOT]
        if spot <= 4.0 * habits.keep or is_clear(herd.order[i], place_of(i, herd), reach, walls, agents.mind):
            room[i - begin + REACH] = -1.0
        else:
            most = max(most, reach)
    if most < 0.0:
        return
    leaves, box, sense, reach = rooms.leaves[task], box_of(begin, end, room), rooms.sense[task], most
    count = list_leaves(box[0], box[1], reach, walls, leaves)
    if count == 0 and list_leaves(box[0], box[1], FAR * most, walls, leaves) == 0:
        reach = FAR * most
    is_listed = count <= leaves.shape[0]
    if is_listed:
        find_bound(box, reach, leaves, count, walls, motion, habits, room, sense)
    for i in range(begin, end):
        a, k = herd.order[i], i - begin
        if room[k + REACH] < 0.0:
            continue
        if is_listed:
            remember(a, place_of(i, herd), float(sense[k + NEAREST]), walls, agents.mind)
            is_free = sense[k + BINDS] == 0.0
        else:
            is_free = measure(a, place_of(i, herd), room[k + REACH], walls, agents.mind)
        if not is_free:
            agent = (place_of(i, herd), three(room, k + FLOW_X), room[k + REACH], agents.mind[a, SIDE])
            put(room, k + X, keep_off(
                agent, three(room, k + X), leaves, count, walls, motion, habits, rooms.near[task]
            ))


@part_of_kernel
def box_of(begin, end, room):
    """The box (low and high corner) of those agents of a block that look for walls [m]."""
    low, high = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
    for k in range(end - begin):
        if room[k + REACH] >= 0.0:
            x, y, z = three(room, k + PX)
            low = (min(low[0], x), min(low[1], y), min(low[2], z))
            high = (max(high[0], x), max(high[1], y), max(high[2], z))
    return low, high


@part_of_kernel
def stay_between(z, box, k, habits, room):
    """Keep agent k of a block between two heights [m], as from walls, unless it has all but landed."""
    if room[k + SPOT] > 4.0 * habits.keep:
        flow = room[k + FLOW_X + 2 * BLOCK]
        wanted = max(room[k + Z], (box[0] + habits.keep - z) / habits.foresight - flow)
        room[k + Z] = min(wanted, (box[1] - habits.keep - z) / habits.foresight - flow)


@part_of_kernel
def settle(a, k, habits, agents, room):
    """Take the wish of place k of a block as the course of agent a, and its posture."""
    nose, posture, w, wanted = agents.nose[a], agents.posture[a], three(room, k + WX), three(room, k + X)
    nose[0], nose[1], nose[2] = three(room, k + NX)
    posture[BANK], posture[PHASE], posture[EFFORT] = room[k + BANKS], room[k + PHASES], room[k + EFFORTS]
    # So much beyond the wish that by the end of the frame the velocity is what it wishes.
    for axis in range(3):
        agents.own[a, axis] = w[axis] + habits.gain * (wanted[axis] - w[axis])
    if habits.is_carried:
        agents.borne[a, 0], agents.borne[a, 1], agents.borne[a, 2] = three(room, k + FLOW_X)
