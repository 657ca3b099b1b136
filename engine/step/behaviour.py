"""`Behaviour`: what systems, fields and interactions of a world have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from ..spec import WorldSpec
    from ..world.controls import Controls, Value
    from ..world.frame import Frame
    from ..world.world import World
    from .stability import StabilityBound


class Behaviour:
    """Something that acts in a world; every method does nothing unless it is overridden.

    Attributes:
        specs: what it was built from, each with a name; none for what every world has.
        takes: fields of `Controls` that reach it, beside `values`, such as "pins".
    """

    takes: ClassVar[tuple[str, ...]] = ()
    specs: list[Any]

    @classmethod
    def is_wanted(cls, specs: Sequence[Any], spec: WorldSpec) -> bool:
        """Whether a world has one; args: specs: those of its kind; spec: of the whole world."""
        return bool(specs)

    def names(self) -> set[str]:
        """Names of its specs; `Controls` for these names reach it and nobody else."""
        return {spec.name for spec in getattr(self, "specs", ())}

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Take its own part of what moves from outside during the frame.

        Raises:
            SpecError: a control has the wrong shape or value.
        """

    def set_value(self, world: World, name: str, field: str, value: Value) -> None:
        """Take a keyed parameter of one of its specs from this frame on; `field` is declared keyable, `value` allowed.

        Raises:
            SpecError: the value does not fit the system.
        """
        raise NotImplementedError(f"{type(self).__name__} declares {field} keyable and does not take it")

    def note_value(self, world: World, name: str, field: str) -> None:
        """A keyed parameter of some system has another value, which the model or the system has already."""

    def acts(self) -> bool:
        """Whether it may do anything in a stage of the running frame."""
        return False

    def stability_bound(self, world: World) -> StabilityBound | None:
        """SYMPLECTIC: a bound of its fastest oscillation; None when it has none."""
        return None

    def report(self, world: World, frame: Frame) -> None:
        """Add copies of what leaves the engine to the frame that ended."""

    def memory(self) -> Mapping[str, Any]:
        """What a snapshot keeps beside the particles: arrays, numbers, and dicts and tuples of these."""
        return {}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Take back what `memory` returned; the next frames then have the same bits."""

    def go_on_from(self, world: World, other: Any, old: World) -> None:
        """Continue in `world` where `other`, of the same class, stands in `old`, as far as bodies are the same."""
