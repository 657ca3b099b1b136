"""Ownership of caches: file names that no two objects share, and whether a cache still fits its object."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import bpy

from ...engine import cache
from ..capture.keys import has_keys
from ..names import BODY_KINDS, SETTINGS
from ..paths import cache_folder, file_stem
from ..write import FILE_WRITERS, FileWriter, baked_file, writer_playing
from ..write.play import path_in_blend
from .changes import change_since
from .on_disk import baked_range, record_on_disk
from .records import find_record, record_name
from .version_0_1 import change_since_0_1


def _other_scene_problem(obj: bpy.types.Object, scene: bpy.types.Scene | None) -> str | None:
    """A sentence that names the other scene whose bake `obj` plays in `scene`; None if the bake is that of `scene`.

    Also None if `scene` was never baked: then an object in both scenes plays the only bake.
    """
    found = find_record(getattr(obj, SETTINGS).baked.record)
    if scene is None or found is None or found[0] == scene or not getattr(scene, SETTINGS).bakes:
        return None
    return (
        f"{obj.name} plays the bake of the scene {found[0].name} here too; bake again, or give each scene a copy of "
        "its own."
    )


def file_names(names: Mapping[str, type[FileWriter]], folder: Path) -> dict[str, str]:
    """A file name in `folder` for each object name and its writer, distinct from files that other objects play."""
    others = (obj for obj in bpy.data.objects if obj.name_full not in names)
    taken = {file.name.casefold() for file in map(baked_file, others) if file is not None and file.parent == folder}
    # Blender discards an overridden path that equals the relative path of the reference, because it is no change.
    linked = (obj.override_library.reference for obj in bpy.data.objects if obj.override_library is not None)
    taken |= {file.name.casefold() for file in map(baked_file, linked) if file is not None}
    chosen: dict[str, str] = {}
    for name in sorted(names):
        stem = file_stem(name)
        writer = names[name]
        number, candidate = 1, stem + writer.suffix
        while candidate.casefold() in taken or (writer.is_fresh and (folder / candidate).exists()):
            number += 1
            candidate = f"{stem}-{number}{writer.suffix}"
        taken.add(candidate.casefold())
        chosen[name] = candidate
    return chosen


def is_of_this_blend(file: Path) -> bool:
    """Whether a file is in the open .blend's cache; files elsewhere may be played by another .blend.

    Scenes may have been renamed since, so any folder beside theirs counts.
    """
    own = {cache_folder(scene).parent for scene in bpy.data.scenes}
    return file.suffix in {writer.suffix for writer in FILE_WRITERS.values()} and file.parent.parent in own


def note_baked(obj: bpy.types.Object, file: Path, index: cache.Index) -> None:
    """Store in an object the record of its bake, from the index."""
    baked = getattr(obj, SETTINGS).baked
    baked.path = path_in_blend(file)
    baked.fingerprint = index.fingerprint
    baked.record = record_name(index)
    baked.name = obj.name_full
    baked.uid = uid_of(obj)
    baked.vertex_count = index.bodies[obj.name_full].mesh_points
    for old in ("settings", "world"):
        baked.property_unset(old)


def uid_of(obj: bpy.types.Object) -> int:
    """An id that distinguishes an object from its copies as long as the file is open."""
    return obj.session_uid & 0x7FFFFFFF


def forget_baked(obj: bpy.types.Object) -> None:
    """Remove the bake data from an object."""
    baked = getattr(obj, SETTINGS).baked
    for declared in baked.bl_rna.properties:
        if declared.identifier != "rna_type":
            baked.property_unset(declared.identifier)


def cache_problem(obj: bpy.types.Object, scene: bpy.types.Scene | None = None) -> str | None:
    """Why the bake no longer fits an object; None when it does or there is none.

    Fast enough for a panel: checks for the file, and compares digests of what was captured. `scene` is the one that the
    panel shows: an object in several scenes plays the same bake, the last one, in all of them.
    """
    file = baked_file(obj)
    if file is None:
        return None
    if writer_playing(obj).needs_file and not file.exists():
        return f"The bake of {obj.name} is not at {file}; bake again."
    if writer_playing(obj).needs_file and baked_range(obj) is None:
        return f"{file} has no frame of {obj.name} that can be read; bake again."
    baked = getattr(obj, SETTINGS).baked
    if baked.vertex_count not in (0, len(obj.data.vertices)):
        return (
            f"{obj.name} had {baked.vertex_count} vertices when it was baked and has "
            f"{len(obj.data.vertices)} now; bake again."
        )
    if getattr(obj, SETTINGS).kind not in BODY_KINDS:
        return None
    if baked.record:
        if not has_keys(obj) and record_on_disk(file) not in ("", baked.record):
            return f"The frames of {obj.name} on disk are those of another bake, which undo cannot change; bake again."
        return _other_scene_problem(obj, scene) or change_since(obj)
    return change_since_0_1(obj, scene)
