"""What a worker is asked for: the controls of each frame, a little ahead of the one it solves."""

from __future__ import annotations

import bpy
import numpy as np

from ..capture import Captured, capture_controls, local_matrices
from .worker import Worker

# Enough that the worker never waits for the main thread between two slices.
_AHEAD = 8


class Feed:
    """Captures frame after frame and remembers each one's way back into object space."""

    def __init__(self, worker: Worker, captured: Captured, frame_start: int, first: int, total: int) -> None:
        """Args: who is fed; what was captured; frame of sample 0; first sample to ask for; how many there are."""
        self._worker = worker
        self._captured = captured
        self._frame_start = frame_start
        self._next = first
        self._total = total
        self._matrices: dict[int, dict[str, np.ndarray]] = {}

    def next_frame(self, scene: bpy.types.Scene, finished: int) -> bool:
        """Ask for one more frame, unless enough are under way; returns whether it did.

        Raises:
            CaptureError: an object is gone or has changed its vertex count.
        """
        if self._next >= self._total or self._next - finished >= _AHEAD:
            return False
        controls = capture_controls(self._captured, scene, self._frame_start + self._next)
        self._matrices[self._next] = local_matrices(self._captured, scene)
        self._worker.send(controls, last=self._next == self._total - 1)
        self._next += 1
        return True

    def matrices_of(self, sample: int) -> dict[str, np.ndarray]:
        """World to object space, (4, 4) by name, of a sample that was asked for; each is given once."""
        return self._matrices.pop(sample)
