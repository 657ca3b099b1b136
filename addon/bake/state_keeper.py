"""Saves the solver's state during a bake, so that a killed bake can be resumed."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...engine import cache


class Checkpoint(NamedTuple):
    """The state after a frame, from which the bake can be resumed.

    Attributes:
        index: of the bake at that frame.
        snapshot: of the solver's world.
        frames: files with the frames up to it.
    """

    index: cache.Index
    snapshot: Any
    frames: Sequence[Path]

    def write(self, folder: Path) -> None:
        """Write frames, state and index to disk, in this order; a kill in between leaves the last checkpoint intact.

        Raises:
            OSError: the disk is full or fails; the last checkpoint is intact.
        """
        cache.sync_files(self.frames)
        cache.save_state(folder / self.index.state_file, self.snapshot)
        cache.write_index(folder, self.index)
        cache.forget_states(folder, but=self.index.resumable)


class StateKeeper:
    """Writes checkpoints in a thread of its own; of several waiting ones, only the newest is written.

    Attributes:
        kept: index of the newest checkpoint on disk, None before the first.
        seconds: duration of the last write [s].
    """

    def __init__(self, folder: Path) -> None:
        """Args: folder of the bake."""
        self.kept: cache.Index | None = None
        self.seconds = 0.0
        self._folder = folder
        self._waiting: Checkpoint | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def keep(self, checkpoint: Checkpoint) -> None:
        """Queue a checkpoint for writing, without waiting. If the disk fails, the last checkpoint stays."""
        with self._lock:
            self._waiting = checkpoint
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="Flotsam state", daemon=True)
                self._thread.start()

    def finish(self) -> None:
        """Wait until no write is running; drops a waiting checkpoint, because the caller has a newer one."""
        with self._lock:
            self._waiting, thread = None, self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            with self._lock:
                checkpoint, self._waiting = self._waiting, None
                if checkpoint is None:
                    self._thread = None
                    return
            started = time.monotonic()
            try:
                checkpoint.write(self._folder)
            except OSError:
                # The next frame fails on the same disk and reports it; the last checkpoint is still on disk.
                continue
            finally:
                self.seconds = time.monotonic() - started
            self.kept = checkpoint.index
