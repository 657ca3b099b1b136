"""Files of one bake: created with its first solved frame, appended frame by frame, closed with an index."""

from __future__ import annotations

import dataclasses
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...engine import Frame, cache
from ...engine.compiler.kernel_cache import source_hash
from ..capture import Captured
from ..capture.things import Things
from ..write import FILE_WRITERS, FileWriter, Kept
from .bring_over import bring_over
from .errors import BakeError, disk_error, not_writable
from .owner import file_names
from .records import record_name
from .state_keeper import Checkpoint, StateKeeper

_RESTART = "bake without resuming to start again."


class BakeFiles:
    """Frames, index and saved state of one bake in one folder.

    Attributes:
        folder: of the files; captured: what is baked.
        index: description and progress of the bake.
        writers: by body name.
        begun: whether the previous bake's files were replaced.
    """

    def __init__(self, folder: Path, captured: Captured, frame_end: int, things: Things) -> None:
        """Prepare the folder without touching an earlier bake. `things`: digests of all that was captured.

        Raises:
            BakeError: the folder cannot be made or written.
        """
        self.folder = self._source = folder
        self.captured = captured
        self.begun = self._closed = False
        self._checkpoint: Checkpoint | None = None
        self._keeper = StateKeeper(folder)
        self._rewound = True
        names = file_names({body.name: FILE_WRITERS[body.output] for body in captured.bodies}, folder)
        self.index = cache.Index(
            fingerprint=cache.fingerprint(captured.spec),
            frame_start=captured.frame,
            frame_end=frame_end,
            bodies={
                body.name: cache.BodyEntry(names[body.name], body.rows, body.attributes, body.mesh_points)
                for body in captured.bodies
            },
            solver=source_hash(),
            captured=things,
        )
        self.index = dataclasses.replace(self.index, records=self._records())
        self.writers = self._writers_of(self.index, folder)
        _check_writable(folder)

    @property
    def finished(self) -> int:
        """Number of samples on disk for every body."""
        return self.index.finished

    @property
    def state_file(self) -> Path:
        """File of the solver's state from which the bake can be resumed."""
        return self.folder / self.index.state_file

    def resume(self, source: Path) -> bool:
        """Resume a stopped bake; returns False when there is none.

        No file changes before the next frame is written, and files of a bake in another folder never change.

        Args:
            source: folder of the stopped bake; if it is another one, `bring_over` copies it.

        Raises:
            BakeError: there is one, but the scene or the solver has changed since, or files are missing.
            OSError: its files cannot be read.
        """
        old = cache.read_index(source)
        if old is None or old.resumable == 0:
            return False
        if old.solver != self.index.solver:
            raise BakeError(f"Frames up to {old.last_frame} were baked with another version of Flotsam; {_RESTART}")
        if (old.fingerprint, old.frame_start) != (self.index.fingerprint, self.index.frame_start):
            raise BakeError(f"The scene has changed since frame {old.last_frame} was baked; {_RESTART}")
        if any(old.bodies[name].attributes != entry.attributes for name, entry in self.index.bodies.items()):
            raise BakeError(f"Frames up to {old.last_frame} have other Attributes; set them back, or {_RESTART}")
        for writer in self._writers_of(old, source).values():
            if not _has_samples(writer, old.resumable):
                raise BakeError(f"Baked frames are missing from {writer.path}; {_RESTART}")
        if not (source / old.state_file).exists():
            raise BakeError(f"{source / old.state_file} is missing; {_RESTART}")
        self.begun, self.writers, self._source = True, self._writers_of(old, self.folder), source
        self.index = dataclasses.replace(
            old, frame_end=self.index.frame_end, bodies=self._with_old_files(old), captured=self.index.captured
        )
        self.index = dataclasses.replace(self.index, records=self._records())
        if self.finished < self.index.total:
            # Frames after the saved state are solved again, with identical bits.
            self.index = dataclasses.replace(self.index, finished=old.resumable)
            self._rewound = False
        return True

    def bring_over(self) -> Iterator[None]:
        """Copy the stopped bake from another folder, in slices; raises OSError."""
        yield from bring_over(self._source, self.folder, self.index)

    def _records(self) -> dict[str, str]:
        """Name of the record of the bake that wrote each file of the folder: this bake, or a known earlier one."""
        try:
            old = cache.read_index(self.folder)
        except OSError:
            old = None
        known = {} if old is None else {name: of for name, of in old.records.items() if (self.folder / name).exists()}
        return known | {entry.file: record_name(self.index) for entry in self.index.bodies.values()}

    def _with_old_files(self, old: cache.Index) -> dict[str, cache.BodyEntry]:
        """The bodies as captured now, with the existing files of their finished frames."""
        now = self.index.bodies
        return {
            name: dataclasses.replace(now.get(name, entry), file=entry.file) for name, entry in old.bodies.items()
        }

    def refuse_other_trail(self, trail: str) -> None:
        """Raise BakeError when the animation of the finished frames has changed."""
        if trail != self.index.trail:
            last = self.index.frame_start + self.index.resumable - 1
            raise BakeError(f"Something is animated otherwise up to frame {last} than when it was baked; {_RESTART}")

    def begin(self, start: dict[str, Kept] | None = None) -> None:
        """Replace the previous bake by the start state; if the disk is too full for it, everything stays as it was.

        Args: start: data of each body at the start, where known.
        """
        contents = [writer.start(None if start is None else start[name]) for name, writer in self.writers.items()]
        # Write an index without a state first, so that a bake killed in between cannot be resumed wrongly.
        index, before = self.folder / cache.INDEX_NAME, self.folder / (cache.INDEX_NAME + ".before")
        if index.exists():
            os.replace(index, before)
        self.index = dataclasses.replace(self.index, finished=0, resumable=0, trail="", running=True)
        try:
            cache.write_index(self.folder, self.index)
            cache.replace_files({path: content for files in contents for path, content in files.items()})
        except BaseException:
            index.unlink(missing_ok=True)
            if before.exists():
                os.replace(before, index)
            raise
        before.unlink(missing_ok=True)
        self.begun = True
        self.index = dataclasses.replace(self.index, finished=1)
        cache.write_index(self.folder, self.index)
        cache.forget_states(self.folder)

    def append(self, kept: dict[str, Kept], matrices: dict[str, np.ndarray]) -> None:
        """Write a frame: data of each body, and its matrix (4, 4) from world to object space, by name.

        For bodies that become keyframes this is the space of their parent.

        Raises:
            OSError: writing failed; finished frames are safe.
        """
        if not self._rewound:
            self._cut()
            self._rewound = True
        for name, writer in self.writers.items():
            writer.append(kept[name], matrices[name])
        self.index = dataclasses.replace(self.index, finished=self.finished + 1)

    def keep(self, snapshot: Any, trail: str, seconds: float) -> None:
        """Save the solver's state after the last written frame, while the bake continues.

        Args:
            snapshot: of the solver's world.
            trail: digest of all animation up to that frame.
            seconds: solve time of a frame [s].
        """
        self.index = dataclasses.replace(self.index, seconds=seconds)
        kept = dataclasses.replace(self.index, resumable=self.finished, trail=trail, running=True)
        frames = [file for writer in self.writers.values() for file in writer.growing_files()]
        self._checkpoint = Checkpoint(kept, snapshot, frames)
        self._keeper.keep(self._checkpoint)

    @property
    def save_seconds(self) -> float:
        """Time that the last write of the state took [s], 0 before the first."""
        return self._keeper.seconds

    def close(self) -> None:
        """Remove half-written frames, save the state, write the index.

        Raises:
            OSError: the state or the index could not be written; the frames and an older state are safe.
        """
        self._keeper.finish()
        if not self.begun or not self._rewound:
            return
        if self._keeper.kept is not None:
            self.index = dataclasses.replace(
                self.index, resumable=self._keeper.kept.resumable, trail=self._keeper.kept.trail
            )
        self._cut()
        ended = dataclasses.replace(self.index, running=False)
        if self._checkpoint is not None and self._checkpoint.index.resumable > ended.resumable:
            kept = self._checkpoint.index
            ended = dataclasses.replace(ended, resumable=kept.resumable, trail=kept.trail)
            self._checkpoint._replace(index=ended).write(self.folder)
        else:
            cache.write_index(self.folder, ended)
            cache.forget_states(self.folder, but=ended.resumable)
        self.index, self._checkpoint = ended, None

    def close_or_why(self) -> str | None:
        """Call `close` once; returns a sentence about what is kept if the disk fails, else None."""
        if self._closed:
            return None
        self._closed = True
        try:
            self.close()
        except OSError as error:
            return str(self._error(error))
        return None

    def close_for(self, error: OSError) -> BakeError:
        """Close after a disk error; returns the error for the artist, with what is kept."""
        self.close_or_why()
        return self._error(error)

    def _error(self, error: OSError) -> BakeError:
        return disk_error(error, self.folder, self.index if self.begun else None)

    def _cut(self) -> None:
        """Remove frames that are not complete for every body, or that will be solved again."""
        for writer in self.writers.values():
            writer.cut(self.finished)

    def _writers_of(self, index: cache.Index, folder: Path) -> dict[str, FileWriter]:
        frames = (index.frame_start, self.captured.spec.frame_rate)
        return {
            body.name: FILE_WRITERS[body.output](body, folder, index.bodies[body.name], frames)
            for body in self.captured.bodies
        }


def kept_of(frame: Frame, captured: Captured) -> dict[str, Kept]:
    """Data to store of every body in a frame, by name, in world space."""
    return {body.name: FILE_WRITERS[body.output].take(frame, body) for body in captured.bodies}


def _has_samples(writer: FileWriter, samples: int) -> bool:
    """Whether a writer has so many frames on disk."""
    try:
        return writer.samples() >= samples
    except FileNotFoundError:
        return False


def _check_writable(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"room")
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        # Whatever else the file system reports, the folder cannot be used.
        raise not_writable(folder) from error
