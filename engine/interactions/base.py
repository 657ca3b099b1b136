"""`Interaction`: what happens where systems meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..step.behaviour import Behaviour

if TYPE_CHECKING:
    from ..step.stage import Stage
    from ..world.builder import Builder
    from ..world.world import Model, State, World


class Interaction(Behaviour):
    """Reads both sides of a pair of systems and writes both; it knows bodies and traits, never classes of systems."""

    def __init__(self, rules: Sequence[Any], builder: Builder, model: Model, state: State) -> None:
        """Find the pairs that the rules are for.

        Args:
            rules: all of the world, in the order of the spec; builder: with all bodies.

        Raises:
            SpecError: a rule does not fit its systems.
        """

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """Act in a stage of a substep of h [s]."""
