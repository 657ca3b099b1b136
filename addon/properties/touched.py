"""Whether anything may have changed since somebody looked: a count that rises with each change Blender tells of."""

from __future__ import annotations

from typing import Any

import bpy

_count = 0


def count() -> int:
    """How many changes there were so far."""
    return _count


def touch(_settings: bpy.types.PropertyGroup | None = None, _context: Any = None) -> None:
    """Something has changed; also what a property calls when it is set."""
    global _count
    _count += 1
