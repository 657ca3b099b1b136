"""`System`: base class of a behaviour, one for all systems of a kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..step.behaviour import Behaviour

if TYPE_CHECKING:
    import numpy as np

    from ..spec import WorldSpec
    from ..step.stage import Stage
    from ..world.builder import Builder
    from ..world.stream import Stream
    from ..world.world import World


class System(Behaviour):
    """Owns ranges of particles and acts only on these. One behaviour serves all systems of its kind.

    A new system is a spec in `spec/kinds/`, a behaviour here, and a line in each registry, `KINDS` and `SYSTEMS`.
    """

    def __init__(self, specs: Sequence[Any], builder: Builder, spec: WorldSpec) -> None:
        """Reserve particles and columns, and store rest shapes.

        Args:
            specs: all of its kind, at least one; builder: reserves particles; spec: of the whole world.

        Raises:
            SpecError: a value is not allowed.
        """
        self.specs = list(specs)

    @classmethod
    def least_substeps(cls, specs: Sequence[Any], spec: WorldSpec) -> int:
        """XPBD: the fewest substeps of a frame that systems of this kind need; 0 for as many as the spec asks for.

        Args: specs: all of its kind; spec: of the whole world. Raises SpecError.
        """
        return 0

    def moves_until(self) -> int:
        """One past its last particle that may move in this frame; 0 for none."""
        return 0

    def integrates_until(self) -> int:
        """XPBD: one past the last particle of the world that it integrates itself, from the first on; 0 for none.

        Their `x` and `v` are current when a frame ends; within the frame only for a behaviour that `sees_fluids`, which
        may push them in FORCE.
        """
        return 0

    def stream(self, world: World) -> Stream | None:
        """XPBD, in FORCE: its particles in an order of its own, if they carry agents; None where none do.

        A caller that changes the stream's velocities calls `end_stream` afterwards.
        """
        return None

    def end_stream(self, world: World) -> None:
        """Take over changed velocities of its stream."""

    def present(self) -> np.ndarray | None:
        """Existing particles of the world, ascending; None where particles never appear or disappear."""
        return None

    def advance(self, world: World, gravity: np.ndarray, first: int, count: int) -> None:
        """SYMPLECTIC: advance its particles by the substeps first to first + count - 1; gravity (3,) [m/s²]."""

    def apply(self, stage: Stage, world: World, h: float, done: float) -> None:
        """Act in a stage of a substep of h [s]; `done` is the fraction of the frame at the end of the substep."""

    def tear(self, world: World) -> Mapping[str, np.ndarray] | None:
        """At the end of a frame: tear bodies; None where nothing tore.

        Returns:
            by name, the particle of each face corner of all its bodies that may tear, for `Builder.torn`.
        """
        return None

    def torn(self) -> Mapping[str, np.ndarray]:
        """What `tear` returned last, also after a restore; empty where no body may tear."""
        return {}

    def residual(self) -> tuple[float, int] | None:
        """XPBD: the worst mean error of one of its bodies, and its iterations a substep; None if it solves nothing."""
        return None

    def set_iterations(self, count: int) -> None:
        """XPBD: set the iterations a substep from now on."""
