"""Meshes of the worlds that call every kernel."""

from __future__ import annotations

import numpy as np

from ..spec import ColliderSpec


def open_box() -> tuple[np.ndarray, np.ndarray]:
    """A cube of 1 m without its lid: vertices, triangles."""
    corners = np.array([
        [0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1],
    ], dtype=np.float64)
    return corners, np.array([
        [0, 2, 1], [0, 3, 2], [0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7],
    ])


LID = ([4, 5, 6], [4, 6, 7])


def floor(height: float = 0.0) -> ColliderSpec:
    """A square of 10 m."""
    corners = np.array([[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]], dtype=np.float64)
    return ColliderSpec("floor", corners + [0.0, 0.0, height], np.array([[0, 1, 2], [0, 2, 3]]))
