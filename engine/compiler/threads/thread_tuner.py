"""Chooses how many threads a frame uses, by measured time. The count does not change any bits of the result.

Threads synchronize at every kernel. On an idle machine two threads are faster than one. On a busy machine they are many
times slower, because one waits while the other has no core.
"""

from __future__ import annotations

# Frames until the slower count is tried again. The number doubles each time that count stays slower.
FIRST_INTERVAL = 3
MAX_INTERVAL = 512


class ThreadTuner:
    """Chooses between one thread and all of them, by the time of the last frame on each."""

    def __init__(self, threads: int, shared: bool) -> None:
        """Args: threads: fixed count, 0 to choose; shared: whether the world is large enough for several threads."""
        self._fixed = threads if threads > 0 else (None if shared else 1)
        # Seconds of the last frame on all threads (key 0) and on one (key 1).
        self._seconds: dict[int, float] = {}
        self._has_begun = False
        self._interval = FIRST_INTERVAL
        self._until_retry = FIRST_INTERVAL

    def threads(self) -> int:
        """Threads for the next frame; 0 means all."""
        if self._fixed is not None:
            return self._fixed
        for count in (0, 1):
            if count not in self._seconds:
                return count
        faster = min(self._seconds, key=self._seconds.__getitem__)
        return 1 - faster if self._until_retry <= 0 else faster

    def note(self, threads: int, seconds: float) -> None:
        """Record the time of a frame; threads as `threads` returned them."""
        # The first frame is not typical: it loads kernels and builds neighbour lists.
        if self._fixed is not None or not self._has_begun:
            self._has_begun = True
            return
        retried = self._until_retry <= 0
        other = self._seconds.get(1 - threads)
        self._seconds[threads] = seconds
        if retried:
            was_slower = other is not None and seconds >= other
            self._interval = min(2 * self._interval, MAX_INTERVAL) if was_slower else FIRST_INTERVAL
            self._until_retry = self._interval
        elif other is not None:
            self._until_retry -= 1
