"""A substitute for a context with a window, which tests do not have, and for its events."""

from __future__ import annotations

from types import SimpleNamespace

import bpy

TIMER, ESC = SimpleNamespace(type="TIMER", value="NOTHING"), SimpleNamespace(type="ESC", value="PRESS")


class Window:
    """A context with a window."""

    def __init__(self, scene: bpy.types.Scene) -> None:
        self.scene, self.window, self.windows = scene, None, ()
        self.window_manager = self.workspace = self
        self.object = bpy.context.object
        self.timers: list[object] = []
        self.status: str | None = None

    def event_timer_add(self, _seconds: float, window: object) -> object:
        self.timers.append(window)
        return window

    def event_timer_remove(self, timer: object) -> None:
        self.timers.remove(timer)

    def status_text_set(self, text: str | None) -> None:
        self.status = text

    def progress_begin(self, *_ends: int) -> None: ...

    def progress_update(self, _done: int) -> None: ...

    def progress_end(self) -> None: ...

    def modal_handler_add(self, _operator: object) -> None: ...
