"""A Mesh Cache modifier that plays a PC2 file, and the file paths as a .blend stores them."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..paths import plain


def play_file(modifier: bpy.types.Modifier, file: Path, frame_start: int) -> None:
    """Make a Mesh Cache modifier play a file from frame_start on."""
    modifier.cache_format = "PC2"
    modifier.filepath = path_in_blend(file)
    modifier.deform_mode = "OVERWRITE"
    modifier.interpolation = "LINEAR"
    modifier.time_mode = "FRAME"
    modifier.play_mode = "SCENE"
    modifier.frame_start = frame_start
    modifier.frame_scale = 1.0
    modifier.factor = 1.0
    modifier.show_viewport = True
    modifier.show_render = True


def played_file(modifier: bpy.types.Modifier) -> Path | None:
    """The file that a Mesh Cache modifier plays, None if it names none."""
    if is_idle(modifier):
        return None
    # In a linked object "//" is the folder of the library file.
    return plain(bpy.path.abspath(modifier.filepath, library=modifier.id_data.library))


def is_idle(modifier: bpy.types.Modifier) -> bool:
    """Whether it names no file. Saving a new .blend turns an empty path into the relative root, "//../../"."""
    return not modifier.filepath.strip("/\\.")


def path_in_blend(file: Path) -> str:
    """The path as the .blend stores it: relative if the .blend is saved, so that both can move together."""
    if not bpy.data.filepath:
        return str(file)
    try:
        return bpy.path.relpath(str(file))
    except ValueError:
        # On Windows there is no relative path to another drive.
        return str(file)
