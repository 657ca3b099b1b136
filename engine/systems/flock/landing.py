"""Landing at a goal: agents near their landing spot brake to a stop on it, and stay until something frightens them."""

from __future__ import annotations

import math

from ...compiler.kernels import part_of_kernel
from .block import length, scaled
from .columns import LANDED, LANDING, MOVING, STATE
from .goals import spot_of

# A landed agent takes off when its fright exceeds this.
STARTLED = 0.05
# Landing begins when the spot is less than this travel time away [s].
APPROACH = 2.5


@part_of_kernel
def offset_to_spot(a, place, goals, habits):
    """Offset (3) [m] from the position of agent a, `place` (3) [m], to its landing spot; level for walkers."""
    spot = spot_of(a, goals, habits)
    return spot[0] - place[0], spot[1] - place[1], 0.0 if habits.walks else spot[2] - place[2]


@part_of_kernel
def update_landing(a, place, fright, goals, habits, posture):
    """Set an agent's landing state; returns the distance to its spot [m], infinite unless it is landing or landed."""
    if not habits.lands or goals.path.shape[0] == 0 or fright > STARTLED:
        posture[a, STATE] = MOVING
        return math.inf
    state, distance = posture[a, STATE], length(offset_to_spot(a, place, goals, habits))
    if state == MOVING and distance < APPROACH * habits.speed:
        state = LANDING
    if state == LANDING and distance < 0.5 * habits.keep:
        state = LANDED
    elif state == LANDED and distance > 2.0 * habits.keep:
        state = LANDING
    posture[a, STATE] = state
    return math.inf if state == MOVING else distance


@part_of_kernel
def landing_wish(a, place, w, goals, habits):
    """Wanted velocity (3) of a landing agent; args: w: its velocity (3) [m/s]."""
    offset = offset_to_spot(a, place, goals, habits)
    distance = length(offset)
    # Uniform braking to a stop at the spot, at half the agent's acceleration; at the very end proportional to distance.
    speed = min(habits.speed, math.sqrt(habits.acceleration * distance), distance / habits.reaction)
    scale = speed / distance if distance > 0.0 else 0.0
    change = (scale * offset[0] - w[0], scale * offset[1] - w[1], scale * offset[2] - w[2])
    size, most = length(change), habits.acceleration * habits.dt
    change = scaled(1.0 if size <= most else most / size, change)
    return w[0] + change[0], w[1] + change[1], w[2] + change[2]
