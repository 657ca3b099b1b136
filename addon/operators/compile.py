"""`flotsam.compile`: compiles the solver now; starts by itself when a file contains a body of Flotsam."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...engine import kernels_ahead
from ...engine.spec import KINDS, OUTSIDE_KINDS
from ..names import OP_COMPILE
from ..paths import PACKAGE, kernel_cache_folder
from ..properties.kinds import is_body, spec_class_of, values_of
from ..solver import ahead
from .poll_reasons import baking, is_grey, live_running

# Interval between scans of the scenes, and between redraws of panels during compilation [s].
_LOOK_SECONDS, _DRAW_SECONDS = 2.0, 0.5
_looked_at = 0.0


class FLOTSAM_OT_compile(bpy.types.Operator):
    """Compile the solver for this machine now, in the background, so that nobody waits for it later"""

    bl_idname = OP_COMPILE
    bl_label = "Compile Solver"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Not while the solver is compiled or runs."""
        at_work = "It is being compiled" if ahead.running() is not None else None
        return not is_grey(cls, at_work, baking(), live_running())

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Compile for all kinds, or report that there is nothing to do."""
        if begin(kernels_ahead((kind, None) for kind in (*KINDS.values(), *OUTSIDE_KINDS.values()))):
            self.report({"INFO"}, "The solver is being compiled in the background; go on working.")
        else:
            self.report({"INFO"}, "The solver is compiled already.")
        return {"FINISHED"}


class FLOTSAM_preferences(bpy.types.AddonPreferences):
    """Flotsam in the preferences."""

    bl_idname = PACKAGE

    compile_ahead: bpy.props.BoolProperty(
        name="Compile Ahead", default=True,
        description="Compile the solver in the background as soon as a file has a body of Flotsam, at the lowest "
        "priority, once after each install or update",
    )

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw the switch, the button, and the progress."""
        self.layout.prop(self, "compile_ahead")
        self.layout.operator(OP_COMPILE, icon="TIME")
        sentence = ahead.running()
        if sentence is not None:
            self.layout.label(text=sentence, icon="TIME")


def begin(kernels: Sequence[str]) -> bool:
    """Compile in the background and redraw the progress; returns whether there was anything to compile."""
    begun = ahead.begin(kernels, kernel_cache_folder())
    if begun and not bpy.app.timers.is_registered(_draw_again):
        bpy.app.timers.register(_draw_again, first_interval=_DRAW_SECONDS)
    return begun


def kernels_for(scene: bpy.types.Scene) -> tuple[str, ...]:
    """The sets of kernels that the bodies of a scene need; none without bodies."""
    if not any(is_body(obj) for obj in scene.objects):
        return ()
    return kernels_ahead((kind, values_of(obj)) for obj in scene.objects if (kind := spec_class_of(obj)) is not None)


def _draw_again() -> float | None:
    """Redraw the panels with the progress, once more after the end."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in ("VIEW_3D", "PROPERTIES", "PREFERENCES"):
                area.tag_redraw()
    return _DRAW_SECONDS if ahead.running() is not None else None


def _is_enabled() -> bool:
    addon = bpy.context.preferences.addons.get(PACKAGE)
    return addon is None or addon.preferences is None or addon.preferences.compile_ahead


@persistent
def _look(*_what: Any) -> None:
    """Start compiling if the file contains a body; not while a solver runs, which compiles what it needs itself."""
    global _looked_at
    now = time.monotonic()
    if now - _looked_at < _LOOK_SECONDS:
        return
    _looked_at = now
    scene = bpy.context.scene
    if scene is None or baking() is not None or live_running() is not None or not _is_enabled():
        return
    kernels = kernels_for(scene)
    if kernels:
        begin(kernels)


CLASSES = (FLOTSAM_OT_compile, FLOTSAM_preferences)


def register() -> None:
    """Start to scan for bodies, in interactive sessions."""
    if not bpy.app.background:
        bpy.app.handlers.depsgraph_update_post.append(_look)
        bpy.app.handlers.load_post.append(_look)


def unregister() -> None:
    """Stop scanning and compiling."""
    for handlers in (bpy.app.handlers.depsgraph_update_post, bpy.app.handlers.load_post):
        if _look in handlers:
            handlers.remove(_look)
    if bpy.app.timers.is_registered(_draw_again):
        bpy.app.timers.unregister(_draw_again)
    ahead.stop()
