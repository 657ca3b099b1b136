"""Speed of a bake: frames a second excluding pauses, recently and overall."""

from __future__ import annotations

from collections import deque

# Time left is extrapolated from the frames of at least the last so many seconds, as scenes slow down in collisions.
_RECENT_SECONDS = 10.0


class Pace:
    """Counts frames and seconds from when the solver is ready."""

    def __init__(self, done: int, now: float) -> None:
        """Args: done: finished frames at the start; now: time of the start [s]."""
        self._done, self._since = done, now
        self._paused_at: float | None = None
        # (seconds of solving, finished frames), oldest first.
        self._recent: deque[tuple[float, int]] = deque([(0.0, done)])

    def pause(self, now: float) -> None:
        """Stop the clock."""
        if self._paused_at is None:
            self._paused_at = now

    def resume(self, now: float) -> None:
        """Continue the clock."""
        if self._paused_at is not None:
            self._since += now - self._paused_at
            self._paused_at = None

    def rate(self, done: int, now: float) -> float:
        """Recent frames a second, 0 before the first."""
        seconds = self._seconds(now)
        if done > self._recent[-1][1]:
            self._recent.append((seconds, done))
        while len(self._recent) > 2 and seconds - self._recent[1][0] > _RECENT_SECONDS:
            self._recent.popleft()
        began, before = self._recent[0]
        return (done - before) / max(seconds - began, 1e-6)

    def mean_rate(self, done: int, now: float) -> float:
        """Frames a second since the solver was ready, 0 before the first."""
        return (done - self._done) / max(self._seconds(now), 1e-6)

    def _seconds(self, now: float) -> float:
        """Seconds of solving so far."""
        return (now if self._paused_at is None else self._paused_at) - self._since
