"""What a bake is doing: phases as a pure function, and the one job that runs now, for panels to read.

Nothing of this is saved in a .blend.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Phase(Enum):
    """Where a bake stands."""

    PREPARING = "preparing"
    BAKING = "baking"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


class Event(Enum):
    """What happens to a bake."""

    READY = "ready"
    LAST_FRAME = "last frame"
    CANCEL = "cancel"
    ERROR = "error"


_NEXT = {
    (Phase.PREPARING, Event.READY): Phase.BAKING,
    (Phase.PREPARING, Event.LAST_FRAME): Phase.DONE,
    (Phase.PREPARING, Event.CANCEL): Phase.STOPPED,
    (Phase.PREPARING, Event.ERROR): Phase.FAILED,
    (Phase.BAKING, Event.LAST_FRAME): Phase.DONE,
    (Phase.BAKING, Event.CANCEL): Phase.STOPPED,
    (Phase.BAKING, Event.ERROR): Phase.FAILED,
}


def next_phase(phase: Phase, event: Event) -> Phase:
    """The phase after an event; a bake that has ended stays as it ended."""
    return _NEXT.get((phase, event), phase)


def is_running(phase: Phase) -> bool:
    """Whether a bake may still bring frames."""
    return phase in (Phase.PREPARING, Phase.BAKING)


@dataclass(frozen=True)
class Progress:
    """How far a bake is.

    Attributes:
        frame: last finished frame of the scene; the frame before the first when there is none.
        done: finished frames, the start included.
        total: frames the bake has.
        message: one sentence for the status bar.
        rate: frames a second since the solver began, 0 before.
    """

    frame: int
    done: int
    total: int
    message: str
    rate: float

    @property
    def share(self) -> float:
        """Finished share, 0 to 1."""
        return self.done / self.total


@dataclass(frozen=True)
class JobView:
    """The running job as panels see it.

    Attributes:
        phase: where it stands.
        progress: how far it is.
    """

    phase: Phase
    progress: Progress


_current: JobView | None = None


def current() -> JobView | None:
    """The running job, None when none runs."""
    return _current


def publish(view: JobView | None) -> None:
    """Say what the running job is doing; None when it has ended."""
    global _current
    _current = view if view is not None and is_running(view.phase) else None
