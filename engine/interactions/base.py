"""`Interaction`: base class of behaviours that act between systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..step.behaviour import Behaviour

if TYPE_CHECKING:
    from ..step.stage import Stage
    from ..world.builder import Builder
    from ..world.world import Model, State, World


class Interaction(Behaviour):
    """Reads and writes both sides of a pair of systems; knows bodies and traits, never classes of systems."""

    def __init__(self, rules: Sequence[Any], builder: Builder, model: Model, state: State) -> None:
        """Find the pairs that the rules apply to.

        Args:
            rules: all rules of the world, in the order of the spec; builder: with all bodies.

        Raises:
            SpecError: a rule does not fit its systems.
        """

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """Act in a stage of a substep of h [s]."""
