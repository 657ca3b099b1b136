"""PC2 point caches: a header of 32 bytes, then float32 triples, sample after sample.

A sample is written first and the count in the header is raised last. So a file that was cut off at any moment still
opens with every sample that was finished.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from .replace import replace_files

if TYPE_CHECKING:
    import numpy as np

_HEADER = struct.Struct("<12siiffi")
_SIGNATURE = b"POINTCACHE2\0"
_VERSION = 1
_COUNT_OFFSET = _HEADER.size - 4
# On Windows a file opened without O_BINARY would have its line ends converted.
_READ_AND_WRITE = os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class CacheFileError(OSError):
    """A cache file is damaged or of another kind; the message names the file and the problem."""


@dataclass(frozen=True)
class Header:
    """The header of a PC2 file.

    Attributes:
        points: vertices in each sample.
        start: frame of sample 0.
        rate: frames between two samples.
        samples: finished samples.
    """

    points: int
    start: float
    rate: float
    samples: int

    @property
    def sample_bytes(self) -> int:
        """Size of one sample [bytes]."""
        return self.points * 12

    def offset(self, sample: int) -> int:
        """Position of a sample in the file [bytes]."""
        return _HEADER.size + sample * self.sample_bytes


def begin(samples: Mapping[Path, np.ndarray], start: float) -> None:
    """Create a file for each path with its sample 0, (points, 3) of any float type, which belongs to frame `start`.

    All or none: existing files are replaced only after every new one is written. A reader with an old file open keeps
    its content.

    Raises:
        OSError: the disk is full or cannot be written; existing files are unchanged.
    """
    replace_files({path: first_sample(positions, start) for path, positions in samples.items()})


def first_sample(positions: np.ndarray, start: float) -> bytes:
    """Bytes of a whole file with one sample, (points, 3) of any float type, which belongs to frame `start`."""
    header = _HEADER.pack(_SIGNATURE, _VERSION, len(positions), start, 1.0, 1)
    return header + positions.astype("<f4").tobytes()


def read_header(path: Path) -> Header:
    """The header of a file.

    Raises:
        CacheFileError: it is not a PC2 file, or ends before its last sample.
        FileNotFoundError: it does not exist.
    """
    with path.open("rb", buffering=0) as file:
        return _header_of(file.read(_HEADER.size), file.seek(0, os.SEEK_END), path)


def _header_of(raw: bytes, size: int, path: Path) -> Header:
    """The header of a file of `size` bytes that begins with `raw`."""
    if len(raw) < _HEADER.size or not raw.startswith(_SIGNATURE):
        raise CacheFileError(f"{path} is not a PC2 file; delete it and bake again.")
    _signature, _version, points, start, rate, samples = _HEADER.unpack(raw)
    if points < 0 or samples < 0:
        raise CacheFileError(f"{path} has a damaged header; delete it and bake again.")
    header = Header(points, start, rate, samples)
    if size < header.offset(samples):
        complete = (size - _HEADER.size) // header.sample_bytes
        raise CacheFileError(f"{path} ends within frame number {complete}; delete it and bake again.")
    return header


def append_sample(path: Path, positions: np.ndarray) -> int:
    """Append one sample, (points, 3) of any float type; returns the number of samples now in the file.

    Raises:
        CacheFileError: the sample has another number of points than the file.
        OSError: the disk is full or the file cannot be written; earlier samples are unchanged.
    """
    raw = positions.astype("<f4", order="C", copy=False)
    # Use few, plain system calls: hundreds of small bodies have a file or two each, and every call is expensive while
    # the solver uses all cores.
    file = os.open(path, _READ_AND_WRITE)
    try:
        start, size = os.read(file, _HEADER.size), os.lseek(file, 0, os.SEEK_END)
        header = _header_of(start, size, path)
        if raw.shape != (header.points, 3):
            raise CacheFileError(f"{path} holds {header.points} vertices a frame, not {len(raw)}; bake again.")
        if size != header.offset(header.samples):
            os.lseek(file, header.offset(header.samples), os.SEEK_SET)
        _write_all(file, raw.reshape(-1).view("u1").data)
        os.lseek(file, _COUNT_OFFSET, os.SEEK_SET)
        os.write(file, struct.pack("<i", header.samples + 1))
    finally:
        os.close(file)
    return header.samples + 1


def overwrite_sample(path: Path, positions: np.ndarray) -> None:
    """Replace sample 0 by positions, (points, 3) of any float type. Only safe while no other process reads the file.

    Raises:
        CacheFileError: the file has another number of points.
        OSError: the file cannot be written.
    """
    raw = positions.astype("<f4", order="C", copy=False)
    with path.open("r+b", buffering=0) as file:
        points = _HEADER.unpack(file.read(_HEADER.size))[2]
        if raw.shape != (points, 3):
            raise CacheFileError(f"{path} holds {points} vertices a frame, not {len(raw)}; bake again.")
        file.write(raw.tobytes())


def truncate(path: Path, samples: int) -> None:
    """Remove all samples from index `samples` on; raises CacheFileError when the file has fewer."""
    header = read_header(path)
    if header.samples < samples:
        raise CacheFileError(f"{path} holds {header.samples} frames, not {samples}; bake again from the start.")
    with path.open("r+b") as file:
        _write_count(file, samples)
        file.truncate(header.offset(samples))


def read_sample(path: Path, sample: int) -> np.ndarray:
    """Positions of one sample, (points, 3) float32; raises CacheFileError when the file does not have it."""
    import numpy as np

    header = read_header(path)
    if not 0 <= sample < header.samples:
        raise CacheFileError(f"{path} holds {header.samples} frames; there is no frame number {sample} in it.")
    with path.open("rb") as file:
        file.seek(header.offset(sample))
        raw = file.read(header.sample_bytes)
    return np.frombuffer(raw, dtype="<f4").reshape(-1, 3).copy()


def _write_all(file: int, content: memoryview) -> None:
    """Write to a file descriptor completely; a call may write only part, and the next then raises the error."""
    remaining = content
    while remaining:
        remaining = remaining[os.write(file, remaining) :]


def _write_count(file: BinaryIO, samples: int) -> None:
    """Set the sample count in the header of an open file."""
    file.seek(_COUNT_OFFSET)
    file.write(struct.pack("<i", samples))
    file.flush()
