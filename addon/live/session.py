"""A live session: the scene as it stands goes to the solver again and again, what comes back is shown.

It needs no window: somebody calls `tick` now and then, and passes on what the mouse does.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...engine import EngineError, Frame
from ..bake import state as bake_state
from ..capture import Captured, CaptureError, capture_world, controls_now, local_matrices
from ..capture.controls import baked_object, depsgraph_of
from ..capture.mesh import transform
from ..names import SETTINGS
from ..paths import kernel_cache_folder
from ..solver.spheres import Spheres
from ..solver.thread import Failed, Message, Ready, Solved, SolverEvent, Warned
from ..write.pose import keep_pose, move_to, refuse_moved, refuse_pose
from . import state
from .changes import signature
from .children import left_behind
from .errors import LiveError
from .grabbing import Hold, hold_at
from .live_preview import LivePreview
from .recording import Recording, as_kept, as_shown, fits
from .solver import LiveSolver

if TYPE_CHECKING:
    from ...engine.systems.spring_graph.links import BodySprings

# Settings are compared this often; a change is still at once for whoever moves a slider.
_LOOK_SECONDS = 0.1


class LiveSession:
    """One run of the scene in real time.

    Attributes:
        playing: whether time runs.
        ready: whether the first frame may come.
        message: what takes long or stands in the way, empty when all is well.
        warnings: sentences for the artist that nobody has read yet; note: one that holds all the time, or nothing.
        frame: the last one shown, None before the first.
        hold: what the mouse holds, None for nothing.
    """

    def __init__(self, scene: bpy.types.Scene) -> None:
        """Capture the scene and let the solver start.

        Raises:
            CaptureError, EngineError, LiveError: one sentence; nothing has changed then.
        """
        if bake_state.current() is not None:
            raise LiveError("A bake is running; wait for it or stop it with Esc.")
        if state.current() is not None:
            raise LiveError("Live is running already; stop it first.")
        self._scene_name = scene.name
        self.playing, self.ready, self.message = True, False, "Reading the scene."
        self.frame: Frame | None = None
        self.hold: Hold | None = None
        self._signature, self._looked_at = signature(scene), time.monotonic()
        self._captured = capture_world(scene, depsgraph_of(scene), by_hand=True)
        self.warnings = list(self._captured.warnings)
        self.note = left_behind(scene)
        self._matrices = local_matrices(self._captured, scene)
        self._tape, self._show, self._refused = Recording(), LivePreview(), False
        try:
            self._show.begin(self._captured.bodies)
        except BaseException:
            self._show.end()
            raise
        self._solver = LiveSolver(self._captured.spec, kernel_cache_folder())
        self._solver.play()
        self._solver.start()
        state.publish(self)

    @property
    def scene(self) -> bpy.types.Scene:
        """The scene, by name so that an undo does no harm."""
        scene = bpy.data.scenes.get((self._scene_name, None))
        if scene is None:
            raise LiveError(f"The scene {self._scene_name} was deleted or renamed; Live has stopped.")
        return scene

    @property
    def speed(self) -> float:
        """Solved seconds for each real one, 0 while nothing runs."""
        return self._solver.speed

    @property
    def captured(self) -> Captured:
        """The scene as it was taken last."""
        return self._captured

    @property
    def spheres(self) -> dict[str, Spheres]:
        """What others touch of those bodies that have spheres, by name."""
        return self._solver.spheres

    @property
    def springs(self) -> dict[str, BodySprings]:
        """Springs of soft bodies as the solver has them, by name; empty until it has looked."""
        self._solver.find_springs()
        return self._solver.springs

    @property
    def recorded(self) -> int:
        """Frames since the start, which `bake` would keep."""
        return len(self._tape.frames)

    def tick(self) -> bool:
        """Show what is new and tell the solver what has moved; returns whether there was a new frame.

        Raises:
            LiveError, EngineError: the session cannot go on; the caller ends it.
        """
        scene = self.scene
        newest = self._hear()
        looks = time.monotonic() - self._looked_at > _LOOK_SECONDS
        if looks:
            self._look(scene)
        if self._refused:
            return False
        if newest is not None and not fits(newest, self._captured):
            newest = None
        if newest is None and not looks:
            self._move_hand(scene)
            return False
        try:
            self._matrices = local_matrices(self._captured, scene)
            if newest is not None:
                self._show.write(as_shown(newest, self._captured), self._matrices)
                self.frame = newest
            self._solver.controls = controls_now(self._captured, scene)
            self._move_hand(scene)
        except CaptureError as error:
            # Most often an object is gone; the next look takes the scene without it.
            self._refuse(str(error))
            return False
        return newest is not None

    def play(self) -> None:
        """Let time run."""
        self.playing = True
        if not self._refused:
            self._solver.play()

    def pause(self) -> None:
        """Let time stand still."""
        self.playing = False
        self._solver.pause()

    def step(self) -> None:
        """Solve one frame and stand still."""
        self.playing = False
        self._solver.step_once()

    def reset(self) -> None:
        """Everything back to where it started."""
        self.release()
        self._solver.reset()
        self._tape.clear()
        self.frame = None
        self._show.begin(self._captured.bodies)
        self._show.tag()

    def take(self, origin: np.ndarray, direction: np.ndarray, perspective: bool) -> bool:
        """Take hold of what a ray meets first, (3,) each in world space; returns whether there was anything."""
        self.hold = hold_at(self._captured, self._solver.masses, self.frame, origin, direction, perspective)
        return self.hold is not None

    def drag(self, target: np.ndarray) -> None:
        """The hand goes to a point (3,) [m]."""
        if self.hold is not None:
            self.hold.target = np.asarray(target, dtype=np.float64)

    def release(self) -> None:
        """Let go."""
        self.hold = None

    def bake(self) -> tuple[int, int]:
        """Turn all that happened since the start into the bake; returns its first and last frame.

        Raises:
            LiveError: nothing has happened yet. CaptureError, BakeError, OSError: as a bake.
        """
        if not self.recorded:
            raise LiveError("Nothing has moved yet; let Live run for a while, then record.")
        return self._tape.bake(self.scene, self._captured)

    def keep(self) -> None:
        """Turn what is shown into the pose in which all bodies start; springs stay at rest where they were.

        Raises:
            LiveError: nothing has moved yet. CaptureError: a mesh cannot take it; then none has changed.
        """
        if self.frame is None:
            raise LiveError("Nothing has moved yet; let Live run for a while, then keep.")
        # Where a fluid's particles are is no pose of the mesh that it fills.
        objects = {body.name: baked_object(body.name) for body in self._captured.bodies if not body.varies}
        rigid = {body.name: body.rigid for body in self._captured.bodies if body.rigid is not None}
        for name, obj in objects.items():
            refuse_moved(obj) if name in rigid else refuse_pose(obj)
        for name, obj in objects.items():
            if name in rigid:
                move_to(obj, self.frame.transforms[name] @ rigid[name].stretch)
            else:
                keep_pose(obj, transform(self._matrices[name], self.frame.positions[name]))
        # What lies before the session's own modifier has changed: the scene is taken again.
        self._take_over(capture_world(self.scene, depsgraph_of(self.scene), by_hand=True))
        self.reset()

    def hide(self) -> None:
        """For a moment, as while the file is saved, nothing of the session is in the scene."""
        self._show.detach()

    def show_again(self) -> None:
        """After `hide`."""
        self._show.attach()

    def end(self) -> None:
        """Stop and leave the scene as it was; may be called twice."""
        self._solver.cancel()
        self._show.end()
        self.ready = False
        if state.current() is self:
            state.publish(None)

    def _hear(self) -> Frame | None:
        """Take all that the solver has to tell; the newest frame, if there is one."""
        newest = None
        while (event := self._solver.receive(0.0)) is not None:
            newest = self._take_event(event) or newest
        return newest

    def _take_event(self, event: SolverEvent) -> Frame | None:
        if isinstance(event, Failed):
            raise event.error
        if isinstance(event, Message):
            self.message = event.text
        elif isinstance(event, Warned):
            self.warnings.append(event.text)
        elif isinstance(event, Ready):
            self.ready, self.message = True, ""
            self._tape.note_start(event.frame, self._captured)
        elif isinstance(event, Solved) and fits(event.frame, self._captured):
            # Until the solver hears of other bodies it still brings the old ones.
            self._tape.add(*as_kept(event.frame, self._captured, self._matrices))
            return event.frame
        return None

    def _look(self, scene: bpy.types.Scene) -> None:
        """Compare settings, and take the scene again when they are others."""
        self._looked_at = time.monotonic()
        self.note = left_behind(scene)
        found = signature(scene)
        if found == self._signature and not self._refused:
            return
        self._signature = found
        try:
            captured = capture_world(scene, depsgraph_of(scene), by_hand=True)
        except (CaptureError, EngineError) as error:
            self._refuse(str(error))
            return
        self._take_over(captured)

    def _take_over(self, captured: Captured) -> None:
        before = {(body.name, body.points) for body in self._captured.bodies}
        self.warnings += [text for text in captured.warnings if text not in self._captured.warnings]
        self._captured = captured
        if {(body.name, body.points) for body in captured.bodies} != before:
            self.release()
            self.frame = None
            self._tape.clear()
            self._show.begin(captured.bodies)
        self._solver.change(captured.spec)
        if self._refused:
            self._refused, self.message = False, ""
            if self.playing:
                self._solver.play()

    def _refuse(self, reason: str) -> None:
        """The scene cannot be solved as it is now: stand still until it can."""
        self.message, self._refused = reason, True
        self.release()
        self._solver.pause()

    def _move_hand(self, scene: bpy.types.Scene) -> None:
        """The mouse moves more often than frames come."""
        grab = self.hold and self.hold.grab(getattr(scene, SETTINGS).grab_strength)
        self._solver.controls = replace(self._solver.controls, grab=grab)
