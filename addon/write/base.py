"""What writers of frames have in common: one class an output kind, found by the `output` of a body's spec.

A writer takes the frames of one object, one after the other, and leaves something that Blender plays without this
add-on. Most keep the frames in files; `ShapeKeyWriter` keeps them in the mesh. Static methods ask what an object plays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

import bpy
import numpy as np

from ...engine import Frame, cache
from ..capture import CapturedBody

# What is kept of a body in a frame, by name, in world space: "positions" [m] and attributes.
Kept = dict[str, np.ndarray]


class Writer(ABC):
    """Frames of one object.

    Attributes:
        output: the value of a spec's `output` that asks for this writer.
    """

    output: ClassVar[str]

    @staticmethod
    @abstractmethod
    def refuse(obj: bpy.types.Object) -> None:
        """Raise CaptureError, with the way out, for an object that cannot play such frames; nothing has changed."""

    @abstractmethod
    def append(self, kept: Kept, matrix: np.ndarray) -> None:
        """Add a frame; matrix (4, 4) leads from world to object space.

        Raises:
            OSError: it cannot be written; earlier frames are untouched.
        """

    @abstractmethod
    def connect(self, obj: bpy.types.Object) -> None:
        """Let an object play the frames that are finished."""

    @staticmethod
    @abstractmethod
    def plays(obj: bpy.types.Object) -> bool:
        """Whether an object plays frames of this writer."""

    @staticmethod
    @abstractmethod
    def remove(obj: bpy.types.Object) -> None:
        """Let an object that `plays` be as its artist left it. Files stay."""


class FileWriter(Writer):
    """Frames of one object on disk.

    Attributes:
        suffix: how its file is named.
        is_fresh: every bake begins another file, for Blender would take a new one of the same name for the old.
        needs_file: Blender plays the file itself.
        follows_growth: an object that is connected plays frames that are added later too.
    """

    suffix: ClassVar[str] = ".pc2"
    is_fresh: ClassVar[bool] = False
    needs_file: ClassVar[bool] = True
    follows_growth: ClassVar[bool] = True

    def __init__(
        self, body: CapturedBody | None, folder: Path, entry: cache.BodyEntry, frames: tuple[int, float]
    ) -> None:
        """Args: the body; folder of the bake; its files there; frame of the first sample and frames a second.

        Without a body nothing can be written, and what is there can be played.
        """
        self.body, self.folder, self.entry = body, folder, entry
        self.frame_start, self.frame_rate = frames
        self.path = folder / entry.file

    @staticmethod
    @abstractmethod
    def take(frame: Frame, body: CapturedBody) -> Kept:
        """What is kept of a body in a frame."""

    @abstractmethod
    def start(self, kept: Kept | None) -> dict[Path, bytes]:
        """Contents of the files that begin with the start of the body.

        Args: kept: of the start, where it is known.
        """

    @abstractmethod
    def samples(self) -> int:
        """Finished frames on disk, the start included.

        Raises:
            FileNotFoundError: there are none. OSError: they cannot be read.
        """

    @abstractmethod
    def cut(self, samples: int) -> None:
        """Forget all frames after so many, and what was written in part; raises OSError."""

    def growing_files(self) -> list[Path]:
        """Files that every frame is added to."""
        return []

    def catch_up(self, obj: bpy.types.Object) -> None:
        """Let an object that is connected play frames that were added since."""
        if not self.follows_growth:
            self.connect(obj)

    @staticmethod
    @abstractmethod
    def file(obj: bpy.types.Object) -> Path | None:
        """The file, or the folder, with the frames of an object that `plays`; None when it names none."""

    @staticmethod
    def other_files(obj: bpy.types.Object) -> list[Path]:
        """Files that belong to the frames of an object beside `file`."""
        return []

    @staticmethod
    @abstractmethod
    def frames_in(file: Path) -> range:
        """Frames in a file; raises OSError when it cannot be read."""

    @staticmethod
    def is_ours(obj: bpy.types.Object) -> bool:
        """Whether a bake wrote what an object that `plays` plays."""
        return True

    @classmethod
    def clear(cls, obj: bpy.types.Object) -> None:
        """Let an object play nothing; what shows where its frames come in stays."""
        cls.remove(obj)


class Pc2Writer(FileWriter):
    """Frames of a fixed number of points in one PC2 file."""

    def start(self, kept: Kept | None) -> dict[Path, bytes]:
        """The body as it was captured."""
        return {self.path: cache.first_sample(self.body.local, self.frame_start)}

    def growing_files(self) -> list[Path]:
        """The one."""
        return [self.path]

    def samples(self) -> int:
        """As the header says."""
        return cache.read_header(self.path).samples

    def cut(self, samples: int) -> None:
        """Lower the count in the header."""
        cut_file(self.path, samples)

    @staticmethod
    def frames_in(file: Path) -> range:
        """From the start in the header on."""
        header = cache.read_header(file)
        return range(int(header.start), int(header.start) + header.samples)


def cut_file(path: Path, samples: int) -> None:
    """Leave no more than so many samples in a PC2 file; raises OSError."""
    if cache.read_header(path).samples > samples:
        cache.truncate(path, samples)
