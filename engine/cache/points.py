"""Points on disk: a folder with one PLY file per frame, so that their number may change from frame to frame.

`replace_files` writes a frame under a temporary name and renames it when it is complete, so a partial write never
counts as a frame.
Every value is a float32. Blender's reader skips a property named "id" and rejects a file without vertices as damaged.
So ids are stored as `number`, exact up to 16.7 million, and an empty frame has one vertex of number -1.

Source: Greg Turk, "The PLY Polygon File Format", 1994.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .pc2 import CacheFileError

if TYPE_CHECKING:
    import numpy as np

POINTS_SUFFIX = ".points"
# Properties of every vertex: position [m], velocity [m/s], radius [m], number, age [s], kind.
POINT_PROPERTIES = ("x", "y", "z", "vx", "vy", "vz", "radius", "number", "age", "kind")
POINT_BYTES = 4 * len(POINT_PROPERTIES)
# Radius of points that have none of their own [m].
DEFAULT_RADIUS = 0.01

_NAME = re.compile(r"f(-?\d+)\.ply")
_HEADER = re.compile(
    rb"ply\nformat binary_little_endian 1\.0\nelement vertex (\d+)\n((?:property float \w+\n)+)end_header\n"
)


def points_file(folder: Path, frame: int) -> Path:
    """The file of a frame."""
    return folder / f"f{frame}.ply"


def points_frames(folder: Path) -> range:
    """The contiguous range of frames in a folder, from the first one on; empty without any.

    Raises:
        OSError: the folder cannot be read.
    """
    there = {int(found[1]) for path in folder.iterdir() if (found := _NAME.fullmatch(path.name))}
    if not there:
        return range(0)
    first = last = min(there)
    while last in there:
        last += 1
    return range(first, last)


def points_content(
    positions: np.ndarray, velocities: np.ndarray | None = None, attributes: Mapping[str, np.ndarray] | None = None
) -> bytes:
    """A frame as the bytes of a PLY file.

    Args:
        positions: [m], (n, 3).
        velocities: [m/s], (n, 3); None for points at rest.
        attributes: (n,) each, by name: `id`, `radius` [m], `age` [s], `kind`, then any others. A missing one is 0,
            except that ids count from 0 and the radius is `DEFAULT_RADIUS`.
    """
    import numpy as np

    values = dict(attributes or {})
    count = len(positions)
    known = {"radius": values.pop("radius", DEFAULT_RADIUS), "number": values.pop("id", np.arange(count))}
    known |= {name: values.pop(name, 0.0) for name in ("age", "kind")}
    names = (*POINT_PROPERTIES, *sorted(values))
    rows = np.zeros((max(count, 1), len(names)), dtype="<f4")
    if count:
        rows[:, 0:3] = positions
        rows[:, 3:6] = 0.0 if velocities is None else velocities
        for column, name in enumerate(names[6:], start=6):
            rows[:, column] = known[name] if name in known else values[name]
    else:
        rows[0, POINT_PROPERTIES.index("number")] = -1.0
    head = "".join(f"property float {name}\n" for name in names)
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(rows)}\n{head}end_header\n"
    return head.encode() + rows.tobytes()


def read_points(folder: Path, frame: int) -> dict[str, np.ndarray]:
    """The properties of a frame by name, (n,) float32 each, with `id` in place of `number`.

    Raises:
        CacheFileError: the file was not written by Flotsam, or ends too early.
        FileNotFoundError: there is no such frame.
    """
    import numpy as np

    path = points_file(folder, frame)
    raw = path.read_bytes()
    head = _HEADER.match(raw)
    if head is None:
        raise CacheFileError(f"{path} is not a PLY file of Flotsam; bake again.")
    names = [line.split()[2].decode() for line in head[2].splitlines()]
    count = int(head[1])
    if len(raw) - head.end() != 4 * count * len(names):
        raise CacheFileError(f"{path} does not hold the {count} points that it promises; bake again.")
    rows = np.frombuffer(raw, dtype="<f4", offset=head.end()).reshape(count, len(names))
    rows = rows[rows[:, names.index("number")] >= 0.0]
    return {"id" if name == "number" else name: rows[:, column].copy() for column, name in enumerate(names)}


def cut_points(folder: Path, end: int) -> None:
    """Delete frame `end`, all later frames, and leftovers of interrupted writes."""
    for path in folder.iterdir():
        found = _NAME.fullmatch(path.name)
        if path.name.endswith(".ply.new") or (found and int(found[1]) >= end):
            path.unlink(missing_ok=True)
