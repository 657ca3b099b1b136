"""Sends the controls of frames to the worker, a few frames ahead of the one that it solves."""

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

# Frames ahead; enough that the worker never waits for the main thread between two slices.
_AHEAD = 8


class FrameSource:
    """Captures frame after frame, and stores the world-to-object matrices of each.

    It also keeps the trail: a rolling digest of the controls and matrices of all frames so far. A resumed bake must
    reproduce the trail that was saved, or it would mix two different simulations.
    """

    def __init__(self, captured: Captured, frame_start: int, total: int) -> None:
        """Args: captured: what is baked; frame_start: frame of sample 0; total: number of samples."""
        self._captured = captured
        self._frame_start = frame_start
        self._next = 1
        self._total = total
        self._pending: dict[int, tuple[dict[str, np.ndarray], str]] = {}
        self.trail = ""

    def retrace(self, scene: bpy.types.Scene, samples: int, patience: float) -> Iterator[None]:
        """Recompute the trail of finished frames, up to `samples` of them, in steps of `patience` seconds.

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
        """Request frames until a point in time, unless enough are pending; returns whether it requested any.

        Raises:
            CaptureError: an object is gone or has changed its vertex count.
        """
        if not self._is_due(finished):
            return False
        with self._visit(scene):
            while self._is_due(finished):
                sample = self._next
                controls, matrices = self._capture(scene)
                self._pending[sample] = (matrices, self.trail)
                worker.send(controls, last=sample == self._total - 1)
                if time.monotonic() >= until:
                    break
        return True

    def _is_due(self, finished: int) -> bool:
        return self._next < self._total and self._next - finished < _AHEAD

    def _visit(self, scene: bpy.types.Scene) -> AbstractContextManager[None]:
        """Context that restores keyframes and current frame at its end; does nothing for a static scene."""
        captured = self._captured
        if not captured.is_visited:
            return nullcontext()
        return visit(scene, [baked_object(body.name) for body in captured.bodies if body.as_keys])

    def take_matrices(self, sample: int) -> tuple[dict[str, np.ndarray], str]:
        """World-to-object matrices, (4, 4) by name, of a requested sample, and its trail; removes them."""
        return self._pending.pop(sample)

    def _capture(self, scene: bpy.types.Scene) -> tuple[Controls, dict[str, np.ndarray]]:
        controls = capture_controls(self._captured, scene, self._frame_start + self._next)
        matrices = local_matrices(self._captured, scene)
        self.trail = cache.follow(self.trail, (controls, matrices))
        self._next += 1
        return controls, matrices
