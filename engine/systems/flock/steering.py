"""Decision of every agent: from its steering wishes to the velocity it takes up and to its posture."""

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
    HEEDS,
    IS_LANDED,
    NX,
    PHASES,
    PX,
    RATE_X,
    REACH,
    SEEK_X,
    SEEKS_GOAL,
    SPOT_DISTANCE,
    TASKS,
    WX,
    X,
    Z,
    length,
    put,
    three,
)
from .carriage import update_posture
from .columns import BANK, EFFORT, LANDED, PHASE, STATE
from .goals import place_ahead
from .landing import landing_wish, update_landing
from .limits import limit
from .nature import BEGIN, CRUISE, LEADS, RATE, SIDE
from .walls.binding import BINDS, NEAREST, find_bound
from .walls.clearance import FAR, is_clear, measure, remember
from .walls.keep_off import keep_off
from .walls.near import list_leaves
from .wishes import AHEAD, load_neighbours, wish

# Rows of agents are prefetched this many places ahead, because they are stored in the order of ids, not of the herd.
PREFETCHED = 16


@parallel_kernel
def decide(time, herd, habits, goals, walls, agents, motion, scratch):
    """Let every agent of a flock decide: fills `agents.own`, `nose` and `posture`.

    Args: time: [s]; scratch: `FlockScratch` of all tasks.
    """
    count = herd.order.shape[0]
    blocks = (count + BLOCK - 1) // BLOCK
    for task in prange(TASKS):
        for block in range(blocks * task // TASKS, blocks * (task + 1) // TASKS):
            decide_block(BLOCK * block, min(BLOCK * (block + 1), count), task, time, herd, habits, goals, walls, agents,
                         motion, scratch)


@kernel
def decide_block(begin, end, task, time, herd, habits, goals, walls, agents, motion, scratch):
    """Let a block of near agents decide: places begin to end - 1 of the herd."""
    block = scratch.block[task]
    for i in range(begin, end):
        prefetch_rows(herd.order[min(i + PREFETCHED, herd.order.shape[0] - 1)], habits, agents)
        load_agent(i, i - begin, herd, habits, goals, agents, block, scratch.sums[task])
    wish(time, habits, block)
    limit(habits, block)
    if habits.lands:
        for i in range(begin, end):
            if block[i - begin + SPOT_DISTANCE] < math.inf:
                put(block, i - begin + X, landing_wish(
                    herd.order[i], place_of(i, herd), three(block, i - begin + WX), goals, habits
                ))
    if habits.walks:
        for k in range(BLOCK):
            block[k + Z] = 0.0
    if walls.skip.shape[0] > 0:
        avoid_walls(begin, end, task, herd, habits, walls, agents, motion, scratch)
    if habits.is_bounded:
        for i in range(begin, end):
            stay_between(herd.place[i, 2], agents.box[herd.order[i]], i - begin, habits, block)
    update_posture(habits, block)
    for i in range(begin, end):
        store_agent(herd.order[i], i - begin, habits, agents, block)


@part_of_kernel
def prefetch_rows(a, habits, agents):
    """Prefetch the rows of agent a that its decision reads."""
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
    """Position of the agent at place i of the herd, (3) [m]."""
    return herd.place[i, 0], herd.place[i, 1], herd.place[i, 2]


@part_of_kernel
def load_agent(i, k, herd, habits, goals, agents, block, sums):
    """Write the inputs of the agent at place i of the herd to lane k of a block."""
    a, row = herd.order[i], herd.rows[i]
    nose, posture, nature = agents.nose[a], agents.posture[a], agents.mind[a]
    put(block, k + WX, (float(row[3]), float(row[4]), float(row[5])))
    put(block, k + NX, (nose[0], nose[1], nose[2]))
    put(block, k + PX, place_of(i, herd))
    fright = agents.fright[a] if habits.heeds else 0.0
    block[k + FRIGHT] = fright
    block[k + SPOT_DISTANCE] = update_landing(a, place_of(i, herd), fright, goals, habits, agents.posture)
    block[k + BANKS], block[k + PHASES], block[k + EFFORTS] = posture[BANK], posture[PHASE], posture[EFFORT]
    block[k + IS_LANDED] = 1.0 if posture[STATE] == LANDED else 0.0
    block[k + CRUISES] = nature[CRUISE]
    put(block, k + RATE_X, (nature[RATE], nature[RATE + 1], nature[RATE + 2]))
    put(block, k + BEGIN_X, (nature[BEGIN], nature[BEGIN + 1], nature[BEGIN + 2]))
    load_neighbours(i, k, herd, habits, block, sums)
    leads = nature[LEADS] > 0.0
    block[k + HEEDS] = 0.0 if leads or herd.seen[i] == 0 else 1.0
    load_goal(a, k, leads, place_of(i, herd), habits, goals, agents, block)
    put(block, k + FLOW_X, flow_of(a, habits, agents))
    if habits.heeds:
        put(block, k + FLEE_X, (agents.flee[a, 0], agents.flee[a, 1], agents.flee[a, 2]))
        put(block, k + SEEK_X, (agents.seek[a, 0], agents.seek[a, 1], agents.seek[a, 2]))


@part_of_kernel
def load_goal(a, k, leads, place, habits, goals, agents, block):
    """Write the offset from a place (3) [m] to the goal of agent a to lane k of a block, if it heads for the goal."""
    block[k + SEEKS_GOAL] = 0.0
    put(block, k + GOAL_X, (0.0, 0.0, 0.0))
    if goals.path.shape[0] > 0 and habits.goal > 0.0 and (leads or habits.leaders == 0.0):
        block[k + SEEKS_GOAL] = 1.0
        x, y, z = place_ahead(a, place, AHEAD * habits.reaction * habits.speed, goals, agents.leg)
        put(block, k + GOAL_X, (x - place[0], y - place[1], z - place[2]))


@part_of_kernel
def flow_of(a, habits, agents):
    """Velocity that agent a will have taken up from the flow by the end of the frame, (3) [m/s]."""
    if not habits.is_carried:
        return 0.0, 0.0, 0.0
    flow, borne, fraction = agents.flow, agents.borne, habits.flow_fraction
    return (
        borne[a, 0] + fraction * (flow[a, 0] - borne[a, 0]), borne[a, 1] + fraction * (flow[a, 1] - borne[a, 1]),
        borne[a, 2] + fraction * (flow[a, 2] - borne[a, 2]),
    )


@part_of_kernel
def avoid_walls(begin, end, task, herd, habits, walls, agents, motion, scratch):
    """Limit the wanted velocities of a block of agents so that they avoid walls."""
    block, most = scratch.block[task], -1.0
    for k in range(BLOCK):
        speed = length(three(block, k + X)) + length(three(block, k + FLOW_X))
        block[k + REACH] = habits.keep + speed * habits.foresight
    for i in range(begin, end):
        reach, spot_distance = block[i - begin + REACH], block[i - begin + SPOT_DISTANCE]
        if spot_distance <= 4.0 * habits.keep or is_clear(herd.order[i], place_of(i, herd), reach, walls, agents.mind):
            block[i - begin + REACH] = -1.0
        else:
            most = max(most, reach)
    if most < 0.0:
        return
    leaves, box, sense, reach = scratch.leaves[task], box_of(begin, end, block), scratch.sense[task], most
    count = list_leaves(box[0], box[1], reach, walls, leaves)
    if count == 0 and list_leaves(box[0], box[1], FAR * most, walls, leaves) == 0:
        reach = FAR * most
    is_listed = count <= leaves.shape[0]
    if is_listed:
        find_bound(box, reach, leaves, count, walls, motion, habits, block, sense)
    for i in range(begin, end):
        a, k = herd.order[i], i - begin
        if block[k + REACH] < 0.0:
            continue
        if is_listed:
            remember(a, place_of(i, herd), float(sense[k + NEAREST]), walls, agents.mind)
            is_free = sense[k + BINDS] == 0.0
        else:
            is_free = measure(a, place_of(i, herd), block[k + REACH], walls, agents.mind)
        if not is_free:
            agent = (place_of(i, herd), three(block, k + FLOW_X), block[k + REACH], agents.mind[a, SIDE])
            put(block, k + X, keep_off(
                agent, three(block, k + X), leaves, count, walls, motion, habits, scratch.near[task]
            ))


@part_of_kernel
def box_of(begin, end, block):
    """Bounding box (low and high corner) of the agents of a block that search for walls [m]."""
    low, high = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
    for k in range(end - begin):
        if block[k + REACH] >= 0.0:
            x, y, z = three(block, k + PX)
            low = (min(low[0], x), min(low[1], y), min(low[2], z))
            high = (max(high[0], x), max(high[1], y), max(high[2], z))
    return low, high


@part_of_kernel
def stay_between(z, box, k, habits, block):
    """Keep agent k of a block between two heights [m], as between walls, unless it has almost landed."""
    if block[k + SPOT_DISTANCE] > 4.0 * habits.keep:
        flow = block[k + FLOW_X + 2 * BLOCK]
        wanted = max(block[k + Z], (box[0] + habits.keep - z) / habits.foresight - flow)
        block[k + Z] = min(wanted, (box[1] - habits.keep - z) / habits.foresight - flow)


@part_of_kernel
def store_agent(a, k, habits, agents, block):
    """Store the wanted velocity and the posture in lane k of a block as those of agent a."""
    nose, posture, w, wanted = agents.nose[a], agents.posture[a], three(block, k + WX), three(block, k + X)
    nose[0], nose[1], nose[2] = three(block, k + NX)
    posture[BANK], posture[PHASE], posture[EFFORT] = block[k + BANKS], block[k + PHASES], block[k + EFFORTS]
    # The target exceeds the wanted velocity so that relaxation reaches the wanted velocity at the end of the frame.
    for axis in range(3):
        agents.own[a, axis] = w[axis] + habits.gain * (wanted[axis] - w[axis])
    if habits.is_carried:
        agents.borne[a, 0], agents.borne[a, 1], agents.borne[a, 2] = three(block, k + FLOW_X)
