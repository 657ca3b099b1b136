"""A counter that increases with each change that Blender reports; tells whether anything may have changed."""

from __future__ import annotations

from typing import Any

import bpy

_count = 0


def count() -> int:
    """Number of changes so far."""
    return _count


def touch(_settings: bpy.types.PropertyGroup | None = None, _context: Any = None) -> None:
    """Count a change; also the update callback of properties."""
    global _count
    _count += 1
