"""Which cache belongs to whom: file names that no two objects share, and whether a cache still fits."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import bpy

from ..names import SETTINGS
from ..write.mesh_cache import baked_file

_SUFFIX = ".pc2"


def file_names(names: Iterable[str], folder: Path) -> dict[str, str]:
    """A PC2 file name in `folder` for each object name, never one that another object plays."""
    names = list(names)
    others = (obj for obj in bpy.data.objects if obj.name_full not in names)
    taken = {file.name.casefold() for file in map(baked_file, others) if file is not None and file.parent == folder}
    chosen: dict[str, str] = {}
    for name in names:
        stem = bpy.path.clean_name(name) or "object"
        number, candidate = 1, stem + _SUFFIX
        while candidate.casefold() in taken:
            number += 1
            candidate = f"{stem}-{number}{_SUFFIX}"
        taken.add(candidate.casefold())
        chosen[name] = candidate
    return chosen


def cache_problem(obj: bpy.types.Object) -> str | None:
    """Why what was baked does not fit an object any more, None when it does or nothing was baked.

    Cheap enough for a panel: it only looks whether the file is there.
    """
    file = baked_file(obj)
    if file is None:
        return None
    if not file.exists():
        return f"The bake of {obj.name} is not at {file}; bake again."
    before, now = getattr(obj, SETTINGS).baked.vertex_count, len(obj.data.vertices)
    if before not in (0, now):
        return f"{obj.name} had {before} vertices when it was baked and has {now} now; bake again."
    return None
