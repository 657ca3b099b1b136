"""Posture of agents: they face along their velocity, bank into curves, and beat in proportion to their effort."""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, part_of_kernel
from .block import BANKS, BLOCK, EFFORTS, FRIGHT, IS_LANDED, NX, PHASES, WX, X, length, put, three
from .limits import STILL

# Time constant of changes of bank and effort [s].
POSTURE_TIME = 0.2
# Standard gravity [m/s²], which determines the bank in a curve, whatever the scene's gravity.
G = 9.80665
# Beat rate of level travel as a fraction of `Habits.beat`, and the fraction that full effort adds.
LEVEL_BEAT, EFFORT_BEAT = 0.7, 1.5


@kernel
def update_posture(habits, block):
    """Update facing direction, bank, phase and effort of each agent of a block from its decided velocity."""
    for k in range(BLOCK):
        nose, w, wanted = three(block, k + NX), three(block, k + WX), three(block, k + X)
        speed, rests = length(wanted), block[k + IS_LANDED] > 0.0
        nose = looking(nose, wanted, rests or speed < STILL * habits.speed)
        put(block, k + NX, nose)
        level = math.sqrt(nose[0] * nose[0] + nose[1] * nose[1])
        level = level if level > 1e-9 else 1e-9
        ax, ay, az = (wanted[0] - w[0]) / habits.dt, (wanted[1] - w[1]) / habits.dt, (wanted[2] - w[2]) / habits.dt
        lean = habits.banking * arc_tangent((ax * nose[1] - ay * nose[0]) / (level * G))
        lean = 0.0 if habits.walks or rests else lean
        block[k + BANKS] += habits.posture_fraction * (lean - block[k + BANKS])
        work = length((ax, ay, az)) / habits.acceleration
        climbing = nose[2] if nose[2] > 0.0 else 0.0
        effort = 0.5 * (work if work < 1.0 else 1.0) + 0.3 * block[k + FRIGHT] + climbing + 0.2 * speed / habits.speed
        effort = 0.0 if rests else effort if effort < 1.0 else 1.0
        block[k + EFFORTS] += habits.posture_fraction * (effort - block[k + EFFORTS])
        phase = block[k + PHASES]
        beaten = phase + habits.dt * habits.beat * (LEVEL_BEAT + EFFORT_BEAT * block[k + EFFORTS])
        ended = beaten - math.floor(beaten)
        # Landed agents finish their beat and then stop beating.
        block[k + PHASES] = 0.0 if rests and (phase == 0.0 or beaten >= 1.0) else ended


@part_of_kernel
def looking(nose, wanted, is_still):
    """Unit vector along the wanted velocity; for agents that are still, the previous direction made level."""
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
