"""Why a button is grey: the reasons that several operators share."""

from __future__ import annotations

import bpy

from ..bake import state
from ..live import state as live_state


def is_grey(operator: type[bpy.types.Operator], *reasons: str | None) -> bool:
    """Whether there is a reason, for `poll`; the first one is shown where the mouse rests on the button."""
    found = next((reason for reason in reasons if reason is not None), None)
    if found is not None:
        operator.poll_message_set(found)
    return found is not None


def baking() -> str | None:
    """A bake must not have its scene changed under its feet."""
    return "A bake is running; wait for it or stop it with Esc" if state.current() is not None else None


def live_running() -> str | None:
    """One solver at a time."""
    return "Live is running; stop it with Esc" if live_state.current() is not None else None


def linked_scene(context: bpy.types.Context) -> str | None:
    """The lists of a scene can be changed in its own file only."""
    if context.scene is None or context.scene.library is not None:
        return "The scene is linked from another file; make it local first"
    return None
