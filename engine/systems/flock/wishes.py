"""What an agent wants: accelerations in the order of their weight, as many as its strength affords.

Wishes are served in this order, until the agent's greatest acceleration is used up (Reynolds 1999, "Steering Behaviors
for Autonomous Characters"): flight, separation, rules, goal, alignment, cohesion, wandering, cruising speed. Each is
(velocity wanted - velocity) / reaction, or a share of speed / reaction along a direction.
"""

from __future__ import annotations

import math

from ...compiler.kernels import part_of_kernel
from .goals import place_ahead
from .nature import CRUISE, LEADS, chance, wave

# A place on the path that agents go for is so many reaction times ahead.
AHEAD = 3.0


@part_of_kernel
def serve(left, served, wx, wy, wz):
    """Serve a wish (3) out of what acceleration is left [m/s²]; returns what is left then, and all served so far."""
    size = math.sqrt(wx * wx + wy * wy + wz * wz)
    share = 1.0 if size <= left else left / size
    return max(left - size, 0.0), (served[0] + share * wx, served[1] + share * wy, served[2] + share * wz)


@part_of_kernel
def wished(i, place, fright, herd, habits, goals, agents, time):
    """The acceleration (3) that the agent at place i of the herd takes [m/s²].

    Args: place: (3) where it is [m]; fright: 0 to 1; time: [s].
    """
    a = herd.order[i]
    w = (float(herd.speeds[0, i]), float(herd.speeds[1, i]), float(herd.speeds[2, i]))
    pace = 1.0 / habits.reaction
    left, served = habits.acceleration, (0.0, 0.0, 0.0)
    if fright > 0.0:
        away = agents.flee[a]
        size = max(math.sqrt(away[0] ** 2 + away[1] ** 2 + away[2] ** 2), 1e-300)
        top, urge = habits.fastest / size, pace * min(1.0, 2.0 * fright)
        left, served = serve(
            left, served, urge * (top * away[0] - w[0]), urge * (top * away[1] - w[1]), urge * (top * away[2] - w[2])
        )
    nature = agents.mind[a]
    leads = nature[LEADS] > 0.0
    apart, together, along = neighbours(i, herd, habits)
    push = habits.separation * habits.speed * pace
    left, served = serve(left, served, push * apart[0], push * apart[1], push * apart[2])
    if habits.heeds:
        left, served = serve(left, served, agents.seek[a, 0], agents.seek[a, 1], agents.seek[a, 2])
    if goals.path.shape[0] > 0 and habits.goal > 0.0 and (leads or habits.leaders == 0.0):
        gx, gy, gz = place_ahead(a, place, AHEAD * habits.reaction * habits.speed, goals, agents.leg)
        gx, gy, gz = gx - place[0], gy - place[1], gz - place[2]
        far = max(math.sqrt(gx * gx + gy * gy + gz * gz), 1e-300)
        # Nearer than a moment's way the goal has no direction that is worth a turn.
        top = habits.speed / max(far, 0.5 * habits.speed * habits.reaction)
        urge = habits.goal * pace
        left, served = serve(left, served, urge * (top * gx - w[0]), urge * (top * gy - w[1]), urge * (top * gz - w[2]))
    if not leads and herd.seen[i] > 0:
        urge = habits.alignment * pace
        left, served = serve(
            left, served, urge * (along[0] - w[0]), urge * (along[1] - w[1]), urge * (along[2] - w[2])
        )
        pull = habits.cohesion * habits.speed * pace
        left, served = serve(left, served, pull * together[0], pull * together[1], pull * together[2])
    drift = habits.wander * habits.speed * pace
    left, served = serve(
        left, served, drift * wave(nature, 0, time), drift * wave(nature, 1, time), 0.5 * drift * wave(nature, 2, time)
    )
    speed = math.sqrt(w[0] ** 2 + w[1] ** 2 + w[2] ** 2)
    lack = pace * (cruise(a, fright, habits, agents) - speed)
    nose = agents.nose[a]
    left, served = serve(left, served, lack * nose[0], lack * nose[1], lack * nose[2])
    return served


@part_of_kernel
def cruise(a, fright, habits, agents):
    """The speed that agent a travels at [m/s]."""
    own = habits.speed * float(agents.mind[a, CRUISE])
    return own + fright * (habits.fastest - own)


@part_of_kernel
def neighbours(i, herd, habits):
    """Of the agents that an agent sees: ways apart from those too near and to their middle; their mean velocity.

    Apart is the sum of unit vectors, each times the share of the personal space that lacks; the way to the middle is in
    units of their mean distance, so that it counts for as much in a wide flock as in a narrow one.
    """
    px, py, pz = herd.columns[0, i], herd.columns[1, i], herd.columns[2, i]
    ax, ay, az, mx, my, mz, vx, vy, vz, far = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    count = herd.seen[i]
    for k in range(count):
        j = herd.near[i, k]
        dx, dy, dz = herd.columns[0, j] - px, herd.columns[1, j] - py, herd.columns[2, j] - pz
        d = math.sqrt(dx * dx + dy * dy + dz * dz)
        far += d
        mx += dx
        my += dy
        mz += dz
        vx += herd.speeds[0, j]
        vy += herd.speeds[1, j]
        vz += herd.speeds[2, j]
        if d < habits.space:
            if d > 1e-6 * habits.space:
                push = (1.0 - d / habits.space) / d
                ax -= push * dx
                ay -= push * dy
                az -= push * dz
            else:
                # Two in one place part in a direction of their own.
                turn = 6.283185307179586 * chance(herd.order[i], 9, habits.seed)
                ax += math.cos(turn)
                ay += math.sin(turn)
    share = 1.0 / max(count, 1)
    scale = 1.0 / far if far > 0.0 else 0.0
    return (ax, ay, az), (scale * mx, scale * my, scale * mz), (share * vx, share * vy, share * vz)
