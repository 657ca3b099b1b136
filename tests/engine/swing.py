"""A mass on a spring: the same set-up for tests of its period and its damping."""

from __future__ import annotations

import math

import numpy as np
from flotsam.engine import SpringGraphSpec, WorldSpec, build_world, step_frame

MASS = 0.5


def swing(period: float, frame_rate: float, periods: float, ratio: float = 0.0) -> np.ndarray:
    """Displacement from rest of a mass released at 0.1 m, frame by frame [m].

    Args:
        period: 2 pi sqrt(m/k) [s]; frame_rate: [1/s]; periods: number of periods; ratio: c / (2 sqrt(k m)).
    """
    stiffness = MASS * (2.0 * math.pi / period) ** 2
    spec = SpringGraphSpec(
        "spring", np.array([[0.0, 0.0, 0.0], [1.1, 0.0, 0.0]]), edges=np.array([[0, 1]]), graph="EDGES",
        mass=2.0 * MASS, stiffness=stiffness, damping=2.0 * ratio * math.sqrt(stiffness * MASS),
        rest_lengths=np.array([1.0]), pins=[0],
    )
    world = build_world(WorldSpec(systems=(spec,), gravity=(0.0, 0.0, 0.0), frame_rate=frame_rate))
    offsets = []
    for _ in range(int(periods * period * frame_rate)):
        step_frame(world)
        offsets.append(world.positions("spring")[1, 0] - 1.0)
    return np.array(offsets)
