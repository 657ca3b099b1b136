"""The bake as a generator: it runs on the main thread in slices, while a worker thread solves."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from contextlib import closing

import bpy

from ..capture import Captured, capture_world
from ..capture.controls import baked_object, depsgraph_of
from ..capture.things import Things, things_of
from ..names import SETTINGS
from ..paths import cache_folder, kernel_cache_folder
from ..properties.scene import bake_range
from ..solver.frame_watch import FrameWatch
from ..solver.thread import Failed, Message, Ready, Solved, SolverEvent, Warned
from ..write import Kept
from . import expense, on_disk, said, state
from .connect import refuse_body, weight_warnings
from .copies import unbake_copies
from .errors import BakeError, disk_error, refuse_a_second_bake
from .files import BakeFiles, kept_of
from .frame_source import FrameSource
from .pace import Pace
from .playback import Playback
from .records import with_extent
from .state import Event, JobView, Phase, Progress
from .visit import visit
from .worker import Worker


class BakeJob:
    """One bake of a scene.

    Attributes:
        warnings: sentences about the scene, after the first slice.
        phase: state of the job.
        progress: of the job.
        files: of the bake, after the first slice.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        objects: Iterable[bpy.types.Object] | None = None,
        frame_start: int | None = None,
        frame_end: int | None = None,
        resume: bool = False,
    ) -> None:
        """Args default to the scene's Flotsam settings and to all its bodies.

        Raises:
            BakeError: the range ends before it starts, or another bake is running.
        """
        refuse_a_second_bake()
        start, end = bake_range(getattr(scene, SETTINGS))
        self.frame_start = start if frame_start is None else frame_start
        self.frame_end = end if frame_end is None else frame_end
        if self.frame_end < self.frame_start:
            raise BakeError(
                f"The bake ends at frame {self.frame_end}, before its start at frame {self.frame_start}; "
                "set an end at or after the start."
            )
        self._scene_name, self._resume = scene.name, resume
        self._objects = None if objects is None else [obj.name for obj in objects]
        self.warnings: list[str] = []
        self.phase = Phase.PREPARING
        self.progress = self._progress_at(0, "Reading the scene.", 0.0)
        self.files: BakeFiles | None = None
        self._source: FrameSource | None = None
        self._playback: Playback | None = None
        self._start: dict[str, Kept] | None = None
        self._pace: Pace | None = None
        self._paused, self._watch = False, FrameWatch()

    @property
    def scene(self) -> bpy.types.Scene:
        """The scene, looked up by name, because an undo invalidates references."""
        scene = bpy.data.scenes.get((self._scene_name, None))
        if scene is None:
            raise BakeError(f"The scene {self._scene_name} was deleted or renamed during the bake; bake again.")
        return scene

    @property
    def total(self) -> int:
        """Frames of the bake, the start included."""
        return self.frame_end - self.frame_start + 1

    def cancel(self) -> None:
        """End the job at the next slice; finished frames are kept."""
        self._change(Event.CANCEL)

    def run(self, patience: float = 0.04) -> Generator[Progress, None, None]:
        """Run the bake in slices; closing the generator stops it and keeps finished frames.

        Args:
            patience: longest time [s] a slice waits for the worker.

        Raises:
            CaptureError, EngineError, BakeError: one sentence each; finished frames are kept.
        """
        refuse_a_second_bake()
        self._publish()
        try:
            yield self.progress
            with closing(self._bake(patience)) as slices:
                yield from slices
        except GeneratorExit:
            self._change(Event.CANCEL)
            raise
        except OSError as error:
            self._change(Event.ERROR)
            kept = None if self.files is None else self.files.close_for(error)
            raise kept or disk_error(error, cache_folder(self.scene)) from error
        except MemoryError as error:
            self._change(Event.ERROR)
            raise BakeError("There is not enough memory for this bake; give the bodies fewer vertices.") from error
        except BaseException:
            self._change(Event.ERROR)
            raise
        finally:
            state.publish(None)
            self._close()
            said.remember(self._scene_name, self.warnings)

    def _bake(self, patience: float) -> Generator[Progress, None, None]:
        captured, things = self._capture()
        # Reading and hashing a million triangles takes a tenth of a second each, so this is a slice of its own.
        yield self.progress
        files = BakeFiles(cache_folder(self.scene), captured, self.frame_end, things)
        self._source = FrameSource(captured, self.frame_start, self.total)
        resumed = self._resume and files.resume(on_disk.folder_to_resume(self.scene))
        if resumed:
            yield from self._retrace(files, patience)
        self.files, self._playback = files, Playback(files)
        if resumed:
            self._playback.begin(self.scene)
            self.progress = self._progress_at(files.finished, self.progress.message, 0.0)
        elif self.total == 1:
            self._begin()
        if files.finished >= self.total:
            self._finish()
            yield self.progress
            return
        worker = Worker(captured.spec, kernel_cache_folder(), files.state_file if resumed else None)
        worker.start()
        try:
            while state.is_running(self.phase):
                self._slice(worker, time.monotonic() + patience)
                yield self.progress
        finally:
            worker.cancel()

    def _retrace(self, files: BakeFiles, patience: float) -> Generator[Progress, None, None]:
        """Recompute the trail of the finished frames, and compare it with the saved one."""
        self.progress = self._progress_at(0, "Looking whether finished frames still fit.", 0.0)
        for _step in self._source.retrace(self.scene, files.index.resumable, patience):
            yield self.progress
        files.refuse_other_trail(self._source.trail)
        for _step in files.bring_over():
            yield self.progress
        self.progress = self._progress_at(files.finished, "Going on.", 0.0)

    def _capture(self) -> tuple[Captured, Things]:
        unbake_copies()
        scene = self.scene
        objects = None if self._objects is None else [baked_object(name) for name in self._objects]
        with visit(scene, [obj for obj in scene.objects if obj.library is None]):
            # Set the frame even if it is the current one: this returns an object that was moved to its keyframes.
            scene.frame_set(self.frame_start)
            captured = capture_world(scene, depsgraph_of(scene), objects)
            things = things_of(scene, depsgraph_of(scene), self._objects)
        for body in captured.bodies:
            refuse_body(baked_object(body.name), body)
        self.warnings += captured.warnings
        if not bpy.data.filepath:
            self.warnings.append(
                f"The .blend was not saved when it was baked, so the bake lies in {cache_folder(scene)}; "
                "save the file and bake again to keep both together."
            )
        return captured, with_extent(things, self._objects is None)

    def _slice(self, worker: Worker, until: float) -> None:
        """Send frames to the worker and write its results, until a point in time."""
        self._pause_if_asked(worker)
        while state.is_running(self.phase):
            sent = self.phase is Phase.BAKING and not self._paused and self._source.send_frames(
                worker, self.scene, self.files.finished, until
            )
            event = worker.receive(0.0 if sent else max(until - time.monotonic(), 0.0))
            if event is not None:
                self._handle(event)
            if time.monotonic() >= until:
                break
        worker.adapt_interval(self.files.save_seconds)
        if self.files.begun:
            self._playback.refresh()

    def _handle(self, event: SolverEvent) -> None:
        if isinstance(event, Failed):
            raise event.error
        if isinstance(event, Message):
            self.progress = self._progress_at(self.progress.done, event.text, 0.0)
        elif isinstance(event, Warned):
            self.warnings.append(event.text)
        elif isinstance(event, Ready):
            self._change(Event.READY)
            self._start = kept_of(event.frame, self.files.captured)
            self._pace = Pace(max(self.files.finished, 1), time.monotonic())
            self.progress = self._progress_at(self.progress.done, "Solving the first frame.", 0.0)
        else:
            self._write(event)
        self._publish()

    def _pause_if_asked(self, worker: Worker) -> None:
        """Pause or continue on request; the frame being solved is still written."""
        if state.pause_asked() == self._paused or self._pace is None:
            return
        self._paused = state.pause_asked()
        worker.pause(self._paused)
        (self._pace.pause if self._paused else self._pace.resume)(time.monotonic())
        self._publish()

    def _publish(self) -> None:
        state.publish(JobView(self.phase, self.progress, self._paused))

    def _write(self, solved: Solved) -> None:
        """Write a frame; the first one replaces the previous bake."""
        if not self.files.begun:
            self._begin()
            self.warnings += weight_warnings(solved.frame)
        matrices, trail = self._source.take_matrices(self.files.finished)
        self.files.append(kept_of(solved.frame, self.files.captured), matrices)
        done = self.files.finished
        self._watch.note(solved.frame, self.frame_start + done - 1)
        rate = self._pace.rate(done, time.monotonic())
        if solved.snapshot is not None:
            mean = self._pace.mean_rate(done, time.monotonic())
            self.files.keep(solved.snapshot, trail, 1.0 / mean if mean > 0.0 else 0.0)
        self.progress = self._progress_at(done, f"Frame {done} of {self.total}.", rate)
        if done >= self.total:
            self._finish()

    def _begin(self) -> None:
        self.files.begin(self._start)
        self._playback.begin(self.scene)

    def _finish(self) -> None:
        self._change(Event.LAST_FRAME)
        self.warnings += self._watch.warnings()
        self.progress = self._progress_at(self.total, f"Baked {self.total} frames.", self.progress.rate)
        if self._pace is not None:
            expense.note_rate(self._scene_name, self.files.captured, self._pace.mean_rate(self.total, time.monotonic()))

    def _change(self, event: Event) -> None:
        self.phase = state.next_phase(self.phase, event)

    def _progress_at(self, done: int, message: str, rate: float) -> Progress:
        return Progress(self.frame_start + done - 1, done, self.total, message, rate)

    def _close(self) -> None:
        """Close the files, and let bodies play what was baked."""
        if self.files is None:
            return
        if (sentence := self.files.close_or_why()) is not None:
            self.warnings.append(sentence)
        scene = bpy.data.scenes.get((self._scene_name, None))
        if scene is None or not self.files.begun:
            return
        try:
            self._playback.end(scene)
        except OSError:
            # If files were deleted during the bake, the error was reported already.
            if self.phase is not Phase.FAILED:
                raise
        # New keyframes take effect only when the frame is set again.
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)


def bake_blocking(
    scene: bpy.types.Scene,
    objects: Iterable[bpy.types.Object] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    frame_start: int | None = None,
    frame_end: int | None = None,
    resume: bool = False,
) -> BakeJob:
    """Bake and return when it is done; returns the job with its warnings and files.

    Raises:
        CaptureError, EngineError, BakeError: one sentence each; finished frames are kept.
    """
    job = BakeJob(scene, objects, frame_start, frame_end, resume)
    with closing(job.run()) as slices:
        for progress in slices:
            if on_progress is not None:
                on_progress(progress)
    return job
