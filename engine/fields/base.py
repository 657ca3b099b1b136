"""`Field`: base class of external influences on all systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..step.behaviour import Behaviour

if TYPE_CHECKING:
    import numpy as np

    from ..spec import WorldSpec
    from ..world.builder import Builder
    from ..world.world import World


class Field(Behaviour):
    """Adds acceleration to particles and force to rigid bodies. It has no particles, and knows traits, not systems.

    A new field is a spec in `spec/kinds/`, a behaviour here, and a line in each registry, `KINDS` and `FIELDS`.
    """

    def __init__(self, specs: Sequence[Any], builder: Builder, spec: WorldSpec) -> None:
        """Examine the bodies, all of which have been built.

        Args:
            specs: all of its kind; builder: with all particles of all systems; spec: of the whole world.

        Raises:
            SpecError: a value is not allowed.
        """
        self.specs = list(specs)

    def flow_at(self, x: np.ndarray, size: float) -> np.ndarray | None:
        """Velocity of its medium at places (n, 3) [m], (n, 3) [m/s]; None for a field without a medium.

        Args: size: radius of the balls at the places, which are affected by water that they touch [m].
        """
        return None

    def level_at(self, x: np.ndarray) -> np.ndarray | None:
        """Height of its water level above or below places (n, 3), (n,) [m]; None for a field that is not water."""
        return None

    def has_waves(self) -> bool:
        """Whether `level_at` differs from place to place."""
        return False

    def push(self, world: World, h: float, done: float) -> None:
        """Change velocities and rigid forces in a substep of h [s]; `done`: fraction of the frame at its end."""

    def release(self, world: World) -> None:
        """Undo temporary changes that `push` made for the substep; called when it ends."""
