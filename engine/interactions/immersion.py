"""Agents among particles of a fluid: drag and buoyancy, with the opposite impulse on the fluid.

The fluid velocity at an agent is the weighted mean u = sum w_j v_j over the particles around it, with weights that obey

    sum w_j = 1,   sum w_j (x_j - x) = 0

so it is exact for linear velocity fields (rotation and shear), and the reaction, -w_j J on each particle, adds neither
net force nor net moment. The impulse J drives the agent's velocity towards u plus the velocity it wants relative to the
fluid. It is exact for a single agent and its particles, and limited in rate by the agent's grip.

Because the exchange over a time span is exact, it is not needed in every substep: with many substeps there are
`EXCHANGES` of them a frame, each for all substeps until the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..solver.neighbors import Grid
from ..solver.neighbors.lists import LANES, Table
from ..solver.row_copies import fetch
from ..spec import Ignore
from ..spec.rules import CONTACT
from ..step.stage import Stage
from ..world.builder import Builder
from ..world.controls import Controls
from ..world.stream import Stream
from ..world.world import Model, State, World
from .base import Interaction
from .exchange import (
    MOST,
    ROUNDING,
    TASK,
    AgentColumns,
    Neighborhoods,
    apply_impulses,
    compute_impulses,
    layers_of,
    take_points,
)
from .matching import fits

# Particles within this distance, in particle spacings, carry an agent.
REACH = 2.0
# Exchanges a frame where there are more substeps than that.
EXCHANGES = 2


class Immersion(Interaction):
    """Interaction of fluid particles with agents."""

    sees_fluids = False

    def __init__(self, rules: Sequence[Any], builder: Builder, model: Model, state: State) -> None:
        """Find agents and carrying bodies; an Ignore rule between two bodies also switches this off for them."""
        names, bodies = [body.name for body in builder.bodies], builder.bodies
        meets = np.outer([b.traits.steers for b in bodies], [b.traits.carries for b in bodies]).astype(bool)
        for rule in rules:
            if rule.family == CONTACT:
                meets &= ~fits(rule, names) if isinstance(rule, Ignore) else True
        self._ids = _of(bodies, np.array([body.traits.steers for body in bodies], dtype=bool))
        carrying = meets.any(axis=0)
        self._carries, self._idle = bool(carrying.any()), np.zeros(len(state.x), dtype=bool)
        for body, carries in zip(bodies, carrying, strict=True):
            self._idle[body.start : body.stop] = body.traits.carries and not carries
        radius = model.radius[_of(bodies, carrying)]
        self._reach = 2.0 * REACH * float(radius.max(initial=1e-3))
        count = len(self._ids)
        self._scratch = np.zeros((-(-count // TASK), MOST + LANES), dtype=np.int32)
        self._other, self._weight = np.zeros((count, MOST), dtype=np.int32), np.zeros((count, MOST))
        self._count, self._impulse = np.zeros(count, dtype=np.int32), np.zeros((count, 3))
        self._offsets = np.zeros((len(self._scratch), 4 * MOST))
        self._grid, self._agents = Grid(self._reach), Grid((1.0 + ROUNDING) * self._reach)
        self._points, self._places = (np.zeros((size, 3), dtype=np.float32) for size in (0, count))
        self._substep, self._every = 0, 1

    def acts(self) -> bool:
        """Whether there are agents."""
        return len(self._ids) > 0

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Reset the count of substeps."""
        self._substep, self._every = 0, -(-world.substeps // EXCHANGES)

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """Exchange impulses in FORCE, for this substep and those until the next exchange."""
        if stage is not Stage.FORCE or not self._carries:
            return
        substep = self._substep
        self._substep += 1
        if substep % self._every:
            return
        h *= min(self._every, world.substeps - substep)
        for system in world.systems:
            stream = system.stream(world)
            if stream is not None:
                self.carry(world, stream, h)
                system.end_stream(world)

    def carry(self, world: World, stream: Stream, h: float) -> None:
        """Let the particles of a stream carry the agents for h [s]."""
        state, count = world.state, len(stream.x)
        if len(self._points) != count:
            self._points = np.zeros((count, 3), dtype=np.float32)
        take_points(stream.ids, stream.x, self._idle, self._points)
        grid, agents = self._grid, self._agents
        grid.sort(self._points)
        fetch(self._ids, state.x, tuple(stream.origin.tolist()), self._places)
        # Agents in the same cell have the same neighbouring particles.
        agents.sort(self._places)
        among = Neighborhoods(
            self._ids[agents.order], agents.columns, grid.order, self._scratch, self._offsets, self._other,
            self._weight, self._count, self._impulse,
        )
        kept = state.columns
        swimmers = AgentColumns(
            state.x, state.v, world.model.inv_mass,
            *(kept[name] for name in ("own", "flow", "inward", "hold", "grip", "swims")),
        )
        table = Table(grid.frame, grid.size, grid.start, grid.columns, np.float32(self._reach))
        compute_impulses(among, table, swimmers, stream, h)
        apply_impulses(among, layers_of(agents), swimmers, stream)


def _of(bodies: Sequence[Any], chosen: np.ndarray) -> np.ndarray:
    """Particles of the chosen bodies, int64."""
    ranges = [np.arange(body.start, body.stop) for body, is_meant in zip(bodies, chosen, strict=True) if is_meant]
    return np.concatenate([np.zeros(0, dtype=np.int64), *ranges])
