"""Flotsam: soft bodies and inflatables on water. Blender calls `register` and `unregister`; nothing else is here."""

from __future__ import annotations


def register() -> None:
    """Add Flotsam's classes, settings and panels to Blender.

    What is made here lives until `unregister`, so looking for garbage in between would only delay Blender's start.
    """
    import gc

    collects = gc.isenabled()
    gc.disable()
    try:
        from . import addon

        addon.register()
    finally:
        if collects:
            gc.enable()


def unregister() -> None:
    """Take all of it out again."""
    from . import addon

    addon.unregister()
