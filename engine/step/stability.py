"""Longest stable substep for explicit forces, and the number of substeps that a world needs.

Symplectic Euler on an oscillator of frequency omega with the damping rate g (force -g v / w) has the trace
2 - (omega h)² - g h and the determinant 1 - g h. It is stable while (omega h)² + 2 g h < 4, so for

    h < 4 / (g + sqrt(g² + 4 omega²))        2 / omega without damping

Bounds of omega² of several forces on the same particles add up. Repulsion and contact have no bound and are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import SpecError

if TYPE_CHECKING:
    from ..world.world import World


@dataclass(frozen=True)
class StabilityBound:
    """A bound on the fastest oscillation of a system.

    Attributes:
        name: of the system.
        square: omega² [1/s²].
        rate: of damping [1/s].
    """

    name: str
    square: float
    rate: float

    def longest_step_inverse(self) -> float:
        """Reciprocal of the longest stable step, 1 / h [1/s]."""
        return (self.rate + math.sqrt(self.rate * self.rate + 4.0 * self.square)) / 4.0


def set_stable_substeps(world: World) -> None:
    """Set the number of substeps that the stiffest body needs for a stable frame.

    Raises:
        SpecError: it needs more than `most_substeps`; the message says how many.
    """
    behaviours = [*world.systems, *world.fields]
    bounds = [bound for one in behaviours if (bound := one.stability_bound(world)) is not None]
    if not bounds:
        return
    stiffest = max(bounds, key=StabilityBound.longest_step_inverse)
    total = StabilityBound(stiffest.name, sum(s.square for s in bounds), sum(s.rate for s in bounds))
    spec = world.spec
    inverse = total.longest_step_inverse() / float(spec.frame_rate)
    needed = int(min(inverse, 1e9)) + 1
    if needed > spec.most_substeps:
        raise SpecError(
            "world", "most_substeps", spec.most_substeps,
            f"{needed} or more, which {stiffest.name} needs with the integrator SYMPLECTIC; or make it softer or "
            "heavier, or take XPBD",
        )
    world.substeps = max(int(spec.substeps), needed)
