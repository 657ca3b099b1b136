"""Landing at a goal: agents near their spot brake to a stop on it, and stay until something frightens them."""

from __future__ import annotations

import math

from ...compiler.kernels import part_of_kernel
from .block import length, scaled
from .columns import LANDED, LANDING, MOVING, STATE
from .goals import spot_of

# A frightened agent that stands takes off from this fright on.
STARTLED = 0.05
# Landing begins within the way of so many seconds.
APPROACH = 2.5


@part_of_kernel
def way_to_spot(a, place, goals, habits):
    """The way (3) from where agent a is, (3) [m], to where it lands; walkers go level."""
    spot = spot_of(a, goals, habits)
    return spot[0] - place[0], spot[1] - place[1], 0.0 if habits.walks else spot[2] - place[2]


@part_of_kernel
def land(a, place, fright, goals, habits, posture):
    """How far the spot of a landing agent is [m], infinite for others; sets its state."""
    if not habits.lands or goals.path.shape[0] == 0 or fright > STARTLED:
        posture[a, STATE] = MOVING
        return math.inf
    state, far = posture[a, STATE], length(way_to_spot(a, place, goals, habits))
    if state == MOVING and far < APPROACH * habits.speed:
        state = LANDING
    if state == LANDING and far < 0.5 * habits.keep:
        state = LANDED
    elif state == LANDED and far > 2.0 * habits.keep:
        state = LANDING
    posture[a, STATE] = state
    return math.inf if state == MOVING else far


@part_of_kernel
def landing_wish(a, place, w, goals, habits):
    """The velocity (3) that a landing agent wants, which moves at w (3) [m/s]."""
    way = way_to_spot(a, place, goals, habits)
    far = length(way)
    # Braking evenly to a stop at the spot, at half of what it can; at the very end as a spring draws.
    speed = min(habits.speed, math.sqrt(habits.acceleration * far), far / habits.reaction)
    scale = speed / far if far > 0.0 else 0.0
    change = (scale * way[0] - w[0], scale * way[1] - w[1], scale * way[2] - w[2])
    size, most = length(change), habits.acceleration * habits.dt
    change = scaled(1.0 if size <= most else most / size, change)
    return w[0] + change[0], w[1] + change[1], w[2] + change[2]
