"""Repulsion between the segments of two bodies, by a power of their distance; acts on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import SpecError
from ..solver.forces.segments import repel_segments
from ..spec import PowerRepulsion, names_of
from ..spec.rules import FORCE
from ..step.stage import Stage
from ..world.builder import Builder
from ..world.segments import segment_table
from ..world.world import Model, State, World
from .base import Interaction
from .matching import fits

# Bodies whose bounding spheres are further apart do not repel each other [m].
MAX_SEPARATION = 0.01


class PowerRepulsions(Interaction):
    """Every `PowerRepulsion` of a world, as a table over pairs of bodies."""

    def __init__(self, rules: Sequence[Any], builder: Builder, model: Model, state: State) -> None:
        """Measure the bodies at rest; raises SpecError for a named body without segments."""
        self.table = segment_table(builder)
        count = len(builder.bodies)
        self.meets = np.zeros((count, count), dtype=bool)
        self.exponent, self.minimum = np.zeros((count, count)), np.ones((count, count))
        has_segments = np.diff(self.table.body_start) > 0
        names = [body.name for body in builder.bodies]
        for rule in (rule for rule in rules if rule.family == FORCE):
            pairs = fits(rule, names)
            self.meets[pairs] = isinstance(rule, PowerRepulsion)
            if isinstance(rule, PowerRepulsion):
                for name in {*names_of(rule.a), *names_of(rule.b)} - {"*"}:
                    if not has_segments[names.index(name)]:
                        raise SpecError(name, "segments", None, "a whole number for each vertex, for PowerRepulsion")
                self.exponent[pairs], self.minimum[pairs] = float(rule.exponent), float(rule.minimum)
        self.meets &= np.outer(has_segments, has_segments) & ~np.eye(count, dtype=bool)
        self.bound = np.zeros(count)
        for index, body in enumerate(builder.bodies):
            if has_segments[index]:
                own = slice(body.start, body.stop)
                middle = np.average(state.x[own], axis=0, weights=model.mass[own])
                self.bound[index] = np.linalg.norm(state.x[own] - middle, axis=1).max()
        self._no_force = np.zeros(len(self.table.mass))

    def acts(self) -> bool:
        """Whether any two bodies repel each other."""
        return bool(self.meets.any())

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """Apply the repulsion in FORCE."""
        if stage is not Stage.FORCE:
            return
        table, state, model = self.table, world.state, world.model
        table.inflate(state, model, self._no_force, h)
        near = self._near()
        if near.any():
            repel_segments(
                table.centre, table.radius, table.body, table.body_start, near, self.exponent, self.minimum,
                table.start, table.members, model.inv_mass, h, state.v,
            )

    def _near(self) -> np.ndarray:
        """Pairs of bodies whose bounding spheres are close enough, (bodies, bodies) bool."""
        table, count = self.table, len(self.bound)
        mass = np.bincount(table.body, weights=table.mass, minlength=count)
        moment = [np.bincount(table.body, weights=table.mass * along, minlength=count) for along in table.centre.T]
        middle = np.stack(moment, axis=1) / np.maximum(mass, 1e-300)[:, None]
        distance = np.linalg.norm(middle[:, None] - middle[None], axis=2)
        return self.meets & (distance < np.add.outer(self.bound, self.bound) + MAX_SEPARATION)
