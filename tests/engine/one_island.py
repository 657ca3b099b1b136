"""Tables of kernels that hold a single island."""

from __future__ import annotations

import numpy as np
from flotsam.engine.solver.constraints.islands import Islands


def stages_of_one(stage_start: np.ndarray) -> tuple[np.ndarray, ...]:
    """`task`, `stage_start`, `island` and `is_wide` of tasks in stages; stage_start: (stages + 1,)."""
    stages = len(stage_start) - 1
    return np.arange(stage_start[-1]), stage_start, np.array([0, stages + 1]), np.zeros(stages + 1, dtype=bool)


def island_of(blocks: int, steps: int = 1) -> Islands:
    """One island of all blocks of rows, with `steps` inner steps."""
    yes = np.ones(1, dtype=bool)
    return Islands(
        np.array([steps]), np.array([0]), np.array([steps]), np.array([1.0 / steps]), yes, ~yes, ~yes,
        np.array([0, blocks]), np.arange(blocks), np.zeros(blocks, dtype=np.int64), np.array([0, 1]), np.array([0]),
    )
