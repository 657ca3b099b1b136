"""Flocks: see `wishes` for steering behaviours, `limits` for bounds on velocity, `walls` for obstacle avoidance."""

from __future__ import annotations

from .system import Flocks

__all__ = ["Flocks"]
