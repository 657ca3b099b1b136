"""All flocks of a world: particles that decide once a frame on their velocity.

A decision determines the velocity relative to the flow that an agent is to have when the frame ends, and sets `own` so
that it is reached. In every substep the velocity relaxes:

    v' = grip (flow + own - v)

This has an exact solution for any substep: the agent moves by the mean of v over the substep, and has the final v at
its end. So the motion of a flock does not depend on the number of substeps. Contacts, fields and ties act on agents as
on all particles; the next decision starts from the resulting velocity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...spec import WorldSpec
from ...spec.check import check_params, points, vector
from ...spec.kinds.flock import FlockSpec
from ...step.stage import Stage
from ...world.builder import Builder, Surface
from ..base import System
from .member import Flock

if TYPE_CHECKING:
    from ...world.controls import Controls
    from ...world.frame import Frame
    from ...world.world import World

# Columns of the world's particles that flocks add: width and type by name.
COLUMNS: dict[str, tuple[int, type]] = {
    "own": (3, np.float64), "flow": (3, np.float64), "borne": (3, np.float64), "nose": (3, np.float64),
    "posture": (4, np.float64), "leg": (0, np.int64), "inward": (3, np.float64), "hold": (0, np.float64),
    "grip": (0, np.float64), "swims": (0, np.float64),
}


class Flocks(System):
    """Behaviour of every `FlockSpec`."""

    takes = ("flocks",)

    def __init__(self, specs: Sequence[FlockSpec], builder: Builder, spec: WorldSpec) -> None:
        """Reserve a particle for each agent; raises SpecError."""
        super().__init__(specs, builder, spec)
        for name, (wide, number) in COLUMNS.items():
            builder.add_column(name, wide, number)
        self._builder, self._rules, self._rate = builder, list(spec.interactions), float(spec.frame_rate)
        self._is_new_frame = True
        self.flocks = [self._reserve(one, builder) for one in self.specs]

    def _reserve(self, own: FlockSpec, builder: Builder) -> Flock:
        check_params(own.name, own)
        places = points(own.name, "positions", own.positions)
        mass = np.full(len(places), float(own.mass))
        flock = Flock(own, places, 1.0 / self._rate)
        velocity = vector(own.name, "velocity", own.velocity)
        start = builder.add(
            own, places, velocity if velocity.any() else float(own.speed) * flock.noses, mass, 1.0 / mass,
            float(own.radius), 0.0, Surface.of_vertices(),
        )
        flock.start, flock.stop = start, start + len(places)
        return flock

    def moves_until(self) -> int:
        """All agents may move."""
        return max(flock.stop for flock in self.flocks)

    def acts(self) -> bool:
        """Agents always act."""
        return True

    def set_value(self, world: World, name: str, field: str, value: float) -> None:
        """Set a keyed setting from this frame on."""
        next(flock for flock in self.flocks if flock.spec.name == name).values[field] = value

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Take the positions of goals and predators at the end of the frame."""
        for flock in self.flocks:
            if not flock.is_connected:
                flock.connect(self._builder, self._rules, world)
            flock.aim(controls.flocks.get(flock.spec.name))
        self._is_new_frame = True

    def apply(self, stage: Stage, world: World, h: float, done: float) -> None:
        """Let all agents decide when a frame begins, from the positions of all agents then; apply their decisions."""
        if stage is Stage.MOVE and self._is_new_frame:
            self._is_new_frame = False
            for flock in self.flocks:
                flock.decide(world)
        elif stage is Stage.FORCE:
            for flock in self.flocks:
                flock.drive(world, h)
        elif stage is Stage.VELOCITY:
            for flock in self.flocks:
                flock.end_substep(world)

    def advance(self, world: World, gravity: np.ndarray, first: int, count: int) -> None:
        """SYMPLECTIC: advance by a substep."""
        state = world.state
        for flock in self.flocks:
            own = slice(flock.start, flock.stop)
            state.x_prev[own] = state.x[own]
            state.x[own] += world.h * state.v[own]
            if not world.interactions:
                flock.end_substep(world)

    def report(self, world: World, frame: Frame) -> None:
        """Add agents with their motion and posture."""
        for flock in self.flocks:
            flock.report(world, frame)

    def memory(self) -> Mapping[str, Any]:
        """State that is not in the world's columns."""
        return {flock.spec.name: flock.memory() for flock in self.flocks}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore the memory of a snapshot."""
        for flock in self.flocks:
            flock.recall(memory[flock.spec.name])

    def continue_from(self, world: World, other: Flocks, old: World) -> None:
        """Flocks of the same name and agent count keep positions, velocities and state."""
        before = {flock.spec.name: flock for flock in other.flocks}
        for flock in self.flocks:
            known = before.get(flock.spec.name)
            if known is None or not known.is_connected or known.stop - known.start != flock.stop - flock.start:
                continue
            flock.connect(self._builder, self._rules, world)
            own, its = slice(flock.start, flock.stop), slice(known.start, known.stop)
            world.state.x[own] = world.state.x_prev[own] = old.state.x[its]
            world.state.v[own] = old.state.v[its]
            for name in COLUMNS:
                if name not in ("grip", "swims"):
                    world.state.columns[name][own] = old.state.columns[name][its]
            flock.sight.edge = min(known.sight.edge, flock.sight.radius)
