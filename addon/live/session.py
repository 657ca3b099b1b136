"""A live session: captures the scene repeatedly for the solver, and displays its frames.

It needs no window: the caller calls `tick` repeatedly and forwards mouse input.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...engine import Controls, EngineError, Frame
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
from .lure import Lure, lure_at
from .recording import Recording, as_kept, as_shown, fits
from .solver import LiveSolver

if TYPE_CHECKING:
    from ...engine.systems.spring_graph.links import BodySprings

# Interval between comparisons of settings [s]; short enough that a slider responds at once.
_COMPARE_SECONDS = 0.1


class LiveSession:
    """One run of the scene in real time.

    Attributes:
        playing: whether the simulation runs.
        ready: whether the world is built, so that frames can be solved.
        message: what delays or prevents solving, "" otherwise.
        refused: whether the scene cannot be solved in its present state.
        warnings: unread sentences for the artist; note: a sentence to display all the time, or "".
        frame: the last displayed frame, None before the first.
        hold: the grab by the mouse, or the lure that calls flocks; None for neither.
    """

    def __init__(self, scene: bpy.types.Scene) -> None:
        """Capture the scene and start the solver.

        Raises:
            CaptureError, EngineError, LiveError: one sentence; then nothing has changed.
        """
        if bake_state.current() is not None:
            raise LiveError("A bake is running; wait for it or stop it with Esc.")
        if state.current() is not None:
            raise LiveError("Live is running already; stop it first.")
        self._scene_name = scene.name
        self.playing, self.ready, self.message = True, False, "Reading the scene."
        self.frame: Frame | None = None
        self.hold: Hold | Lure | None = None
        self._signature, self._compared_at, self._controls = signature(scene), time.monotonic(), Controls()
        self._captured = capture_world(scene, depsgraph_of(scene), by_hand=True)
        self.warnings = list(self._captured.warnings)
        self.note = left_behind(scene)
        self._matrices = local_matrices(self._captured, scene)
        self._recording, self._preview, self.refused = Recording(), LivePreview(), False
        try:
            self._preview.begin(self._captured.bodies)
        except BaseException:
            self._preview.end()
            raise
        self._solver = LiveSolver(self._captured.spec, kernel_cache_folder())
        self._solver.play()
        self._solver.start()
        state.publish(self)

    @property
    def scene(self) -> bpy.types.Scene:
        """The scene, looked up by name, because an undo invalidates references."""
        scene = bpy.data.scenes.get((self._scene_name, None))
        if scene is None:
            raise LiveError(f"The scene {self._scene_name} was deleted or renamed; Live has stopped.")
        return scene

    @property
    def speed(self) -> float:
        """Solved seconds per real second, 0 while nothing runs."""
        return self._solver.speed

    @property
    def captured(self) -> Captured:
        """The last capture of the scene."""
        return self._captured

    @property
    def spheres(self) -> dict[str, Spheres]:
        """Proxy spheres by body name."""
        return self._solver.spheres

    @property
    def springs(self) -> dict[str, BodySprings]:
        """Springs of soft bodies in the solver, by name; empty until the solver has reported them."""
        self._solver.find_springs()
        return self._solver.springs

    @property
    def recorded(self) -> int:
        """Number of frames since the start, which `bake` would write."""
        return len(self._recording.frames)

    def tick(self) -> bool:
        """Display the newest frame and send changed input to the solver; returns whether there was a new frame.

        Raises:
            LiveError, EngineError: the session cannot continue; the caller ends it.
        """
        scene = self.scene
        newest = self._receive_events()
        compares = time.monotonic() - self._compared_at > _COMPARE_SECONDS
        if compares:
            self._compare_settings(scene)
        if self.refused:
            return False
        newest = newest if newest is not None and fits(newest, self._captured) else None
        if newest is None and not compares:
            self._move_hand(scene)
            return False
        try:
            self._matrices = local_matrices(self._captured, scene)
            if newest is not None:
                self._preview.write(as_shown(newest, self._captured), self._matrices)
                self.frame = newest
            self._controls = controls_now(self._captured, scene)
            self._move_hand(scene)
        except CaptureError as error:
            # Usually an object is gone; the next comparison captures the scene without it.
            self._refuse(str(error))
            return False
        return newest is not None

    def play(self) -> None:
        """Run the simulation."""
        self.playing = True
        if not self.refused:
            self._solver.play()

    def pause(self) -> None:
        """Pause the simulation."""
        self.playing = False
        self._solver.pause()

    def step(self) -> None:
        """Solve one frame, then pause."""
        self.playing = False
        self._solver.step_once()

    def reset(self) -> None:
        """Reset everything to the start."""
        self.release()
        self._solver.reset()
        self._recording.clear()
        self.frame = None
        self._preview.begin(self._captured.bodies)
        self._preview.tag()

    def take(self, origin: np.ndarray, direction: np.ndarray, perspective: bool, frightens: bool = False) -> bool:
        """Grab the first body on a ray, (3,) each in world space, or call flocks; returns whether there was one."""
        held = hold_at(self._captured, self._solver.masses, self.frame, origin, direction, perspective)
        self.hold = held or lure_at(self._captured, self.frame, origin, direction, frightens)
        return self.hold is not None

    def drag(self, target: np.ndarray) -> None:
        """Move the hand to a point (3,) [m]."""
        if self.hold is not None:
            self.hold.target = np.asarray(target, dtype=np.float64)

    def release(self) -> None:
        """Release the grab."""
        self.hold = None

    def bake(self) -> tuple[int, int]:
        """Write all frames since the start as the scene's bake; returns its first and last frame.

        Raises:
            LiveError: nothing has moved yet. CaptureError, BakeError, OSError: as for a bake.
        """
        if not self.recorded:
            raise LiveError("Nothing has moved yet; let Live run for a while, then record.")
        return self._recording.bake(self.scene, self._captured)

    def keep(self) -> None:
        """Make the displayed state the initial state of all bodies; rest lengths of springs stay.

        Raises:
            LiveError: nothing has moved yet. CaptureError: a mesh cannot store it; then none has changed.
        """
        if self.frame is None:
            raise LiveError("Nothing has moved yet; let Live run for a while, then keep.")
        # Particles of a fluid define no pose of the mesh that it fills.
        objects = {body.name: baked_object(body.name) for body in self._captured.bodies if not body.varies}
        rigid = {body.name: body.rigid for body in self._captured.bodies if body.rigid is not None}
        for name, obj in objects.items():
            refuse_moved(obj) if name in rigid else refuse_pose(obj)
        for name, obj in objects.items():
            if name in rigid:
                move_to(obj, self.frame.transforms[name] @ rigid[name].stretch)
            else:
                keep_pose(obj, transform(self._matrices[name], self.frame.positions[name]))
        # The meshes before the session's modifier have changed, so capture the scene again.
        self._adopt(capture_world(self.scene, depsgraph_of(self.scene), by_hand=True))
        self.reset()

    def hide(self) -> None:
        """Remove the session's modifiers temporarily, for example during a save."""
        self._preview.detach()

    def show_again(self) -> None:
        """Add the session's modifiers again."""
        self._preview.attach()

    def end(self) -> None:
        """Stop and restore the scene; may be called twice."""
        self._solver.cancel()
        self._preview.end()
        self.ready = False
        if state.current() is self:
            state.publish(None)

    def _receive_events(self) -> Frame | None:
        """Process all events of the solver; returns the newest frame, if any."""
        newest = None
        while (event := self._solver.receive(0.0)) is not None:
            newest = self._handle_event(event) or newest
        return newest

    def _handle_event(self, event: SolverEvent) -> Frame | None:
        if isinstance(event, Failed):
            raise event.error
        if isinstance(event, Message):
            self.message = event.text
        elif isinstance(event, Warned):
            self.warnings.append(event.text)
        elif isinstance(event, Ready):
            self.ready, self.message = True, ""
            self._recording.note_start(event.frame, self._captured)
        elif isinstance(event, Solved) and fits(event.frame, self._captured):
            # The solver may still deliver frames of bodies from before a change, which do not fit.
            if not self.refused:
                self.message = ""
            self._recording.add(*as_kept(event.frame, self._captured, self._matrices))
            return event.frame
        return None

    def _compare_settings(self, scene: bpy.types.Scene) -> None:
        """Compare settings, and capture the scene again if they changed."""
        self._compared_at = time.monotonic()
        self.note = left_behind(scene)
        found = signature(scene)
        if found == self._signature and not self.refused:
            return
        self._signature = found
        try:
            captured = capture_world(scene, depsgraph_of(scene), by_hand=True)
        except (CaptureError, EngineError) as error:
            self._refuse(str(error))
            return
        self._adopt(captured)

    def _adopt(self, captured: Captured) -> None:
        before = {(body.name, body.points) for body in self._captured.bodies}
        self.warnings += [text for text in captured.warnings if text not in self._captured.warnings]
        self._captured = captured
        if {(body.name, body.points) for body in captured.bodies} != before:
            self.release()
            self.frame = None
            self._recording.clear()
            self._preview.begin(captured.bodies)
        self._solver.change(captured.spec)
        if self.refused:
            self.refused, self.message = False, ""
            if self.playing:
                self._solver.play()

    def _refuse(self, reason: str) -> None:
        """Pause because the scene cannot be solved in its present state."""
        self.message, self.refused = reason, True
        self.release()
        self._solver.pause()

    def _move_hand(self, scene: bpy.types.Scene) -> None:
        """Update the mouse input of the solver; the mouse moves more often than frames arrive."""
        strength = getattr(scene, SETTINGS).grab_strength
        self._solver.controls = self.hold.move(self._controls, strength) if self.hold else self._controls
