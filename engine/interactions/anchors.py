"""Anchors go where the vertices go that they stand for; only they are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..step.stage import Stage
from ..world.builder import Builder
from ..world.world import Model, State, World
from .base import Interaction


class Anchors(Interaction):
    """What is tied to a collider follows it: leads each anchor along with its vertex, substep by substep."""

    def __init__(self, _rules: Sequence[Any], builder: Builder, _model: Model, _state: State) -> None:
        """Find the particles to follow."""
        self._anchors, self._leading = builder.anchors, builder.leading()

    def acts(self) -> bool:
        """Whether there is any."""
        return len(self._anchors) > 0

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """Once colliders know how fast they are in the substep, be where they will be at its end."""
        if stage is Stage.MOVE:
            x, v = world.state.x, world.state.v
            v[self._anchors] = v[self._leading] + (x[self._leading] - x[self._anchors]) / h
