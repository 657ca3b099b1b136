"""The contacts of a substep as the rows of spring graphs see them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..constraints.holding import begin_holds
from ..holds import Holds
from ..world import World
from .rows import Rows


class HeldRows:
    """What `constraints.holding` needs beside the contacts themselves; has room for as many as there are."""

    def __init__(self) -> None:
        self._allot(0)

    def _allot(self, room: int) -> None:
        self._rows = np.zeros((room, 4), dtype=np.int32)
        self._room, self._creep = np.zeros(room), np.zeros((room, 3))

    def begin(self, world: World, rows: Rows, steps: int) -> None:
        """Start a substep of so many inner steps."""
        holds, state = world.holds, world.state
        if len(self._room) < holds.count:
            self._allot(len(holds.gap))
        begin_holds(
            holds.count, holds.particle, holds.corner, holds.share, holds.normal, holds.gap, state.x, state.x_prev,
            rows.row, rows.spare, steps, self._rows, self._room, self._creep,
        )

    def for_steps(self, holds: Holds) -> tuple[Any, ...]:
        """What `inner.inner_steps` takes of the contacts."""
        return (
            holds.count, self._rows, holds.share, holds.normal, self._room, self._creep, holds.friction, holds.held,
            holds.energy,
        )
