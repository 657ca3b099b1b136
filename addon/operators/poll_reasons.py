"""Reasons for disabled buttons, shared by several operators."""

from __future__ import annotations

import bpy

from ..bake import state
from ..live import state as live_state


def is_grey(operator: type[bpy.types.Operator], *reasons: str | None) -> bool:
    """Whether there is a reason, for `poll`; the first one appears as a tooltip of the button."""
    found = next((reason for reason in reasons if reason is not None), None)
    if found is not None:
        operator.poll_message_set(found)
    return found is not None


def baking() -> str | None:
    """The reason while a bake runs: its scene must not be changed."""
    return "A bake is running; wait for it or stop it with Esc" if state.current() is not None else None


def live_running() -> str | None:
    """The reason while Live runs: only one solver at a time."""
    return "Live is running; stop it with Esc" if live_state.current() is not None else None


def linked_scene(context: bpy.types.Context) -> str | None:
    """The reason in a linked scene: its lists can be changed only in its own file."""
    if context.scene is None or context.scene.library is not None:
        return "The scene is linked from another file; make it local first"
    return None
