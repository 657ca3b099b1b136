"""How agents carry themselves: they look along their velocity, lean into curves, and beat by their effort."""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, part_of_kernel
from .block import BANKS, BLOCK, EFFORTS, FRIGHT, NX, PHASES, RESTS, WX, X, length, put, three
from .limits import STILL

# Agents lean, and their effort changes, with this time constant [s].
LEANING = 0.2
# Standard gravity [m/s²], which leaning into a curve is measured by, whatever the scene's gravity.
G = 9.80665
# Beats of level travel as a share of the rate, and what effort adds to them.
EASY, HARD = 0.7, 1.5


@kernel
def carry(habits, room):
    """Nose, bank, phase and effort of each agent of a block, from the velocity that it has taken for its course."""
    for k in range(BLOCK):
        nose, w, wanted = three(room, k + NX), three(room, k + WX), three(room, k + X)
        speed, rests = length(wanted), room[k + RESTS] > 0.0
        nose = looking(nose, wanted, rests or speed < STILL * habits.speed)
        put(room, k + NX, nose)
        level = math.sqrt(nose[0] * nose[0] + nose[1] * nose[1])
        level = level if level > 1e-9 else 1e-9
        ax, ay, az = (wanted[0] - w[0]) / habits.dt, (wanted[1] - w[1]) / habits.dt, (wanted[2] - w[2]) / habits.dt
        lean = habits.banking * arc_tangent((ax * nose[1] - ay * nose[0]) / (level * G))
        lean = 0.0 if habits.walks or rests else lean
        room[k + BANKS] += habits.lag * (lean - room[k + BANKS])
        work = length((ax, ay, az)) / habits.acceleration
        climbing = nose[2] if nose[2] > 0.0 else 0.0
        effort = 0.5 * (work if work < 1.0 else 1.0) + 0.3 * room[k + FRIGHT] + climbing + 0.2 * speed / habits.speed
        effort = 0.0 if rests else effort if effort < 1.0 else 1.0
        room[k + EFFORTS] += habits.lag * (effort - room[k + EFFORTS])
        phase = room[k + PHASES]
        beaten = phase + habits.dt * habits.beat * (EASY + HARD * room[k + EFFORTS])
        ended = beaten - math.floor(beaten)
        # Landed agents end their beat and then keep still.
        room[k + PHASES] = 0.0 if rests and (phase == 0.0 or beaten >= 1.0) else ended


@part_of_kernel
def looking(nose, wanted, is_still):
    """Unit vector along the velocity wanted; for agents that are still where they looked, but level."""
    x = nose[0] if is_still else wanted[0]
    y = nose[1] if is_still else wanted[1]
    z = 0.0 if is_still else wanted[2]
    size = math.sqrt(x * x + y * y + z * z)
    is_somewhere = size > 1e-9
    scale = 1.0 / (size if is_somewhere else 1.0)
    return (
        scale * x if is_somewhere else nose[0], scale * y if is_somewhere else nose[1],
        scale * z if is_somewhere else nose[2],
    )


@part_of_kernel
def arc_tangent(x):
    """The angle [rad], within 2e-8: a polynomial of Abramowitz and Stegun 1964, 4.4.49."""
    size = abs(x)
    is_flat = size <= 1.0
    t = size if is_flat else 1.0 / (size if size > 1.0 else 1.0)
    s = t * t
    series = -0.0161657367 + 0.0028662257 * s
    series = 0.0429096138 + s * series
    series = -0.0752896400 + s * series
    series = 0.1065626393 + s * series
    series = -0.1420889944 + s * series
    series = 0.1999355085 + s * series
    series = -0.3333314528 + s * series
    angle = t + t * s * series
    angle = angle if is_flat else 0.5 * math.pi - angle
    return angle if x >= 0.0 else -angle
