"""What bodies play while a bake runs and when it has ended: its finished frames, of all kinds."""

from __future__ import annotations

import time

import bpy

from ..capture import CapturedBody
from ..capture.controls import baked_object
from ..write.keyframes import extend_keys
from ..write.mesh_cache import baked_file
from .connect import connect_body
from .files import BakeFiles
from .gone import delete_left_behind
from .owner import note_baked
from .records import keep_record

# Keys of finished frames are added this often, and no more than this share of the time is spent on it.
_KEYS_SECONDS, _KEYS_SHARE = 0.5, 0.1


class Playback:
    """Lets the bodies of one bake play its files."""

    def __init__(self, files: BakeFiles) -> None:
        """Args: the files of the bake."""
        self._files = files
        self._due = 0.0

    def begin(self, scene: bpy.types.Scene) -> None:
        """Let all bodies of a scene play what there is so far.

        Raises:
            CaptureError: an object is gone or cannot play. OSError: a file cannot be read.
        """
        bodies = [(baked_object(body.name), body) for body in self._files.captured.bodies]
        before = [baked_file(obj) for obj, _body in bodies]
        for obj, body in bodies:
            connect_body(obj, self._files, body)
        for file, (_obj, body) in zip(before, bodies, strict=True):
            delete_left_behind(file, self._files.path(body.name))
        keep_record(scene, self._files.index)

    def refresh(self) -> None:
        """Add the keys of frames that are new, now and then; files of soft bodies are read by Blender itself.

        Raises:
            CaptureError: an object is gone. OSError: a file cannot be read.
        """
        now = time.monotonic()
        if now < self._due:
            return
        for body in self._files.captured.bodies:
            if body.as_keys:
                self._extend(baked_object(body.name), body)
        taken = time.monotonic() - now
        self._due = now + max(_KEYS_SECONDS, taken / _KEYS_SHARE)

    def end(self, scene: bpy.types.Scene) -> None:
        """Let all bodies that are still there play what there is, also after an undo during the bake.

        Raises:
            OSError: a file cannot be read.
        """
        for body in self._files.captured.bodies:
            obj = bpy.data.objects.get((body.name, None))
            if obj is None:
                continue
            if body.as_keys:
                self._extend(obj, body)
            elif baked_file(obj) != self._files.path(body.name):
                # An undo has taken its frames away.
                connect_body(obj, self._files, body)
            obj.update_tag()
        keep_record(scene, self._files.index)

    def _extend(self, obj: bpy.types.Object, body: CapturedBody) -> None:
        file = self._files.path(body.name)
        extend_keys(obj, file, self._files.index.frame_start)
        note_baked(obj, file, self._files.index)
