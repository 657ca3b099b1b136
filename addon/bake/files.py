"""The files of one bake: begun with its first solved frame, appended frame by frame, closed with an index."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ...engine import cache
from ...engine.cache.index import STATE_NAME
from ..capture import Captured
from ..capture.mesh import transform
from .errors import BakeError
from .owner import file_names


class BakeFiles:
    """PC2 files, index and saved state of one bake in one folder."""

    def __init__(self, folder: Path, captured: Captured, frame_end: int) -> None:
        """Look for room; nothing of an earlier bake is touched.

        Raises:
            OSError: the folder cannot be made or written.
        """
        self.folder = folder
        self.captured = captured
        self.begun = False
        self.snapshot: Any = None
        self.snapshot_samples = 0
        names = file_names([body.name for body in captured.bodies], folder)
        self.index = cache.Index(
            fingerprint=cache.fingerprint(captured.spec),
            frame_start=captured.frame,
            frame_end=frame_end,
            bodies={body.name: cache.BodyEntry(names[body.name], body.points) for body in captured.bodies},
        )
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"room")

    @property
    def finished(self) -> int:
        """Samples that every body has on disk."""
        return self.index.finished

    @property
    def state_file(self) -> Path:
        """Where the solver's state is kept."""
        return self.folder / STATE_NAME

    def path(self, name: str) -> Path:
        """The PC2 file of a body."""
        return self.folder / self.index.bodies[name].file

    def resume(self) -> bool:
        """Take up a bake that was stopped; False when there is none to go on with.

        Raises:
            BakeError: there is one, but the scene has changed since.
            OSError: its files cannot be read.
        """
        old = cache.read_index(self.folder)
        if old is None or old.resumable == 0:
            return False
        if (old.fingerprint, old.frame_start) != (self.index.fingerprint, self.index.frame_start):
            raise BakeError(
                f"The scene has changed since frame {old.last_frame} was baked; "
                "bake without resuming to start again."
            )
        self.index = dataclasses.replace(old, frame_end=self.index.frame_end)
        self.begun = True
        if self.finished < self.index.total:
            self._rewind(old.resumable)
        return True

    def begin(self) -> None:
        """Replace what was baked before by the start state."""
        self.begun = True
        self.index = dataclasses.replace(self.index, finished=0, resumable=0)
        self.state_file.unlink(missing_ok=True)
        for body in self.captured.bodies:
            cache.create(self.path(body.name), body.points, self.index.frame_start)
            cache.append_sample(self.path(body.name), body.local)
        self.index = dataclasses.replace(self.index, finished=1)
        cache.write_index(self.folder, self.index)

    def append(self, positions: dict[str, np.ndarray], matrices: dict[str, np.ndarray]) -> None:
        """Write one frame: positions in world space, (n, 3), brought into each object's own by its matrix."""
        for body in self.captured.bodies:
            local = transform(matrices[body.name], positions[body.name])
            cache.append_sample(self.path(body.name), local)
        self.index = dataclasses.replace(self.index, finished=self.finished + 1)

    def keep(self, snapshot: Any) -> None:
        """Remember the solver's state after the frame that was written last."""
        self.snapshot = snapshot
        self.snapshot_samples = self.finished

    def close(self) -> None:
        """Cut off half-written frames, save the state, write the index.

        Raises:
            OSError: the state or the index could not be written; the frames are safe.
        """
        if not self.begun:
            return
        for body in self.captured.bodies:
            path = self.path(body.name)
            if cache.read_header(path).samples > self.finished:
                cache.truncate(path, self.finished)
        if self.snapshot is not None:
            cache.save_state(self.state_file, self.snapshot)
            self.index = dataclasses.replace(self.index, resumable=self.snapshot_samples)
            self.snapshot = None
        cache.write_index(self.folder, self.index)

    def _rewind(self, samples: int) -> None:
        """Go back to the frame the saved state belongs to; what came after is solved again, bit for bit."""
        if not self.state_file.exists():
            raise BakeError(f"{self.state_file} is missing; bake without resuming to start again.")
        for entry in self.index.bodies.values():
            cache.truncate(self.folder / entry.file, samples)
        self.index = dataclasses.replace(self.index, finished=samples)
