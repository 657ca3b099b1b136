"""Posture of agents: the attributes of baked points that orient and animate their instances."""

from __future__ import annotations

import math

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from .columns import BANK, EFFORT, PHASE, STATE
from .nearest import TASK

NAMES = ("qw", "qx", "qy", "qz", "bank", "phase", "effort", "state", "speed")


def posture_attributes(
    x: np.ndarray, v: np.ndarray, noses: np.ndarray, posture: np.ndarray, places: np.ndarray, velocities: np.ndarray,
) -> dict[str, np.ndarray]:
    """Attributes of agents, float32: the rotation as `qw`, `qx`, `qy`, `qz`; `bank` [rad], `phase`, `effort`, `state`.

    The rotation maps +Y to the facing direction and +Z upwards, rolled by the bank: to the right above 0. The speed
    [m/s] is an attribute too. Positions and velocities are written in single precision.

    Args: x: (n, 3) [m]; v: (n, 3) [m/s]; noses: (n, 3) unit vectors; posture: (n, 4), see `columns.Agents`; out:
        places, velocities: (n, 3) float32.
    """
    rows = np.empty((len(NAMES), len(noses)), dtype=np.float32)
    fill_postures(x, v, noses, posture, places, velocities, rows)
    return dict(zip(NAMES, rows, strict=True))


@parallel_kernel
def fill_postures(x, v, noses, posture, places, velocities, rows):
    """Fill the rows (9, n) named by `NAMES`, places and velocities."""
    for task in prange((noses.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), noses.shape[0])):
            fill_posture(a, noses, posture, rows)
            rows[8, a] = math.sqrt(v[a, 0] ** 2 + v[a, 1] ** 2 + v[a, 2] ** 2)
            for k in range(3):
                places[a, k], velocities[a, k] = x[a, k], v[a, k]


@kernel
def fill_posture(a, noses, posture, rows):
    """Yaw about Z, then pitch about X, then roll about Y, each in the frame after the previous rotation."""
    level = math.sqrt(noses[a, 0] ** 2 + noses[a, 1] ** 2)
    zw, zz = half_angle(noses[a, 1] / level if level > 0.0 else 1.0, -noses[a, 0])
    xw, xx = half_angle(level, noses[a, 2])
    w, x, y, z = zw * xw, zw * xx, zz * xx, zz * xw
    c, s = math.cos(0.5 * posture[a, BANK]), math.sin(0.5 * posture[a, BANK])
    rows[0, a] = w * c - y * s
    rows[1, a] = x * c - z * s
    rows[2, a] = w * s + y * c
    rows[3, a] = z * c + x * s
    rows[4, a] = posture[a, BANK]
    rows[5, a] = posture[a, PHASE]
    rows[6, a] = posture[a, EFFORT]
    rows[7, a] = posture[a, STATE]


@part_of_kernel
def half_angle(cosine, sine):
    """Cosine and sine of half of an angle from its cosine, and a number with the sign of its sine."""
    cosine = min(max(cosine, -1.0), 1.0)
    return math.sqrt(0.5 + 0.5 * cosine), math.copysign(math.sqrt(0.5 - 0.5 * cosine), sine)
