"""`index.json` beside the PC2 files: whose they are, what they were baked from, how far the bake came."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .pc2 import CacheFileError

INDEX_NAME = "index.json"
ATTRIBUTES_SUFFIX = ".attributes"
_VERSION = 2
_COUNTS = ("frame_start", "frame_end", "finished", "resumable")


@dataclass(frozen=True)
class BodyEntry:
    """One baked object.

    Attributes:
        file: name of its PC2 file in the same folder, or of the folder with its points.
        points: vertices in each sample; of points, which come and go, those of the start.
        attributes: names of what is kept of each vertex beside its position, in a file of the same name that ends
            in `ATTRIBUTES_SUFFIX`; without any there is no such file.
    """

    file: str
    points: int
    attributes: tuple[str, ...] = ()

    @property
    def attributes_file(self) -> str:
        """Name of the file with the attributes."""
        return str(Path(self.file).with_suffix(ATTRIBUTES_SUFFIX))


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
        solver: `source_hash()` of the engine that solved it.
        trail: rolling digest of all that moved from outside up to the saved state; see `follow`.
    """

    fingerprint: str
    frame_start: int
    frame_end: int
    finished: int = 0
    resumable: int = 0
    bodies: dict[str, BodyEntry] = field(default_factory=dict)
    solver: str = ""
    trail: str = ""

    @property
    def total(self) -> int:
        """Samples the whole bake has."""
        return self.frame_end - self.frame_start + 1

    @property
    def last_frame(self) -> int:
        """Last finished frame; frame_start - 1 when there is none."""
        return self.frame_start + self.finished - 1

    @property
    def state_file(self) -> str:
        """Name of the saved state. It carries the count, so that an index never meets the state of another moment."""
        return state_name(self.resumable)


def state_name(samples: int | str) -> str:
    """Name of the file with the solver's state after that many samples."""
    return f"state-{samples}.npz"


def forget_states(folder: Path, but: int = 0) -> None:
    """Delete saved states in a folder, except the one after `but` samples."""
    for path in folder.glob(state_name("*")):
        if path.name != state_name(but):
            path.unlink(missing_ok=True)


def write_index(folder: Path, index: Index) -> None:
    """Write the index in one go: a reader sees the old one or the new one, never half of it."""
    fresh = folder / (INDEX_NAME + ".new")
    text = json.dumps({"version": _VERSION, **dataclasses.asdict(index)}, indent=1)
    try:
        fresh.write_text(text + "\n", encoding="utf-8")
        os.replace(fresh, folder / INDEX_NAME)
    finally:
        fresh.unlink(missing_ok=True)


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
        bodies = {name: _entry(**entry) for name, entry in fields.pop("bodies").items()}
        index = Index(bodies=bodies, **fields)
        _check(index)
        return index
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CacheFileError(f"{path} cannot be read ({error}); bake without resuming to start again.") from error


def _entry(file: str, points: int, attributes: Sequence[str] = ()) -> BodyEntry:
    """A body as the file has it; one written before there were attributes names none."""
    return BodyEntry(file, points, tuple(attributes))


def _check(index: Index) -> None:
    """Refuse counts that are none and files that lie elsewhere; raises ValueError."""
    if not all(type(getattr(index, name)) is int for name in _COUNTS):
        raise ValueError("a count is no whole number")
    if not 0 <= index.resumable <= index.finished:
        raise ValueError("it counts more frames than there are")
    for entry in index.bodies.values():
        if entry.file != Path(entry.file).name:
            raise ValueError(f"{entry.file} lies in another folder")
