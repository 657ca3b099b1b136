"""Accuracy control: a frame is solved again with more inner steps until the springs' residual is small enough.

The residual (`constraints.strain.remaining`) falls with the number of inner steps, between its first and its second
power, and is never below the error of the stretch. A frame whose residual is too large returns to its start. Later
frames keep the number of steps, and try fewer as long as that is unlikely to require a second solve.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..world.world import World

# Most tries of a frame, and most inner steps of a substep.
MOST_TRIES = 8
MOST_STEPS = 1000
# From one try to the next the number of steps grows at least, and at most, by these factors.
LEAST_GROWTH, MOST_GROWTH = 1.2, 4.0
# If more steps leave more than this fraction of the error, they do not help: the rest is rounding, or a collision.
NO_HELP = 0.98
# Below the fraction EASY of the allowed error, the next frame takes the fraction EASED of the steps.
EASY, EASED = 0.5, 0.9


def hold_error(world: World, advance: Callable[[], None]) -> int:
    """Advance a world by a frame; repeat it with more inner steps while the residual exceeds `solving_error`.

    Returns:
        Number of inner steps with which the next frame should start, 0 for no change.
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
    """Mean residual of the body that is solved worst, 0 where nothing is solved, and its inner steps per substep."""
    solved = [found for system in world.systems if (found := system.residual()) is not None]
    return max(solved, default=(0.0, 1))


def set_iterations(world: World, steps: int) -> None:
    """Set the number of inner steps per substep."""
    for system in world.systems:
        system.set_iterations(steps)
