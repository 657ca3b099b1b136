"""How many threads a frame runs on. Bits do not depend on it, so it may be chosen by the clock.

Two threads that wait for each other at every kernel are quicker than one on a quiet machine, and many times slower on
a busy one, where one of them sleeps while the other waits.
"""

from __future__ import annotations

# Frames between two looks at the count that was slower; doubled each time it stays so.
FIRST_LOOK = 3
LAST_LOOK = 512


class ThreadTuner:
    """Chooses between one thread and all of them, by the time the last frame took on each."""

    def __init__(self, threads: int, shared: bool) -> None:
        """Args: threads asked for, 0 to choose; whether the world is large enough to share its work."""
        self._fixed = threads if threads > 0 else (None if shared else 1)
        # Seconds of the last frame on all threads (0) and on one (1).
        self._seconds: dict[int, float] = {}
        self._has_begun = False
        self._slower_again = FIRST_LOOK
        self._until_look = FIRST_LOOK

    def threads(self) -> int:
        """Threads for the next frame; 0 means all."""
        if self._fixed is not None:
            return self._fixed
        for count in (0, 1):
            if count not in self._seconds:
                return count
        faster = min(self._seconds, key=self._seconds.__getitem__)
        return 1 - faster if self._until_look <= 0 else faster

    def note(self, threads: int, seconds: float) -> None:
        """A frame on so many threads took so long."""
        # The first frame does what no other does again: loads kernels, lists who is near whom.
        if self._fixed is not None or not self._has_begun:
            self._has_begun = True
            return
        looked = self._until_look <= 0
        before = self._seconds.get(1 - threads)
        self._seconds[threads] = seconds
        if looked:
            lost = before is not None and seconds >= before
            self._slower_again = min(2 * self._slower_again, LAST_LOOK) if lost else FIRST_LOOK
            self._until_look = self._slower_again
        elif before is not None:
            self._until_look -= 1
