"""Motion of spray, foam and bubbles in a frame of dt seconds.

By the number of fluid particles within a support, with u their mean velocity, weighted by 1 - distance / support:

    spray     fewer than 6       x += dt v + dt² g / 2       v += dt g
    foam      up to 20           v  = u                      x += dt v
    bubbles   more               v += -dt BUOYANCY g + DRAG (u - v)      x += dt v

Ihmsen et al. 2012, section 4; the numbers are theirs for 30 neighbours in the bulk.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, prange
from ....solver.neighbors import LANES

SPRAY, FOAM, BUBBLE = 1, 2, 3
# Spray has fewer neighbours than FEW, foam no more than MANY.
FEW, MANY = 6, 20
BUOYANCY, DRAG = 2.0, 0.8
TASK = 16


class Near(NamedTuple):
    """Fluid particles near each of n points, see `NeighborLists`; none: the number that stands for no neighbour."""

    slot_start: np.ndarray
    neighbor: np.ndarray
    none: int


class Bits(NamedTuple):
    """Spray, foam and bubbles, n of them, float64, near the fluid's origin.

    Attributes:
        x: (n, 3) [m]; v: (n, 3) [m/s].
        displacement: (n, 3) in this frame [m]; initially the offset from the emitting particle, zero for older bits.
        seconds: (n,) time that it moves in this frame [s].
        kind: (n,) int32, SPRAY, FOAM or BUBBLE.
    """

    x: np.ndarray
    v: np.ndarray
    displacement: np.ndarray
    seconds: np.ndarray
    kind: np.ndarray


@parallel_kernel
def drift(count, near, rows, speeds, per_support, gravity, bits):
    """Update kind, velocity and displacement of `count` bits.

    Args: rows, speeds: of the fluid, sorted; gravity: three floats [m/s²].
    """
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            drift_one(i, near, rows, speeds, per_support, gravity, bits)


@kernel
def drift_one(i, near, rows, speeds, per_support, gravity, bits):
    """Update kind, velocity and displacement of bit i."""
    found, total, ux, uy, uz = 0, 0.0, 0.0, 0.0, 0.0
    x, y, z = (
        bits.x[i, 0] + bits.displacement[i, 0], bits.x[i, 1] + bits.displacement[i, 1],
        bits.x[i, 2] + bits.displacement[i, 2],
    )
    block, lane = i // LANES, i % LANES
    for s in range(near.slot_start[block], near.slot_start[block + 1]):
        j = near.neighbor[s, lane]
        if j == near.none:
            continue
        dx, dy, dz = x - rows[j, 0], y - rows[j, 1], z - rows[j, 2]
        weight = 1.0 - math.sqrt(dx * dx + dy * dy + dz * dz) * per_support
        if weight > 0.0:
            found += 1
            total += weight
            ux += weight * speeds[j, 0]
            uy += weight * speeds[j, 1]
            uz += weight * speeds[j, 2]
    carried = (ux / total, uy / total, uz / total) if found > 0 else (0.0, 0.0, 0.0)
    dt = bits.seconds[i]
    bits.kind[i] = SPRAY if found < FEW else FOAM if found <= MANY else BUBBLE
    for axis in range(3):
        fall = 0.0
        if bits.kind[i] == SPRAY:
            fall = gravity[axis]
        elif bits.kind[i] == FOAM:
            bits.v[i, axis] = carried[axis]
        else:
            bits.v[i, axis] += DRAG * (carried[axis] - bits.v[i, axis]) - dt * BUOYANCY * gravity[axis]
        bits.displacement[i, axis] += dt * bits.v[i, axis] + 0.5 * dt * dt * fall
        bits.v[i, axis] += dt * fall
