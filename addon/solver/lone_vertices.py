"""Warns of vertices that *Keep Inside* leaves without a spring; called by the solver thread after the build.

The test whether a link stays inside needs compiled kernels, which are not ready when a scene is captured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...engine import SpringGraphSpec
from ..capture.sentence import about

if TYPE_CHECKING:
    from ...engine.world.world import World


def lone_warnings(world: World) -> list[str]:
    """A sentence for each body with links by distance and Keep Inside that has vertices without a spring."""
    has_spring = np.zeros(len(world.state.x), dtype=bool)
    for system in world.systems:
        has_spring[getattr(system, "pairs", np.zeros(0, dtype=int)).reshape(-1)] = True
    warnings: list[str] = []
    for spec in world.spec.systems:
        if not isinstance(spec, SpringGraphSpec) or spec.graph != "RADIUS" or not spec.keep_inside:
            continue
        body = world.body(spec.name)
        alone = np.flatnonzero(~has_spring[body.start : body.stop])
        if len(alone):
            warnings += about(spec.name, [
                f"{spec.name}: {len(alone)} of its vertices, the first is {alone[0]}, have no spring that stays inside "
                "and fall by themselves; turn Keep Inside off, give them a longer Reach or more Most Links, or remove "
                "them."
            ])
    return warnings
