"""Handlers for saves, loads and undos during a live session; no trace of the session may stay in a file."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from . import state
from .traces import take_all_modifiers

CLASSES = ()


@persistent
def _before_save(*_what: Any) -> None:
    session = state.current()
    if session is not None:
        session.hide()


@persistent
def _after_save(*_what: Any) -> None:
    session = state.current()
    if session is not None:
        session.show_again()


@persistent
def _before_load(*_what: Any) -> None:
    session = state.current()
    if session is not None:
        session.end()


@persistent
def _after_change(*_what: Any) -> None:
    """Restore the session's modifiers, or remove those from a file or undo step of a session that has ended."""
    session = state.current()
    if session is None:
        take_all_modifiers()
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
