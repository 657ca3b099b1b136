"""Handlers for saves, loads and undos during a live session; a file must not contain modifiers of the session."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from . import state
from .traces import remove_all_live_modifiers

CLASSES = ()


@persistent
def _before_save(*_args: Any) -> None:
    session = state.current()
    if session is not None:
        session.hide()


@persistent
def _after_save(*_args: Any) -> None:
    session = state.current()
    if session is not None:
        session.show_again()


@persistent
def _before_load(*_args: Any) -> None:
    session = state.current()
    if session is not None:
        session.end()


@persistent
def _after_change(*_args: Any) -> None:
    """Restore the session's modifiers; without a session, remove those that a file or an undo step brought back."""
    session = state.current()
    if session is None:
        remove_all_live_modifiers()
    else:
        session.show_again()


_HANDLERS = {
    "save_pre": _before_save, "save_post": _after_save, "save_post_fail": _after_save, "load_pre": _before_load,
    "load_post": _after_change, "undo_post": _after_change, "redo_post": _after_change,
}


def register() -> None:
    """Add the handlers."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """End a running session, and remove the handlers."""
    _before_load()
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
