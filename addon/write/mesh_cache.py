"""The Mesh Cache modifier named Flotsam: Blender plays the PC2 file with it, without this add-on."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..capture.errors import CaptureError
from ..capture.keys import has_keys
from ..capture.stack import flotsam_modifier
from ..names import MODIFIER, SETTINGS
from ..paths import plain


def connect(obj: bpy.types.Object, file: Path, frame_start: int) -> bpy.types.Modifier:
    """Let an object play a PC2 file from frame_start on; makes the modifier at the end of the stack if it has none.

    Raises:
        CaptureError: a modifier of another kind bears the name.
    """
    refuse_name_taken(obj)
    modifier = flotsam_modifier(obj) or obj.modifiers.new(MODIFIER, "MESH_CACHE")
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
    return modifier


def disconnect(obj: bpy.types.Object) -> None:
    """Let an object play nothing; its modifier stays where it is for the next bake."""
    modifier = flotsam_modifier(obj)
    modifier.filepath = ""
    modifier.show_viewport = modifier.show_render = False


def refuse_name_taken(obj: bpy.types.Object) -> None:
    """Raise CaptureError when a modifier that is not ours is named Flotsam."""
    modifier = obj.modifiers.get(MODIFIER)
    if modifier is not None and not is_ours(obj):
        raise CaptureError(f'{obj.name} has another modifier named "{MODIFIER}"; rename that one and try again.')


def is_ours(obj: bpy.types.Object) -> bool:
    """Whether the modifier named Flotsam is ours: a Mesh Cache that plays nothing yet, or what we baked."""
    modifier = flotsam_modifier(obj)
    return modifier is not None and (_is_idle(modifier) or bool(getattr(obj, SETTINGS).baked.path))


def path_in_blend(file: Path) -> str:
    """The path as the .blend keeps it: beside a saved file relative to it, so that both can move together."""
    if not bpy.data.filepath:
        return str(file)
    try:
        return bpy.path.relpath(str(file))
    except ValueError:
        # Windows: another drive has no relative path.
        return str(file)


def baked_file(obj: bpy.types.Object) -> Path | None:
    """The file an object plays, or whose frames its keys are; None when it was never baked."""
    if has_keys(obj):
        return plain(bpy.path.abspath(getattr(obj, SETTINGS).baked.path, library=obj.library))
    modifier = flotsam_modifier(obj)
    if modifier is None or _is_idle(modifier):
        return None
    # In a linked object "//" is the folder of the file it comes from.
    return plain(bpy.path.abspath(modifier.filepath, library=obj.library))


def _is_idle(modifier: bpy.types.Modifier) -> bool:
    """Whether it names no file. Saving a new .blend turns an empty path into the way to the root, "//../../"."""
    return not modifier.filepath.strip("/\\.")
