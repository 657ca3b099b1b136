"""`index.json` beside the PC2 files: whose they are, what they were baked from, how far the bake came."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from .pc2 import CacheFileError

INDEX_NAME = "index.json"
STATE_NAME = "state.npz"
_VERSION = 1


@dataclass(frozen=True)
class BodyEntry:
    """One baked object.

    Attributes:
        file: name of its PC2 file in the same folder.
        points: vertices in each sample.
    """

    file: str
    points: int


@dataclass(frozen=True)
class Index:
    """One bake.

    Attributes:
        fingerprint: of the WorldSpec it was baked from.
        frame_start: frame of sample 0.
        frame_end: last frame that was asked for.
        finished: samples on disk, the start included.
        resumable: samples the saved state goes on from; 0 when there is no saved state.
        bodies: baked objects by name.
    """

    fingerprint: str
    frame_start: int
    frame_end: int
    finished: int = 0
    resumable: int = 0
    bodies: dict[str, BodyEntry] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Samples the whole bake has."""
        return self.frame_end - self.frame_start + 1

    @property
    def last_frame(self) -> int:
        """Last finished frame; frame_start - 1 when there is none."""
        return self.frame_start + self.finished - 1


def write_index(folder: Path, index: Index) -> None:
    """Write the index in one go: a reader sees the old one or the new one, never half of it."""
    fresh = folder / (INDEX_NAME + ".new")
    text = json.dumps({"version": _VERSION, **dataclasses.asdict(index)}, indent=1)
    fresh.write_text(text + "\n", encoding="utf-8")
    os.replace(fresh, folder / INDEX_NAME)


def read_index(folder: Path) -> Index | None:
    """The index of a folder, None when there is none.

    Raises:
        CacheFileError: the file is there and cannot be understood.
    """
    path = folder / INDEX_NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        fields = json.loads(text)
        if fields.pop("version") != _VERSION:
            raise ValueError("written by another version")
        bodies = {name: BodyEntry(**entry) for name, entry in fields.pop("bodies").items()}
        return Index(bodies=bodies, **fields)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CacheFileError(f"{path} cannot be read ({error}); clear the cache and bake again.") from error
