"""Particle fluids: see `density` for the constraint, `cells` for the coarse pressure, `walls` for boundaries."""

from __future__ import annotations

from .system import Fluids

__all__ = ["Fluids"]
