"""Spray, foam and bubbles: points that a fluid emits and carries, without reaction on the fluid.

potentials  where a fluid entrains air, by Ihmsen et al. 2012
drift       motion of spray, foam and bubbles
screens     collision with walls
foam        the points of one fluid: emission, age and removal
froth       those of all fluids of a world
"""

from __future__ import annotations

from .froth import Froth

__all__ = ["Froth"]
