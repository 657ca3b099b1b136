"""Posture of agents: the attributes of baked points that orient and animate their instances."""

from __future__ import annotations

import numpy as np

from .columns import BANK, EFFORT, PHASE, STATE


def posture_attributes(noses: np.ndarray, posture: np.ndarray) -> dict[str, np.ndarray]:
    """Attributes of agents, float32: the rotation as `qw`, `qx`, `qy`, `qz`; `bank` [rad], `phase`, `effort`, `state`.

    The rotation takes +Y to where the agent looks and +Z upwards, leaning by the bank: to the right above 0.

    Args: noses: (n, 3) unit vectors; posture: (n, 4), see `columns.Agents`.
    """
    half = 0.5 * np.arctan2(-noses[:, 0], noses[:, 1])
    level = np.hypot(noses[:, 0], noses[:, 1])
    pitch, roll = 0.5 * np.arctan2(noses[:, 2], level), 0.5 * posture[:, BANK]
    # Turn about Z, then pitch about X, then roll about Y, each in the frame that the one before has made.
    zw, zz = np.cos(half), np.sin(half)
    w, x, y, z = zw * np.cos(pitch), zw * np.sin(pitch), zz * np.sin(pitch), zz * np.cos(pitch)
    c, s = np.cos(roll), np.sin(roll)
    turned = {"qw": w * c - y * s, "qx": x * c - z * s, "qy": w * s + y * c, "qz": z * c + x * s}
    columns = {"bank": BANK, "phase": PHASE, "effort": EFFORT, "state": STATE}
    told = {name: posture[:, column] for name, column in columns.items()}
    return {name: values.astype(np.float32) for name, values in (turned | told).items()}
