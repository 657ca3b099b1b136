"""Velocity changes from neighbours' velocities: viscosity, explicit and implicit, and vorticity confinement."""

from __future__ import annotations

from .implicit import ThickFlow
from .viscosity import smooth_motion, take_change
from .vorticity import confine

__all__ = ["ThickFlow", "confine", "smooth_motion", "take_change"]
