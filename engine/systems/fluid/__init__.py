"""Particle fluids: see `density` for the law, `cells` for the coarse pressure, `walls` for what they meet."""

from __future__ import annotations

from .system import Fluids

__all__ = ["Fluids"]
