"""Timing of live frames: real time while the solver is fast enough."""

from __future__ import annotations

from collections import deque

# Duration over which the displayed speed is averaged.
_WINDOW_SECONDS = 1.0


class Clock:
    """Frames of equal length. After a late frame the clock does not catch up: the simulation runs slower instead."""

    def __init__(self, frame_seconds: float) -> None:
        """Args: frame_seconds: length of a frame [s]."""
        self._frame = frame_seconds
        self._due: float | None = None
        self._ends: deque[float] = deque()

    def until_due(self, now: float) -> float:
        """Seconds until the next frame may start, 0 when it is due."""
        return 0.0 if self._due is None else max(self._due - now, 0.0)

    def begin(self, now: float) -> None:
        """Start a frame; the next is due one frame after this one was due, or after now if this one is late."""
        on_time = self._due is not None and now - self._due < self._frame
        self._due = (self._due if on_time else now) + self._frame

    def end(self, now: float) -> None:
        """Note that a frame has been solved."""
        self._ends.append(now)
        while len(self._ends) > 2 and now - self._ends[0] > _WINDOW_SECONDS:
            self._ends.popleft()

    def stop(self) -> None:
        """Stop the clock until the next frame."""
        self._due = None
        self._ends.clear()

    def speed(self, now: float) -> float:
        """Solved seconds per real second, 0 with too few frames to measure; includes the frame being solved."""
        if len(self._ends) < 2:
            return 0.0
        waited = max(self._ends[-1], now - self._frame) - self._ends[0]
        return (len(self._ends) - 1) * self._frame / max(waited, 1e-9)
