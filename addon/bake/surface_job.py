"""Makes the meshes of a finer surface, as a generator that runs on the main thread in slices.

Existing meshes with the same settings are kept. The surface shows the new meshes when all of them are made.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Generator

import bpy

from ...engine import cache
from ..capture.controls import baked_object
from ..names import SETTINGS
from ..write.play import path_in_blend
from ..write.points import baked_folder
from ..write.surface_nodes import show_finer
from . import state
from .errors import BakeError, refuse_a_second_bake
from .pace import Pace
from .state import JobView, Phase, Progress


class SurfaceJob:
    """One finer surface of one object.

    Attributes:
        progress: of the job; total: number of baked frames; warnings: always empty.
    """

    def __init__(self, scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
        """Raises BakeError: the package is missing, there is nothing to wrap, or a bake is running."""
        refuse_a_second_bake()
        if cache.find_package() is None:
            raise BakeError(
                f"A finer surface needs the Python package {cache.PACKAGE}, which is not installed in Blender's "
                "Python; Add Surface needs nothing."
            )
        settings, self._name = getattr(obj, SETTINGS), obj.name_full
        self._rate = scene.render.fps / scene.render.fps_base
        self._meshes = cache.FineMeshes(baked_folder(obj), settings.surface_cell, settings.surface_smoothing)
        self.warnings: list[str] = []
        self._paused = False
        try:
            self._frames = cache.points_frames(self._meshes.points)
            self._missing = [frame for frame in self._frames if not self._meshes.has(frame)]
        except OSError as error:
            raise BakeError(f"The points of {self._name} cannot be read ({error}); bake again.") from error
        if not self._frames:
            raise BakeError(f"{self._meshes.points} has no frames; bake again.")
        self.total = len(self._frames)
        self.progress = self._progress_at(self.total - len(self._missing), 0.0)

    @property
    def left(self) -> str:
        """The sentence for a stopped job: which meshes are kept."""
        done = self.progress.done
        kept = f"{done} of {self.total} meshes are kept, Bake Finer Surface goes on" if done else "no mesh is kept"
        return f"Stopped; {kept}. The surface shows what it showed before."

    def run(self, patience: float = 0.04) -> Generator[Progress, None, None]:
        """Make the missing meshes in slices; closing the generator stops at once and keeps finished meshes.

        Args:
            patience: longest time [s] a slice waits.

        Raises:
            BakeError, CaptureError: one sentence; finished meshes are kept, and the surface is unchanged.
        """
        refuse_a_second_bake()
        self._publish()
        maker = None
        try:
            yield self.progress
            if self._missing:
                maker = cache.MeshMaker(self._meshes)
                yield from self._make(maker, patience)
            self._show()
        except BakeError:
            raise
        except OSError as error:
            raise self._sentence(error) from error
        finally:
            if maker is not None:
                maker.close()
            state.publish(None)

    def _make(self, maker: cache.MeshMaker, patience: float) -> Generator[Progress, None, None]:
        pace = Pace(self.progress.done, time.monotonic())
        for frame in self._missing:
            yield from self._wait_while_paused(pace)
            maker.ask(frame)
            while not maker.is_done(patience):
                yield self.progress
            done = self.progress.done + 1
            self.progress = self._progress_at(done, pace.rate(done, time.monotonic()))
            self._publish()
            yield self.progress

    def _wait_while_paused(self, pace: Pace) -> Generator[Progress, None, None]:
        while state.pause_asked():
            if not self._paused:
                self._paused = True
                pace.pause(time.monotonic())
                self._publish()
            yield self.progress
        if self._paused:
            self._paused = False
            pace.resume(time.monotonic())
            self._publish()

    def _show(self) -> None:
        """Let the object play the meshes; raises CaptureError if it was deleted or renamed meanwhile."""
        obj = baked_object(self._name)
        show_finer(obj, path_in_blend(self._meshes.folder) + "/", self._frames, self._rate)
        self._meshes.replace_others()
        for scene in obj.users_scene:
            scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)

    def _publish(self) -> None:
        state.publish(JobView(Phase.BAKING, self.progress, self._paused))

    def _progress_at(self, done: int, rate: float) -> Progress:
        message = f"Surface of {done} of {self.total} frames."
        return Progress(self._frames[0] + done - 1, done, self.total, message, rate)

    def _sentence(self, error: OSError) -> BakeError:
        """The error for the artist: what failed, what is kept, and what to do."""
        folder, done = self._meshes.folder, self.progress.done
        kept = f"{done} of {self.total} meshes are kept"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return BakeError(f"The disk of {folder} is full; {kept}. Make room and bake the finer surface again.")
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.EEXIST, errno.ENOTDIR):
            return BakeError(f"{folder} cannot be written; make it writable, or bake with another Cache Folder.")
        if error.errno == errno.ENOENT:
            return BakeError(f"Points of {self._name} are gone from {self._meshes.points}; bake again.")
        message = str(error) if error.errno is None else f"{folder} failed: {error.strerror}"
        return BakeError(f"{message}; {kept}. Bake the finer surface again.")
