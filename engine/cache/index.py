"""`index.json` beside the PC2 files: baked objects, the spec they were baked from, how many samples are finished."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .pc2 import CacheFileError
from .whole_file import write_whole

INDEX_NAME = "index.json"
ATTRIBUTES_SUFFIX = ".attributes"
_VERSION = 3
# Version 2 lacks `running`, `seconds`, `captured`, `records` and `mesh_points`; all of them have defaults.
_READABLE = (2, _VERSION)
_COUNTS = ("frame_start", "frame_end", "finished", "resumable")


@dataclass(frozen=True)
class BodyEntry:
    """One baked object.

    Attributes:
        file: name of its PC2 file in the same folder, or of the folder with its points.
        points: vertices in each sample; for particle systems, whose count varies, the number at the start.
        attributes: names of vertex attributes, stored in a file of the same name with the suffix
            `ATTRIBUTES_SUFFIX`; without attributes that file does not exist.
        mesh_points: vertices of its mesh before modifiers; 0 if unknown.
    """

    file: str
    points: int
    attributes: tuple[str, ...] = ()
    mesh_points: int = 0

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
        frame_end: last frame requested.
        finished: samples on disk, including the start.
        resumable: number of samples after which the saved state continues; 0 without a saved state.
        bodies: baked objects by name.
        solver: `source_hash()` of the engine that solved it.
        trail: rolling digest of all external inputs up to the saved state; see `follow`.
        running: the bake is not finished: it runs now, or its process was killed.
        seconds: solving time of a frame [s]; 0 if unknown.
        captured: digests of all captured data, by object and by part of it.
        records: for each PC2 file in the folder, the token of the bake that wrote it.
    """

    fingerprint: str
    frame_start: int
    frame_end: int
    finished: int = 0
    resumable: int = 0
    bodies: dict[str, BodyEntry] = field(default_factory=dict)
    solver: str = ""
    trail: str = ""
    running: bool = False
    seconds: float = 0.0
    captured: dict[str, dict[str, str]] = field(default_factory=dict)
    records: dict[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Number of samples in the whole bake."""
        return self.frame_end - self.frame_start + 1

    @property
    def last_frame(self) -> int:
        """Last finished frame; frame_start - 1 when there is none."""
        return self.frame_start + self.finished - 1

    @property
    def state_file(self) -> str:
        """Name of the saved state. It contains the sample count, so an index never pairs with a state of other age."""
        return state_name(self.resumable)


def state_name(samples: int | str) -> str:
    """Name of the file with the solver's state after `samples` samples."""
    return f"state-{samples}.npz"


def forget_states(folder: Path, but: int = 0) -> None:
    """Delete saved states in a folder, except the one after `but` samples."""
    # This includes files that a killed process left half written.
    for path in folder.glob(state_name("*") + "*"):
        if path.name != state_name(but):
            path.unlink(missing_ok=True)


def write_index(folder: Path, index: Index) -> None:
    """Write the index atomically: a reader sees the old or the new one, never part of one."""
    text = json.dumps({"version": _VERSION, **dataclasses.asdict(index)}, indent=1)
    write_whole(folder / INDEX_NAME, (text + "\n").encode())


def read_index(folder: Path) -> Index | None:
    """The index of a folder, None when there is none.

    Raises:
        CacheFileError: the file exists and cannot be read as an index.
    """
    path = folder / INDEX_NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        fields = json.loads(text)
        if fields.pop("version") not in _READABLE:
            raise ValueError("written by another version")
        bodies = {name: _entry(**entry) for name, entry in fields.pop("bodies").items()}
        index = Index(bodies=bodies, **fields)
        _check(index)
        return index
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CacheFileError(f"{path} cannot be read ({error}); bake without resuming to start again.") from error


def _entry(file: str, points: int, attributes: Sequence[str] = (), mesh_points: int = 0) -> BodyEntry:
    """A body as stored; an entry from before attributes existed has none."""
    return BodyEntry(file, points, tuple(attributes), mesh_points)


def _check(index: Index) -> None:
    """Refuse counts that are not integers and files in other folders; raises ValueError."""
    if not all(type(getattr(index, name)) is int for name in _COUNTS):
        raise ValueError("a count is no whole number")
    if not 0 <= index.resumable <= index.finished:
        raise ValueError("it counts more frames than there are")
    tables = (index.captured, index.records, *index.captured.values())
    if not all(isinstance(table, dict) for table in tables):
        raise ValueError("what was captured is no table")
    for entry in index.bodies.values():
        if entry.file != Path(entry.file).name:
            raise ValueError(f"{entry.file} lies in another folder")
