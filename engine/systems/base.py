"""`System`: the behaviour of all systems of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..step.behaviour import Behaviour

if TYPE_CHECKING:
    import numpy as np

    from ..spec import WorldSpec
    from ..step.stage import Stage
    from ..world.builder import Builder
    from ..world.world import World


class System(Behaviour):
    """Owns ranges of particles and acts on these only. One behaviour serves all systems of its kind.

    A new system is a spec in `spec/kinds/`, a behaviour here, and a line in each registry, `KINDS` and `SYSTEMS`.
    """

    def __init__(self, specs: Sequence[Any], builder: Builder, spec: WorldSpec) -> None:
        """Reserve particles and columns, and store rest shapes.

        Args:
            specs: all of its kind, never none; builder: hands out particles; spec: of the whole world.

        Raises:
            SpecError: a value is not allowed.
        """
        self.specs = list(specs)

    def moves_until(self) -> int:
        """Its last particle that may move in this frame, plus one; 0 when none does."""
        return 0

    def present(self) -> np.ndarray | None:
        """World particles that there are, ascending; None where none ever comes or goes."""
        return None

    def advance(self, world: World, gravity: np.ndarray, first: int, count: int) -> None:
        """SYMPLECTIC: take its particles through the substeps first to first + count - 1; gravity (3,) [m/s²]."""

    def apply(self, stage: Stage, world: World, h: float, done: float) -> None:
        """Act in a stage of a substep of h [s]; `done` is the share of the frame that has passed at its end."""

    def residual(self) -> tuple[float, int] | None:
        """XPBD: the worst mean error of one of its bodies, and its iterations a substep; None if nothing is solved."""
        return None

    def set_iterations(self, count: int) -> None:
        """XPBD: take so many iterations a substep from now on."""
