"""Fills a frame with the points of a particle system."""

from __future__ import annotations

import numpy as np

from .frame import Frame
from .world import State


def report_points(frame: Frame, name: str, state: State, ids: np.ndarray, start: int, radius: float) -> None:
    """Add positions, velocities and the attributes id, radius and speed of some particles to a frame.

    Args: ids: (p,) living particles, ascending; start: first particle of the system, whose id is 0; radius: [m].
    """
    # If all particles between the first and the last are alive, a slice replaces the list of indices.
    is_run = len(ids) > 0 and int(ids[-1]) - int(ids[0]) + 1 == len(ids)
    selection = slice(int(ids[0]), int(ids[-1]) + 1) if is_run else ids
    velocities = state.v[selection].astype(np.float32)
    frame.positions[name], frame.velocities[name] = state.x[selection].astype(np.float32), velocities
    frame.attributes[name] = {
        "id": (ids - start).astype(np.int32), "radius": np.full(len(ids), radius, dtype=np.float32),
        "speed": np.sqrt(np.einsum("ij,ij->i", velocities, velocities)),
    }
