"""Lets bodies play the finished frames of a bake, during the bake and after it."""

from __future__ import annotations

import time
from pathlib import Path

import bpy

from ..capture.controls import baked_object
from ..write import FileWriter, baked_file, writer_playing
from .connect import connect_body
from .files import BakeFiles
from .gone import delete_left_behind
from .owner import note_baked
from .records import keep_record

# Writers that do not follow growing files are refreshed at this interval [s], or a longer one, so that refreshing takes
# at most this fraction of the time.
_REFRESH_SECONDS, _REFRESH_FRACTION = 0.5, 0.1


class Playback:
    """Connects the bodies of one bake with its files."""

    def __init__(self, files: BakeFiles) -> None:
        """Args: the files of the bake."""
        self._files = files
        self._next_refresh = 0.0

    def begin(self, scene: bpy.types.Scene) -> None:
        """Let all bodies of a scene play the frames so far.

        Raises:
            CaptureError: an object is gone or cannot play. OSError: a file cannot be read.
        """
        bodies = [(baked_object(body.name), body) for body in self._files.captured.bodies]
        before = [(baked_file(obj), _other_files(obj)) for obj, _body in bodies]
        for obj, body in bodies:
            connect_body(obj, self._files, body)
        for (file, others), (_obj, body) in zip(before, bodies, strict=True):
            delete_left_behind(file, others, self._files.writers[body.name].path)
        keep_record(scene, self._files.index)

    def refresh(self) -> None:
        """Notify Blender of new frames, at intervals, for writers that do not follow growing files.

        Raises:
            CaptureError: an object is gone. OSError: a file cannot be read.
        """
        now = time.monotonic()
        if now < self._next_refresh:
            return
        for name, writer in self._files.writers.items():
            if not writer.follows_growth:
                self._catch_up(baked_object(name), writer)
        taken = time.monotonic() - now
        self._next_refresh = now + max(_REFRESH_SECONDS, taken / _REFRESH_FRACTION)

    def end(self, scene: bpy.types.Scene) -> None:
        """Let all remaining bodies play the finished frames, also after an undo during the bake.

        Raises:
            OSError: a file cannot be read.
        """
        for body in self._files.captured.bodies:
            obj, writer = bpy.data.objects.get((body.name, None)), self._files.writers[body.name]
            if obj is None:
                continue
            if baked_file(obj) != writer.path:
                # An undo removed the connection.
                connect_body(obj, self._files, body)
            else:
                self._catch_up(obj, writer)
            obj.update_tag()
        keep_record(scene, self._files.index)

    def _catch_up(self, obj: bpy.types.Object, writer: FileWriter) -> None:
        writer.catch_up(obj)
        note_baked(obj, writer.path, self._files.index)


def _other_files(obj: bpy.types.Object) -> list[Path]:
    """Files that belong to the one that an object plays."""
    writer = writer_playing(obj)
    return [] if writer is None else writer.other_files(obj)
