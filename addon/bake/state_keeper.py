"""The solver's state on its way to the disk while the bake goes on, so that a killed bake goes on from there."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...engine import cache


class Moment(NamedTuple):
    """The state after a frame.

    Attributes:
        index: of the bake as it stands then.
        snapshot: of the solver's world.
        frames: the files that hold the frames up to it.
    """

    index: cache.Index
    snapshot: Any
    frames: Sequence[Path]

    def write(self, folder: Path) -> None:
        """Bring frames, state and index to the disk, in this order; a kill between leaves the moment before.

        Raises:
            OSError: the disk is full or fails; the moment before is untouched.
        """
        cache.sync_files(self.frames)
        cache.save_state(folder / self.index.state_file, self.snapshot)
        cache.write_index(folder, self.index)
        cache.forget_states(folder, but=self.index.resumable)


class StateKeeper:
    """Writes one moment after the other in a thread of its own; of those that wait, only the newest.

    Attributes:
        kept: index of the newest moment on the disk, None before the first.
        seconds: how long the last one took to write [s].
    """

    def __init__(self, folder: Path) -> None:
        """Args: folder of the bake."""
        self.kept: cache.Index | None = None
        self.seconds = 0.0
        self._folder = folder
        self._waiting: Moment | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def keep(self, moment: Moment) -> None:
        """Write it soon; returns at once. A disk that fails keeps the moment before."""
        with self._lock:
            self._waiting = moment
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="Flotsam state", daemon=True)
                self._thread.start()

    def finish(self) -> None:
        """Wait until nothing is being written; what waits is dropped, for the caller has a newer moment."""
        with self._lock:
            self._waiting, thread = None, self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            with self._lock:
                moment, self._waiting = self._waiting, None
                if moment is None:
                    self._thread = None
                    return
            started = time.monotonic()
            try:
                moment.write(self._folder)
            except OSError:
                # The next frame meets the same disk and says so; the moment before is still there.
                continue
            finally:
                self.seconds = time.monotonic() - started
            self.kept = moment.index
