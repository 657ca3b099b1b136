"""Fills a frame with the points of a particle system."""

from __future__ import annotations

import numpy as np

from .frame import Frame
from .world import State


def report_points(frame: Frame, name: str, state: State, ids: np.ndarray, start: int, radius: float) -> None:
    """Add positions, velocities and the attributes id, radius and speed of some particles to a frame.

    Args: ids: (p,) living particles, ascending; start: first particle of the system, whose id is 0; radius: [m].
    """
    velocities = state.v[ids].astype(np.float32)
    frame.positions[name], frame.velocities[name] = state.x[ids].astype(np.float32), velocities
    frame.attributes[name] = {
        "id": (ids - start).astype(np.int32), "radius": np.full(len(ids), radius, dtype=np.float32),
        "speed": np.linalg.norm(velocities, axis=1),
    }
