"""What a worker is asked for: the controls of each frame, a little ahead of the one it solves."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

import bpy
import numpy as np

from ...engine import Controls, cache
from ..capture import Captured, capture_controls, local_matrices
from ..capture.controls import baked_object
from .visit import visit
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

    def retrace(self, scene: bpy.types.Scene, samples: int, patience: float) -> Iterator[None]:
        """Follow the trail of frames that are finished, up to `samples` of them, for `patience` seconds a step.

        Raises:
            CaptureError: an object is gone or has changed its vertex count.
        """
        while self._next < samples:
            until = time.monotonic() + patience
            with self._visit(scene):
                while self._next < samples:
                    self._capture(scene)
                    if time.monotonic() >= until:
                        break
            yield

    def send_frames(self, worker: Worker, scene: bpy.types.Scene, finished: int, until: float) -> bool:
        """Ask for more frames up to a moment in time, unless enough are under way; returns whether it asked for any.

        Raises:
            CaptureError: an object is gone or has changed its vertex count.
        """
        if not self._is_due(finished):
            return False
        with self._visit(scene):
            while self._is_due(finished):
                sample = self._next
                controls, matrices = self._capture(scene)
                self._ways[sample] = (matrices, self.trail)
                worker.send(controls, last=sample == self._total - 1)
                if time.monotonic() >= until:
                    break
        return True

    def _is_due(self, finished: int) -> bool:
        return self._next < self._total and self._next - finished < _AHEAD

    def _visit(self, scene: bpy.types.Scene) -> AbstractContextManager[None]:
        """Keys and frame are the artist's again after each visit; a scene that stands still is not visited."""
        captured = self._captured
        if not captured.is_visited:
            return nullcontext()
        return visit(scene, [baked_object(body.name) for body in captured.bodies if body.as_keys])

    def way_of(self, sample: int) -> tuple[dict[str, np.ndarray], str]:
        """World to object space, (4, 4) by name, of a sample that was asked for, and the trail; each given once."""
        return self._ways.pop(sample)

    def _capture(self, scene: bpy.types.Scene) -> tuple[Controls, dict[str, np.ndarray]]:
        controls = capture_controls(self._captured, scene, self._frame_start + self._next)
        matrices = local_matrices(self._captured, scene)
        self.trail = cache.follow(self.trail, (controls, matrices))
        self._next += 1
        return controls, matrices
