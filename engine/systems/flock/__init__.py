"""Flocks: see `wishes` for what agents want, `steering` for what they can, `walls` for what they may not."""

from __future__ import annotations

from .system import Flocks

__all__ = ["Flocks"]
