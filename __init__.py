"""Flotsam: soft bodies and inflatables on water. Blender calls `register` and `unregister`; nothing else is here."""

from __future__ import annotations


def register() -> None:
    """Add Flotsam's classes, settings and panels to Blender."""
    from . import addon

    addon.register()


def unregister() -> None:
    """Take all of it out again."""
    from . import addon

    addon.unregister()
