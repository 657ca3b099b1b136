"""What lies on disk, cheap enough for a panel to ask at every redraw: a header of 32 bytes, an index of a few lines."""

from __future__ import annotations

import bpy

from ...engine import cache
from ..capture.keys import has_keys
from ..names import SETTINGS
from ..paths import cache_folder
from ..write.mesh_cache import baked_file


def baked_range(obj: bpy.types.Object) -> tuple[int, int] | None:
    """First and last frame that an object plays, None when it has none or its file cannot be read."""
    file = baked_file(obj)
    if file is None:
        return None
    if has_keys(obj):
        baked = getattr(obj, SETTINGS).baked
        return baked.first, baked.last
    try:
        header = cache.read_header(file)
    except OSError:
        return None
    start = int(header.start)
    return (start, start + header.samples - 1) if header.samples else None


def stopped_bodies(scene: bpy.types.Scene) -> set[str]:
    """Names of the bodies of the bake that lies in the scene's folder, none without one."""
    try:
        index = cache.read_index(cache_folder(scene))
    except OSError:
        return set()
    return set() if index is None else set(index.bodies)


def why_not_resumed(scene: bpy.types.Scene) -> str | None:
    """Why there is no bake to go on with, None when there is one."""
    try:
        index = cache.read_index(cache_folder(scene))
    except OSError as error:
        return str(error)
    if index is None or index.finished == 0:
        return "No bake was stopped on its way; press Bake"
    if index.resumable == 0:
        return "The bake before was stopped too early to go on; press Bake"
    settings = getattr(scene, SETTINGS)
    if index.frame_start != settings.frame_start:
        return f"The bake before starts at frame {index.frame_start}; set Start to it, or press Bake"
    if index.last_frame >= settings.frame_end:
        return f"Frames up to {index.last_frame} are baked; set a later End to go on"
    return None
