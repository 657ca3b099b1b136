"""The files of one bake: begun with its first solved frame, appended frame by frame, closed with an index."""

from __future__ import annotations

import dataclasses
import errno
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ...engine import Frame, cache
from ...engine.compiler.kernel_cache import source_hash
from ..capture import Captured
from ..write import FILE_WRITERS, FileWriter, Kept
from .errors import BakeError, disk_error, no_room
from .owner import file_names

_ANEW = "bake without resuming to start again."


class BakeFiles:
    """Frames, index and saved state of one bake in one folder.

    Attributes:
        folder: where all of it lies; captured: what is baked.
        index: what the bake is and how far it came.
        writers: of each body by name.
        begun: whether what was baked before is gone.
    """

    def __init__(self, folder: Path, captured: Captured, frame_end: int) -> None:
        """Look for room; nothing of an earlier bake is touched.

        Raises:
            BakeError: the folder cannot be made or written.
        """
        self.folder = folder
        self.captured = captured
        self.begun = False
        self._snapshot: Any = None
        self._kept = (0, "")
        self._rewound = True
        names = file_names({body.name: FILE_WRITERS[body.output] for body in captured.bodies}, folder)
        self.index = cache.Index(
            fingerprint=cache.fingerprint(captured.spec),
            frame_start=captured.frame,
            frame_end=frame_end,
            bodies={
                body.name: cache.BodyEntry(names[body.name], body.points, body.attributes) for body in captured.bodies
            },
            solver=source_hash(),
        )
        self.writers = self._writers_of(self.index)
        _look_for_room(folder)

    @property
    def finished(self) -> int:
        """Samples that every body has on disk."""
        return self.index.finished

    @property
    def state_file(self) -> Path:
        """Where the solver's state is kept that a bake goes on from."""
        return self.folder / self.index.state_file

    def resume(self) -> bool:
        """Take up a bake that was stopped; False when there is none to go on with.

        Nothing on disk changes before the next frame is written.

        Raises:
            BakeError: there is one, but the scene or the solver has changed since, or files are missing.
            OSError: its files cannot be read.
        """
        old = cache.read_index(self.folder)
        if old is None or old.resumable == 0:
            return False
        if old.solver != self.index.solver:
            raise BakeError(f"Frames up to {old.last_frame} were baked with another version of Flotsam; {_ANEW}")
        if (old.fingerprint, old.frame_start) != (self.index.fingerprint, self.index.frame_start):
            raise BakeError(f"The scene has changed since frame {old.last_frame} was baked; {_ANEW}")
        if any(old.bodies[name].attributes != entry.attributes for name, entry in self.index.bodies.items()):
            raise BakeError(f"Frames up to {old.last_frame} have other Attributes; set them back, or {_ANEW}")
        writers = self._writers_of(old)
        for writer in writers.values():
            if not _has(writer, old.resumable):
                raise BakeError(f"Baked frames are missing from {writer.path}; {_ANEW}")
        if not (self.folder / old.state_file).exists():
            raise BakeError(f"{self.folder / old.state_file} is missing; {_ANEW}")
        self.begun, self.writers = True, writers
        self.index = dataclasses.replace(old, frame_end=self.index.frame_end)
        if self.finished < self.index.total:
            # What came after the saved state is solved again, bit for bit.
            self.index = dataclasses.replace(self.index, finished=old.resumable)
            self._rewound = False
        return True

    def refuse_other_trail(self, trail: str) -> None:
        """Raise BakeError when what moved in the finished frames moves otherwise now."""
        if trail != self.index.trail:
            last = self.index.frame_start + self.index.resumable - 1
            raise BakeError(f"Something is animated otherwise up to frame {last} than when it was baked; {_ANEW}")

    def begin(self, start: dict[str, Kept] | None = None) -> None:
        """Replace what was baked before by the start state; a disk too full for that leaves everything as it was.

        Args: start: what is kept of each body at the start, where it is known.
        """
        contents = [writer.start(None if start is None else start[name]) for name, writer in self.writers.items()]
        cache.replace_files({path: content for files in contents for path, content in files.items()})
        self.begun = True
        self.index = dataclasses.replace(self.index, finished=1, resumable=0, trail="")
        cache.write_index(self.folder, self.index)
        cache.forget_states(self.folder)

    def append(self, kept: dict[str, Kept], matrices: dict[str, np.ndarray]) -> None:
        """Write a frame: what is kept of each body, and its matrix (4, 4) from world to its own space, by name.

        The space of bodies that become keyframes is that of their parent.

        Raises:
            OSError: it cannot be written; finished frames are safe.
        """
        if not self._rewound:
            self._cut()
            self._rewound = True
        for name, writer in self.writers.items():
            writer.append(kept[name], matrices[name])
        self.index = dataclasses.replace(self.index, finished=self.finished + 1)

    def keep(self, snapshot: Any, trail: str) -> None:
        """Remember the solver's state after the frame that was written last, and the trail up to it."""
        self._snapshot = snapshot
        self._kept = (self.finished, trail)

    def close(self) -> None:
        """Cut off half-written frames, save the state, write the index.

        Raises:
            OSError: the state or the index could not be written; the frames are safe.
        """
        if not self.begun or not self._rewound:
            return
        self._cut()
        if self._snapshot is not None:
            samples, trail = self._kept
            kept = dataclasses.replace(self.index, resumable=samples, trail=trail)
            cache.save_state(self.folder / kept.state_file, self._snapshot)
            self.index = kept
            self._snapshot = None
        cache.write_index(self.folder, self.index)
        cache.forget_states(self.folder, but=self.index.resumable)

    def close_or_why(self) -> str | None:
        """As `close`; without room for what a later bake goes on from, the frames stay, with a sentence why."""
        try:
            self.close()
        except OSError as error:
            reason = disk_error(error, self.folder)
            return f"This bake cannot be resumed, for its state was not saved. {reason}"
        return None

    def _cut(self) -> None:
        """Forget frames that not every body has, or that are to be solved again."""
        for writer in self.writers.values():
            writer.cut(self.finished)

    def _writers_of(self, index: cache.Index) -> dict[str, FileWriter]:
        frames = (index.frame_start, self.captured.spec.frame_rate)
        return {
            body.name: FILE_WRITERS[body.output](body, self.folder, index.bodies[body.name], frames)
            for body in self.captured.bodies
        }


def kept_of(frame: Frame, captured: Captured) -> dict[str, Kept]:
    """What is kept of every body in a frame, by name, in world space."""
    return {body.name: FILE_WRITERS[body.output].take(frame, body) for body in captured.bodies}


def _has(writer: FileWriter, samples: int) -> bool:
    """Whether so many frames are there."""
    try:
        return writer.samples() >= samples
    except FileNotFoundError:
        return False


def _look_for_room(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"room")
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        # Whatever else a file system says here, the folder is of no use.
        raise no_room(folder) from error
