"""How long a substep may be for explicit forces, and what a world does that needs shorter ones.

Symplectic Euler on a swing of omega that is damped at the rate g (force -g v / w) has the trace 2 - (omega h)² - g h
and the determinant 1 - g h: it is stable while (omega h)² + 2 g h < 4, so for

    h < 4 / (g + sqrt(g² + 4 omega²))        2 / omega without damping

Bounds of omega² of several forces on the same particles add up. Repulsion and contact have none and are left out.
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
    """A bound of the fastest swing of something.

    Attributes:
        name: of the system.
        square: omega² [1/s²].
        rate: of damping [1/s].
    """

    name: str
    square: float
    rate: float

    def longest_step_inverse(self) -> float:
        """1 / h of the longest stable step [1/s]."""
        return (self.rate + math.sqrt(self.rate * self.rate + 4.0 * self.square)) / 4.0


def hold_limit(world: World) -> None:
    """Give a frame as many substeps as its stiffest body needs.

    Raises:
        SpecError: it needs more than `most_substeps`; the sentence says how many.
    """
    behaviours = [*world.systems, *world.fields]
    bounds = [bound for one in behaviours if (bound := one.stability_bound(world)) is not None]
    if not bounds:
        return
    stiffest = max(bounds, key=StabilityBound.longest_step_inverse)
    together = StabilityBound(stiffest.name, sum(s.square for s in bounds), sum(s.rate for s in bounds))
    spec = world.spec
    inverse = together.longest_step_inverse() / float(spec.frame_rate)
    needed = int(min(inverse, 1e9)) + 1
    if needed > spec.most_substeps:
        raise SpecError(
            "world", "most_substeps", spec.most_substeps,
            f"{needed} or more, which {stiffest.name} needs with the integrator SYMPLECTIC; or make it softer or "
            "heavier, or take XPBD",
        )
    world.substeps = max(int(spec.substeps), needed)
