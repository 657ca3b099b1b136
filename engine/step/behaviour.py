"""`Behaviour`: the common base class of systems, fields and interactions."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from ..spec import WorldSpec
    from ..world.controls import Controls, Value
    from ..world.frame import Frame
    from ..world.world import World
    from .stability import StabilityBound


class Behaviour:
    """An object that acts in a world; every method does nothing unless it is overridden.

    Attributes:
        specs: the specs it was built from, each with a name; empty for behaviours that every world has.
        takes: tables of `Controls` that it receives in addition to `values`, such as "pins".
        sees_fluids: whether, when it acts, it may read particles that a system integrates itself, or push them.
    """

    takes: ClassVar[tuple[str, ...]] = ()
    sees_fluids: ClassVar[bool] = True
    specs: list[Any]

    @classmethod
    def is_wanted(cls, specs: Sequence[Any], spec: WorldSpec) -> bool:
        """Whether a world needs this behaviour; args: specs: those of its kind; spec: of the whole world."""
        return bool(specs)

    def names(self) -> set[str]:
        """Names of its specs; it alone receives the `Controls` for these names."""
        return {spec.name for spec in getattr(self, "specs", ())}

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Receive its own part of the external inputs of a frame.

        Raises:
            SpecError: a control has the wrong shape or value.
        """

    def set_value(self, world: World, name: str, field: str, value: Value) -> None:
        """Set a keyed parameter of one of its specs from this frame on; `field` is keyable and `value` in range.

        Raises:
            SpecError: the value does not fit the system.
        """
        raise NotImplementedError(f"{type(self).__name__} declares {field} keyable and does not take it")

    def note_value(self, world: World, name: str, field: str) -> None:
        """React to a changed keyed parameter of any system; the model or the system already has the new value."""

    def acts(self) -> bool:
        """Whether it may act in any stage of the running frame."""
        return False

    def stability_bound(self, world: World) -> StabilityBound | None:
        """SYMPLECTIC: a bound on its fastest oscillation; None when it has none."""
        return None

    def report(self, world: World, frame: Frame) -> None:
        """Add copies of its results to the frame that just ended."""

    def memory(self) -> Mapping[str, Any]:
        """State that a snapshot must keep besides the particles: arrays, numbers, and dicts and tuples of these."""
        return {}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore what `memory` returned; the following frames then have the same bits."""

    def continue_torn(self, other: Any) -> None:
        """Continue from the state of `other`, of the same class, in this world before some of its bodies tore.

        Particles are the same as before; springs, faces and pieces are not.
        """
        self.recall(copy.deepcopy(other.memory()))

    def continue_from(self, world: World, other: Any, old: World) -> None:
        """Continue in `world` from the state of `other`, of the same class, in `old`, for all unchanged bodies."""
