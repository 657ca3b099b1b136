"""Anchors: particles that follow the vertices of other systems, such as colliders; one-way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..step.stage import Stage
from ..world.builder import Builder
from ..world.world import Model, State, World
from .base import Interaction


class Anchors(Interaction):
    """Moves each anchor along with the vertex that it represents, so that ties to a collider follow the collider."""

    def __init__(self, _rules: Sequence[Any], builder: Builder, _model: Model, _state: State) -> None:
        """Find the leading particles."""
        self._anchors, self._leading = builder.anchors, builder.leading()

    def acts(self) -> bool:
        """Whether there are any anchors."""
        return len(self._anchors) > 0

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """In MOVE, when velocities of colliders are known: set the velocity that reaches the leader's end position."""
        if stage is Stage.MOVE:
            x, v = world.state.x, world.state.v
            v[self._anchors] = v[self._leading] + (x[self._leading] - x[self._anchors]) / h
