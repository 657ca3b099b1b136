"""`blender --command flotsam …`: the same commands from an installed Blender."""

from __future__ import annotations

from typing import Any

import bpy

CLASSES: tuple[type, ...] = ()

_handles: list[Any] = []


def register() -> None:
    """Register the command with Blender."""
    _handles.append(bpy.utils.register_cli_command("flotsam", _execute))


def unregister() -> None:
    """Unregister the command."""
    while _handles:
        bpy.utils.unregister_cli_command(_handles.pop())


def _execute(argv: list[str]) -> int:
    from .main import main

    return main(argv)
