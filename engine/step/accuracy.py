"""Accuracy control: a frame is solved again with more inner steps until the springs' residual is small enough.

The residual (`constraints.strain.remaining`) falls with the number of inner steps, between its first and its second
power, and is never below the error of the stretch. If a frame's residual is too large, the world is restored to the
start of the frame. Later frames keep the number of steps, and try fewer as long as that is unlikely to require a second
solve.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..world.world import World

# Maximum number of tries of a frame, and of inner steps of a substep.
MAX_TRIES = 8
MAX_STEPS = 1000
# From one try to the next the number of steps grows at least, and at most, by these factors.
MIN_GROWTH, MAX_GROWTH = 1.2, 4.0
# If more steps leave more than this fraction of the error, they do not help: the rest is from rounding or collisions.
STALLED = 0.98
# If the error is below LOW_ERROR times the allowed error, the next frame takes STEP_REDUCTION times the steps.
LOW_ERROR, STEP_REDUCTION = 0.5, 0.9


def limit_error(world: World, advance: Callable[[], None]) -> int:
    """Advance a world by a frame; repeat it with more inner steps while the residual exceeds `solving_error`.

    Returns:
        Number of inner steps with which the next frame should start, 0 for no change.
    """
    allowed = float(world.spec.solving_error)
    if allowed == 0.0 or world.spec.integrator != "XPBD":
        advance()
        return 0
    before = world.snapshot()
    advance()
    error, steps = worst_residual(world)
    for _ in range(MAX_TRIES - 1):
        if error <= allowed or steps >= MAX_STEPS:
            break
        growth = math.sqrt(error / allowed) if math.isfinite(error) else MAX_GROWTH
        steps = min(math.ceil(steps * min(max(growth, MIN_GROWTH), MAX_GROWTH)), MAX_STEPS)
        world.restore(before)
        set_iterations(world, steps)
        advance()
        last, (error, steps) = error, worst_residual(world)
        if error > STALLED * last:
            break
    return max(1, math.floor(STEP_REDUCTION * steps)) if error < LOW_ERROR * allowed else 0


def worst_residual(world: World) -> tuple[float, int]:
    """Largest mean residual of any body, 0 where nothing is solved, and its inner steps per substep."""
    residuals = [found for system in world.systems if (found := system.residual()) is not None]
    return max(residuals, default=(0.0, 1))


def set_iterations(world: World, steps: int) -> None:
    """Set the number of inner steps per substep."""
    for system in world.systems:
        system.set_iterations(steps)
