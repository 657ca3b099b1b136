"""Spray, foam and bubbles: points that a fluid makes and carries, and that do not push it.

potentials  where a fluid takes in air: the laws of Ihmsen et al. 2012
drift       how spray, foam and bubbles move
screens     walls stop them
foam        the points of one fluid: birth, age and end
froth       those of all fluids of a world
"""

from __future__ import annotations

from .froth import Froth

__all__ = ["Froth"]
