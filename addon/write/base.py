"""Base classes of writers: one class per output kind, found by the `output` of a body's spec.

A writer takes the frames of one object in order and leaves something that Blender plays without this add-on. Most keep
the frames in files; `ShapeKeyWriter` keeps them in the mesh. Static methods inspect what an object plays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

import bpy
import numpy as np

from ...engine import Frame, cache
from ..capture import CapturedBody

# The stored part of a body's frame, by name, in world space: "positions" [m] and attributes.
Kept = dict[str, np.ndarray]


class Writer(ABC):
    """Writes the frames of one object.

    Attributes:
        output: the value of a spec's `output` that selects this writer.
    """

    output: ClassVar[str]

    @staticmethod
    @abstractmethod
    def refuse(obj: bpy.types.Object) -> None:
        """Raise CaptureError, which names a remedy, for an object that cannot play such frames; changes nothing."""

    @abstractmethod
    def append(self, kept: Kept, matrix: np.ndarray) -> None:
        """Add a frame; matrix (4, 4) transforms from world to object space.

        Raises:
            OSError: it cannot be written; earlier frames are unchanged.
        """

    @abstractmethod
    def connect(self, obj: bpy.types.Object) -> None:
        """Make an object play the finished frames."""

    @staticmethod
    @abstractmethod
    def plays(obj: bpy.types.Object) -> bool:
        """Whether an object plays frames of this writer."""

    @staticmethod
    @abstractmethod
    def remove(obj: bpy.types.Object) -> None:
        """Restore an object that `plays` to its state before the bake. Files stay."""


class FileWriter(Writer):
    """Writes the frames of one object to disk.

    Attributes:
        suffix: of its file name.
        is_fresh: every bake starts a file of a new name, because Blender would mistake a new file for the old one.
        needs_file: Blender plays the file itself.
        follows_growth: a connected object also plays frames that are added later.
    """

    suffix: ClassVar[str] = ".pc2"
    is_fresh: ClassVar[bool] = False
    needs_file: ClassVar[bool] = True
    follows_growth: ClassVar[bool] = True

    def __init__(
        self, body: CapturedBody | None, folder: Path, entry: cache.BodyEntry, frames: tuple[int, float]
    ) -> None:
        """Args: the body; folder of the bake; file name there; frame of the first sample and frames per second.

        Without a body nothing can be written, but existing frames can be played.
        """
        self.body, self.folder, self.entry = body, folder, entry
        self.frame_start, self.frame_rate = frames
        self.path = folder / entry.file

    @staticmethod
    @abstractmethod
    def take(frame: Frame, body: CapturedBody) -> Kept:
        """The part of a frame that is stored for a body."""

    @abstractmethod
    def start(self, kept: Kept | None) -> dict[Path, bytes]:
        """Initial contents of the files: a header, if any, and the body's state at the start as first sample.

        Args: kept: the frame of the start, if known.
        """

    @abstractmethod
    def samples(self) -> int:
        """Finished frames on disk, including the start.

        Raises:
            FileNotFoundError: there are none. OSError: they cannot be read.
        """

    @abstractmethod
    def cut(self, samples: int) -> None:
        """Remove all frames after `samples`, and partial writes; raises OSError."""

    def growing_files(self) -> list[Path]:
        """Files that grow with every frame."""
        return []

    def catch_up(self, obj: bpy.types.Object) -> None:
        """Make a connected object play frames that were added since."""
        if not self.follows_growth:
            self.connect(obj)

    @staticmethod
    @abstractmethod
    def file(obj: bpy.types.Object) -> Path | None:
        """The file or folder with the frames of an object that `plays`; None if it names none."""

    @staticmethod
    def other_files(obj: bpy.types.Object) -> list[Path]:
        """Files with frames of an object in addition to `file`."""
        return []

    @staticmethod
    @abstractmethod
    def frames_in(file: Path) -> range:
        """Range of frames in a file; raises OSError when it cannot be read."""

    @staticmethod
    def is_ours(obj: bpy.types.Object) -> bool:
        """Whether the frames of an object that `plays` come from a bake."""
        return True

    @classmethod
    def clear(cls, obj: bpy.types.Object) -> None:
        """Make an object play nothing, but keep its place in the modifier stack."""
        cls.remove(obj)


class Pc2Writer(FileWriter):
    """Writes frames of a fixed number of points to one PC2 file."""

    def start(self, kept: Kept | None) -> dict[Path, bytes]:
        """The body as captured."""
        return {self.path: cache.first_sample(self.body.start_rows, self.frame_start)}

    def growing_files(self) -> list[Path]:
        """The PC2 file."""
        return [self.path]

    def samples(self) -> int:
        """Sample count in the header."""
        return cache.read_header(self.path).samples

    def cut(self, samples: int) -> None:
        """Lower the count in the header."""
        cut_file(self.path, samples)

    @staticmethod
    def frames_in(file: Path) -> range:
        """Range from the header's first frame on."""
        header = cache.read_header(file)
        return range(int(header.start), int(header.start) + header.samples)


def cut_file(path: Path, samples: int) -> None:
    """Remove all samples after the first `samples` from a PC2 file; raises OSError."""
    if cache.read_header(path).samples > samples:
        cache.truncate(path, samples)
