"""How fast a bake is: frames a second of the time it was not paused."""

from __future__ import annotations


class Pace:
    """Counts frames and seconds from where the solver was ready."""

    def __init__(self, done: int, now: float) -> None:
        """Args: finished frames when it was; that moment [s]."""
        self._done, self._since = done, now
        self._paused_at: float | None = None

    def pause(self, now: float) -> None:
        """The clock stands still from now on."""
        if self._paused_at is None:
            self._paused_at = now

    def go_on(self, now: float) -> None:
        """It goes on."""
        if self._paused_at is not None:
            self._since += now - self._paused_at
            self._paused_at = None

    def rate(self, done: int, now: float) -> float:
        """Frames a second, 0 before the first."""
        end = now if self._paused_at is None else self._paused_at
        return (done - self._done) / max(end - self._since, 1e-6)
