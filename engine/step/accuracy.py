"""Frames that are solved again in finer steps until springs are solved as well as was asked.

What springs are off by (`constraints.strain.remaining`) falls with the inner steps, between their number and its
square, and is at least what stretch lacks of the solved one. A frame that is off by more goes back to its start. Later
frames keep the steps, and try fewer as long as that is unlikely to cost them a second go.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..world.world import World

# A frame is tried so often, with no more than so many inner steps a substep.
MOST_TRIES = 8
MOST_STEPS = 1000
# From one try to the next steps grow at least and at most so many times.
LEAST_GROWTH, MOST_GROWTH = 1.2, 4.0
# More steps that leave more than this share of the error do not help: what is left is rounding, or a crash.
NO_HELP = 0.98
# Below this share of the error asked, the next frame takes that share of the steps.
EASY, EASED = 0.5, 0.9


def hold_error(world: World, advance: Callable[[], None]) -> int:
    """Advance a world by a frame; again with more inner steps as long as springs are off by more than asked.

    Returns:
        The inner steps that the next frame is to begin with, 0 for those there are.
    """
    asked = float(world.spec.solving_error)
    if asked == 0.0 or world.spec.integrator != "XPBD":
        advance()
        return 0
    before = world.snapshot()
    advance()
    error, steps = worst_solved(world)
    for _ in range(MOST_TRIES - 1):
        if error <= asked or steps >= MOST_STEPS:
            break
        growth = math.sqrt(error / asked) if math.isfinite(error) else MOST_GROWTH
        steps = min(math.ceil(steps * min(max(growth, LEAST_GROWTH), MOST_GROWTH)), MOST_STEPS)
        world.restore(before)
        set_iterations(world, steps)
        advance()
        last, (error, steps) = error, worst_solved(world)
        if error > NO_HELP * last:
            break
    return max(1, math.floor(EASED * steps)) if error < EASY * asked else 0


def worst_solved(world: World) -> tuple[float, int]:
    """The mean error of the body that is solved worst, 0 where nothing is solved, and inner steps a substep."""
    solved = [found for system in world.systems if (found := system.residual()) is not None]
    return max(solved, default=(0.0, 1))


def set_iterations(world: World, steps: int) -> None:
    """Take so many inner steps a substep from now on."""
    for system in world.systems:
        system.set_iterations(steps)
