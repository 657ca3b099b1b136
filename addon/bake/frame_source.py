"""What a worker is asked for: the controls of each frame, a little ahead of the one it solves."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np

from ...engine import Controls, cache
from ..capture import Captured, capture_controls, local_matrices
from .worker import Worker

# Enough that the worker never waits for the main thread between two slices.
_AHEAD = 8


class FrameSource:
    """Captures frame after frame and remembers each one's way back into object space.

    It also keeps the trail: a rolling digest of the controls and matrices of every frame so far. A bake that
    goes on has to find the trail it left, else two solves would be mixed.
    """

    def __init__(self, captured: Captured, frame_start: int, total: int) -> None:
        """Args: what was captured; frame of sample 0; how many samples there are."""
        self._captured = captured
        self._frame_start = frame_start
        self._next = 1
        self._total = total
        self._ways: dict[int, tuple[dict[str, np.ndarray], str]] = {}
        self.trail = ""

    def retrace(self, scene: bpy.types.Scene, samples: int) -> Iterator[None]:
        """Follow the trail of frames that are finished, one a step, up to `samples` of them.

        Raises:
            CaptureError: an object is gone or has changed its vertex count.
        """
        while self._next < samples:
            self._capture(scene)
            yield

    def next_frame(self, worker: Worker, scene: bpy.types.Scene, finished: int) -> bool:
        """Ask for one more frame, unless enough are under way; returns whether it did.

        Raises:
            CaptureError: an object is gone or has changed its vertex count.
        """
        if self._next >= self._total or self._next - finished >= _AHEAD:
            return False
        sample = self._next
        controls, matrices = self._capture(scene)
        self._ways[sample] = (matrices, self.trail)
        worker.send(controls, last=sample == self._total - 1)
        return True

    def way_of(self, sample: int) -> tuple[dict[str, np.ndarray], str]:
        """World to object space, (4, 4) by name, of a sample that was asked for, and the trail; each given once."""
        return self._ways.pop(sample)

    def _capture(self, scene: bpy.types.Scene) -> tuple[Controls, dict[str, np.ndarray]]:
        controls = capture_controls(self._captured, scene, self._frame_start + self._next)
        matrices = local_matrices(self._captured, scene)
        self.trail = cache.follow(self.trail, (controls, matrices))
        self._next += 1
        return controls, matrices
