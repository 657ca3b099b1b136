"""The writers: one class per output kind. A new output kind needs one file and one line here."""

from __future__ import annotations

from pathlib import Path

import bpy

from .base import FileWriter
from .keyframes import KeyframeWriter
from .mesh_cache import MeshCacheWriter
from .points import PointsWriter

# Keyframes come first: an object with keyframes may still have the modifier of an earlier kind.
_WRITERS: tuple[type[FileWriter], ...] = (KeyframeWriter, PointsWriter, MeshCacheWriter)
# Writers by the `output` of a spec.
FILE_WRITERS: dict[str, type[FileWriter]] = {writer.output: writer for writer in _WRITERS}


def writer_playing(obj: bpy.types.Object) -> type[FileWriter] | None:
    """The writer whose frames an object plays, or may play once it is baked; None for other objects."""
    return next((writer for writer in _WRITERS if writer.plays(obj)), None)


def baked_file(obj: bpy.types.Object) -> Path | None:
    """The file or folder that an object plays, or that its keyframes come from; None if it was never baked."""
    writer = writer_playing(obj)
    return None if writer is None else writer.file(obj)


def refuse_output(obj: bpy.types.Object, output: str) -> None:
    """Raise CaptureError, which names a remedy, for an object that cannot play its baked frames."""
    FILE_WRITERS[output].refuse(obj)
