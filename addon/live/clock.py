"""When the next frame is due, and how fast time goes: real time as long as the solver keeps up."""

from __future__ import annotations

from collections import deque

# The speed shown is that of about the last second.
_WINDOW_SECONDS = 1.0


class Clock:
    """Frames of equal length. Whoever is late is not made to catch up: time goes slower instead."""

    def __init__(self, frame_seconds: float) -> None:
        """Args: length of a frame [s]."""
        self._frame = frame_seconds
        self._due: float | None = None
        self._ends: deque[float] = deque()

    def until_due(self, now: float) -> float:
        """Seconds until the next frame may begin, 0 when it is due."""
        return 0.0 if self._due is None else max(self._due - now, 0.0)

    def begin(self, now: float) -> None:
        """A frame begins; the next is due a frame later than this one was, or than now if this one was late."""
        on_time = self._due is not None and now - self._due < self._frame
        self._due = (self._due if on_time else now) + self._frame

    def end(self, now: float) -> None:
        """A frame has been solved."""
        self._ends.append(now)
        while len(self._ends) > 2 and now - self._ends[0] > _WINDOW_SECONDS:
            self._ends.popleft()

    def stop(self) -> None:
        """Time stands still until the next frame."""
        self._due = None
        self._ends.clear()

    def speed(self, now: float) -> float:
        """Solved seconds for each real one, 0 while there are too few frames to tell; a frame under way counts."""
        if len(self._ends) < 2:
            return 0.0
        waited = max(self._ends[-1], now - self._frame) - self._ends[0]
        return (len(self._ends) - 1) * self._frame / max(waited, 1e-9)
