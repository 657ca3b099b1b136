"""Which cache belongs to whom: file names that no two objects share, and whether a cache still fits."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy

from ...engine import cache
from ...engine.spec import KINDS, WorldSpec, params_of
from ..capture.keys import has_keys
from ..capture.motion import is_keyed
from ..names import BODY_KINDS, SETTINGS, settings_field
from ..paths import cache_folder, file_stem
from ..properties.scene import bake_range
from ..write import FILE_WRITERS, FileWriter, baked_file, writer_playing
from ..write.play import path_in_blend
from .changes import change_since
from .on_disk import record_on_disk
from .records import record_name

_WORLD_PARAMS = params_of(WorldSpec)
# Settings by kind: all of them, and those that keyframes cannot change.
_PARAMS = {kind: tuple(params_of(spec)) for kind, spec in KINDS.items()}
_PARAMS_UNKEYED = {
    kind: tuple(name for name, declared in params_of(spec).items() if not declared.keyable)
    for kind, spec in KINDS.items()
}


def file_names(names: Mapping[str, type[FileWriter]], folder: Path) -> dict[str, str]:
    """A file name in `folder` for each object name and its writer, never one that another object plays."""
    others = (obj for obj in bpy.data.objects if obj.name_full not in names)
    taken = {file.name.casefold() for file in map(baked_file, others) if file is not None and file.parent == folder}
    # Of two equal paths, each relative to its own .blend, Blender takes an override for no change and drops it.
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
    """Whether a file lies where the open .blend keeps its frames; those elsewhere may be played by another .blend.

    Scenes may have been renamed since, so any folder beside theirs counts.
    """
    own = {cache_folder(scene).parent for scene in bpy.data.scenes}
    return file.suffix in {writer.suffix for writer in FILE_WRITERS.values()} and file.parent.parent in own


def note_baked(obj: bpy.types.Object, file: Path, index: cache.Index) -> None:
    """Write into an object what it was baked with, as the index has it."""
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
    """What tells an object from its copies for as long as the file is open."""
    return obj.session_uid & 0x7FFFFFFF


def forget_baked(obj: bpy.types.Object) -> None:
    """An object is baked no more."""
    baked = getattr(obj, SETTINGS).baked
    for declared in baked.bl_rna.properties:
        if declared.identifier != "rna_type":
            baked.property_unset(declared.identifier)


def cache_problem(obj: bpy.types.Object, scene: bpy.types.Scene | None = None) -> str | None:
    """Why what was baked does not fit an object any more, None when it does or nothing was baked.

    Cheap enough for a panel: it looks whether the file is there and compares digits of what was captured. `scene` is
    asked of bakes by Flotsam 0.1 alone, which have no record.
    """
    file = baked_file(obj)
    if file is None:
        return None
    if writer_playing(obj).needs_file and not file.exists():
        return f"The bake of {obj.name} is not at {file}; bake again."
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
        return change_since(obj)
    if baked.settings not in ("", settings_digest(obj)):
        return f"The settings of {obj.name} have changed since the bake; bake again."
    if scene is not None and baked.world not in ("", world_digest(scene)):
        return "The settings of the scene have changed since the bake; bake again."
    return None


def settings_digest(obj: bpy.types.Object) -> str:
    """Stands for a body's own settings, as Flotsam 0.1 had it; what is animated counts as animated."""
    settings = getattr(obj, SETTINGS)
    group = getattr(settings, settings_field(settings.kind))
    # Keys that a bake wrote are not the artist's.
    keyed = is_keyed(obj) and not has_keys(obj)
    names = _PARAMS_UNKEYED if keyed else _PARAMS
    return _digest([keyed, *(_plain(getattr(group, name)) for name in names[settings.kind])])


def world_digest(scene: bpy.types.Scene) -> str:
    """Stands for what a scene gives the solver beside its objects, as Flotsam 0.1 had it."""
    settings, keyed = getattr(scene, SETTINGS), is_keyed(scene)
    gravity = tuple(scene.gravity) if scene.use_gravity and not keyed else None
    frames = (bake_range(settings)[0], scene.render.fps, scene.render.fps_base)
    return _digest([keyed, gravity, frames, *(
        _plain(getattr(settings, name)) for name in _WORLD_PARAMS if hasattr(settings, name)
    )])


def _plain(value: Any) -> Any:
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


def _digest(values: list[Any]) -> str:
    return hashlib.blake2b(repr(values).encode(), digest_size=8).hexdigest()
