"""A decision of every agent: from what it wants to the velocity it takes up and the posture that shows it."""

from __future__ import annotations

import math

from ...compiler.kernels import parallel_kernel, part_of_kernel, prange
from ...compiler.prefetch import fetch
from .columns import BANK, EFFORT, LANDED, LANDING, MOVING, PHASE, REACH, SPOT, STATE
from .goals import spot_of
from .nature import SIDE
from .nearest import TASK
from .walls.clearance import is_clear
from .walls.keep_off import keep_off, reach_of
from .walls.near import list_leaves
from .wishes import cruise, wished

# Agents lean, and their effort changes, with this time constant [s].
LEANING = 0.2
# Standard gravity [m/s²], which leaning into a curve is measured by, whatever the scene's gravity.
G = 9.80665
# A frightened agent that stands takes off from this fright on.
STARTLED = 0.05
# Landing begins within the way of so many seconds.
APPROACH = 2.5
# Rows of agents are prefetched this many places ahead, because they are in the order of ids.
AHEAD = 6
# Agents of a task that look for walls together.
BLOCK = 16
# An agent slower than this share of its speed keeps looking where it looked.
STILL = 0.05


@parallel_kernel
def decide(first, time, herd, habits, goals, walls, agents, motion, rooms):
    """Let every agent of a flock decide: fills `agents.own`, `nose` and `posture`.

    Args: first: particle of the flock; time: [s]; rooms: `Rooms`, one for each task.
    """
    for task in prange((herd.order.shape[0] + TASK - 1) // TASK):
        stop = min(TASK * (task + 1), herd.order.shape[0])
        for begin in range(TASK * task, stop, BLOCK):
            decide_block(begin, min(begin + BLOCK, stop), task, first, time, herd, habits, goals, walls, agents, motion,
                         rooms)


@part_of_kernel
def decide_block(begin, end, task, first, time, herd, habits, goals, walls, agents, motion, rooms):
    """Let a few agents that are near each other decide."""
    block = rooms.wish[task]
    most = -1.0
    for i in range(begin, end):
        fetch_rows(herd.order[min(i + AHEAD, herd.order.shape[0] - 1)], first, habits, agents)
        most = max(most, want(i, block[i - begin], time, herd, habits, goals, walls, agents))
    if most >= 0.0:
        leaves = rooms.leaves[task]
        count = leaves_of_block(begin, end, most, herd, walls, block, leaves)
        for i in range(begin, end):
            if block[i - begin, REACH] >= 0.0:
                keep_one_off(i, block[i - begin], leaves, count, herd, habits, walls, agents, motion, rooms.near[task])
    for i in range(begin, end):
        settle(i, block[i - begin], herd, habits, agents)


@part_of_kernel
def fetch_rows(a, first, habits, agents):
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
def want(i, row, time, herd, habits, goals, walls, agents):
    """What the agent at place i of the herd wants, into its row of `Rooms.wish`; how far it looks for walls [m]."""
    a = herd.order[i]
    place = (herd.place[i, 0], herd.place[i, 1], herd.place[i, 2])
    fright = agents.fright[a] if habits.heeds else 0.0
    w = speed_of(i, herd)
    far, wish = landing(a, place, w, fright, habits, goals, agents)
    if agents.posture[a, STATE] == MOVING:
        ax, ay, az = wished(i, place, fright, herd, habits, goals, agents, time)
        wish = (w[0] + habits.dt * ax, w[1] + habits.dt * ay, w[2] + habits.dt * az)
        wish = within_limits(a, wish, w, fright, habits, agents)
    if habits.walks:
        wish = (wish[0], wish[1], 0.0)
    row[REACH], row[SPOT] = -1.0, far
    if far > 4.0 * habits.keep and walls.skip.shape[0] > 0:
        reach = reach_of(wish, flow_of(a, habits, agents), habits)
        if not is_clear(a, place, reach, walls, agents.mind):
            row[REACH] = reach
    row[0], row[1], row[2] = wish
    return row[REACH]


@part_of_kernel
def speed_of(i, herd):
    """Velocity (3) of the agent at place i of the herd, relative to what carries it [m/s]."""
    return float(herd.speeds[0, i]), float(herd.speeds[1, i]), float(herd.speeds[2, i])


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
def leaves_of_block(begin, end, reach, herd, walls, block, leaves):
    """List leaves of the tree of walls near those agents of a block that look for walls, see `list_leaves`."""
    low, high = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
    for i in range(begin, end):
        if block[i - begin, REACH] >= 0.0:
            x, y, z = herd.place[i, 0], herd.place[i, 1], herd.place[i, 2]
            low = (min(low[0], x), min(low[1], y), min(low[2], z))
            high = (max(high[0], x), max(high[1], y), max(high[2], z))
    return list_leaves(low, high, reach, walls, leaves)


@part_of_kernel
def keep_one_off(i, row, leaves, count, herd, habits, walls, agents, motion, room):
    """Keep the agent at place i of the herd off walls; `count` leaves are listed, or more than have room."""
    a = herd.order[i]
    place = (herd.place[i, 0], herd.place[i, 1], herd.place[i, 2])
    agent = (place, flow_of(a, habits, agents), row[REACH], agents.mind[a, SIDE])
    wish = keep_off(agent, (row[0], row[1], row[2]), leaves, count, walls, motion, habits, room)
    row[0], row[1], row[2] = wish


@part_of_kernel
def settle(i, row, herd, habits, agents):
    """Take the wish of the agent at place i of the herd as its course."""
    a, w = herd.order[i], speed_of(i, herd)
    wish, flow = (row[0], row[1], row[2]), flow_of(a, habits, agents)
    if habits.is_bounded and row[SPOT] > 4.0 * habits.keep:
        wish = stay_between(agents.box[a, 0], agents.box[a, 1], herd.place[i, 2], wish, flow[2], habits)
    take_posture(a, wish, w, agents.fright[a] if habits.heeds else 0.0, habits, agents)
    # So much beyond the wish that by the end of the frame the velocity is what it wishes.
    agents.own[a, 0] = w[0] + habits.gain * (wish[0] - w[0])
    agents.own[a, 1] = w[1] + habits.gain * (wish[1] - w[1])
    agents.own[a, 2] = w[2] + habits.gain * (wish[2] - w[2])
    if habits.is_carried:
        agents.borne[a, 0], agents.borne[a, 1], agents.borne[a, 2] = flow


@part_of_kernel
def landing(a, place, w, fright, habits, goals, agents):
    """How far the spot of a landing agent is [m], infinite for others, and the velocity it wants; sets its state."""
    state = agents.posture[a, STATE]
    if not habits.lands or goals.path.shape[0] == 0 or fright > STARTLED:
        agents.posture[a, STATE] = MOVING
        return math.inf, w
    sx, sy, sz = spot_of(a, goals, habits)
    sx, sy, sz = sx - place[0], sy - place[1], sz - place[2]
    if habits.walks:
        sz = 0.0
    far = math.sqrt(sx * sx + sy * sy + sz * sz)
    if state == MOVING and far < APPROACH * habits.speed:
        state = LANDING
    if state == LANDING and far < 0.5 * habits.keep:
        state = LANDED
    elif state == LANDED and far > 2.0 * habits.keep:
        state = LANDING
    agents.posture[a, STATE] = state
    if state == MOVING:
        return math.inf, w
    # Braking evenly to a stop at the spot, at half of what it can; at the very end as a spring draws.
    speed = min(habits.speed, math.sqrt(habits.acceleration * far), far / habits.reaction)
    scale = speed / far if far > 0.0 else 0.0
    wx, wy, wz = scale * sx - w[0], scale * sy - w[1], scale * sz - w[2]
    size, most = math.sqrt(wx * wx + wy * wy + wz * wz), habits.acceleration * habits.dt
    share = 1.0 if size <= most else most / size
    return far, (w[0] + share * wx, w[1] + share * wy, w[2] + share * wz)


@part_of_kernel
def within_limits(a, wish, w, fright, habits, agents):
    """The velocity wanted, turned and scaled to what the body can: turn, speed and steepness."""
    wx, wy, wz = wish
    speed = math.sqrt(wx * wx + wy * wy + wz * wz)
    most = 1.1 * cruise(a, fright, habits, agents)
    before = math.sqrt(w[0] ** 2 + w[1] ** 2 + w[2] ** 2)
    nose = agents.nose[a]
    ex, ey, ez = nose[0], nose[1], nose[2]
    if before > STILL * habits.speed:
        ex, ey, ez = w[0] / before, w[1] / before, w[2] / before
    if speed > 0.0:
        ex, ey, ez = turned(ex, ey, ez, wx / speed, wy / speed, wz / speed, habits)
    level = math.sqrt(ex * ex + ey * ey)
    if abs(ez) > habits.climb * level:
        if level < 1e-6:
            ex, ey = nose[0], nose[1]
            level = math.sqrt(ex * ex + ey * ey)
            if level < 1e-6:
                ex, ey, level = 1.0, 0.0, 1.0
        ez = math.copysign(habits.climb * level, ez)
        size = math.sqrt(ex * ex + ey * ey + ez * ez)
        ex, ey, ez = ex / size, ey / size, ez / size
    speed = min(max(speed, habits.slowest), most)
    return speed * ex, speed * ey, speed * ez


@part_of_kernel
def turned(ex, ey, ez, fx, fy, fz, habits):
    """A unit vector turned towards another, as far as an agent turns in a decision."""
    cosine = min(max(ex * fx + ey * fy + ez * fz, -1.0), 1.0)
    if cosine >= habits.turn_cosine:
        return fx, fy, fz
    rx, ry, rz = fx - cosine * ex, fy - cosine * ey, fz - cosine * ez
    size = math.sqrt(rx * rx + ry * ry + rz * rz)
    if size < 1e-9:
        # Straight back: any way round, level if there is one.
        rx, ry, rz = (ey, -ex, 0.0) if abs(ez) < 0.99 else (1.0, 0.0, 0.0)
        size = math.sqrt(rx * rx + ry * ry + rz * rz)
    c, s = habits.turn_cosine, habits.turn_sine / size
    fx, fy, fz = c * ex + s * rx, c * ey + s * ry, c * ez + s * rz
    size = math.sqrt(fx * fx + fy * fy + fz * fz)
    return fx / size, fy / size, fz / size


@part_of_kernel
def stay_between(low, high, z, wish, flow, habits):
    """Keep to heights from low to high [m], as from walls."""
    wz = max(wish[2], (low + habits.keep - z) / habits.foresight - flow)
    wz = min(wz, (high - habits.keep - z) / habits.foresight - flow) if high < math.inf else wz
    return wish[0], wish[1], wz


@part_of_kernel
def take_posture(a, wish, w, fright, habits, agents):
    """Look along the velocity, lean into the curve, and beat by the effort."""
    posture = agents.posture[a]
    speed = math.sqrt(wish[0] ** 2 + wish[1] ** 2 + wish[2] ** 2)
    if posture[STATE] == LANDED or speed < STILL * habits.speed:
        look(a, agents.nose[a, 0], agents.nose[a, 1], 0.0, agents)
    else:
        look(a, wish[0] / speed, wish[1] / speed, wish[2] / speed, agents)
    nose = agents.nose[a]
    level = max(math.sqrt(nose[0] ** 2 + nose[1] ** 2), 1e-9)
    ax, ay, az = (wish[0] - w[0]) / habits.dt, (wish[1] - w[1]) / habits.dt, (wish[2] - w[2]) / habits.dt
    lean = 0.0
    if not habits.walks and posture[STATE] != LANDED:
        lean = habits.banking * math.atan((ax * nose[1] - ay * nose[0]) / (level * G))
    work = min(1.0, math.sqrt(ax * ax + ay * ay + az * az) / habits.acceleration)
    effort = min(1.0, 0.5 * work + 0.3 * fright + max(nose[2], 0.0) + 0.2 * speed / habits.speed)
    if posture[STATE] == LANDED:
        effort = 0.0
    posture[BANK] += habits.lag * (lean - posture[BANK])
    posture[EFFORT] += habits.lag * (effort - posture[EFFORT])
    is_beating = 0.0 if posture[STATE] == LANDED else 0.7
    phase = posture[PHASE] + habits.dt * habits.beat * (is_beating + 1.5 * posture[EFFORT])
    posture[PHASE] = phase - math.floor(phase)


@part_of_kernel
def look(a, x, y, z, agents):
    """Turn the nose along a vector; without length it stays."""
    size = math.sqrt(x * x + y * y + z * z)
    if size > 1e-9:
        agents.nose[a, 0] = x / size
        agents.nose[a, 1] = y / size
        agents.nose[a, 2] = z / size
