"""State of the running bake: its phases as a pure function, the current job, and requests of its buttons.

Nothing of this is saved in a .blend.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Phase(Enum):
    """Phase of a bake."""

    PREPARING = "preparing"
    BAKING = "baking"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


class Event(Enum):
    """Event in a bake."""

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
    """The phase after an event; final phases do not change."""
    return _NEXT.get((phase, event), phase)


def is_running(phase: Phase) -> bool:
    """Whether a bake may still produce frames."""
    return phase in (Phase.PREPARING, Phase.BAKING)


class Progress(NamedTuple):
    """Progress of a bake.

    Attributes:
        frame: last finished frame of the scene; the frame before the first when there is none.
        done: number of finished frames, the start included.
        total: number of frames of the bake.
        message: one sentence for the status bar.
        rate: frames a second, recently; 0 before the first.
    """

    frame: int
    done: int
    total: int
    message: str
    rate: float

    @property
    def share(self) -> float:
        """Finished fraction, 0 to 1."""
        return self.done / self.total

    @property
    def seconds_left(self) -> float | None:
        """Remaining time at this rate [s]; None before a rate is known."""
        return (self.total - self.done) / self.rate if self.rate > 0.0 else None


class JobView(NamedTuple):
    """The running job as panels see it.

    Attributes:
        phase: of the bake.
        progress: of the bake.
        paused: whether the artist has paused it.
    """

    phase: Phase
    progress: Progress
    paused: bool = False


def words(view: JobView | None) -> str:
    """Text about the running job: frames, rate, time left; empty without one."""
    if view is None:
        return ""
    progress = view.progress
    if view.paused:
        return f"Paused after frame {progress.done} of {progress.total}."
    left = progress.seconds_left
    if left is None:
        return progress.message
    rate = f"{progress.rate:.0f}" if progress.rate >= 10.0 else f"{progress.rate:.2g}"
    return f"{progress.message} {rate} frames a second, {duration(left)} left."


def duration(seconds: float) -> str:
    """A readable duration: 8 s, 2 min 5 s, 1 h 20 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


_current: JobView | None = None
_pause_asked = _stop_asked = False


def current() -> JobView | None:
    """The running job, or None."""
    return _current


def publish(view: JobView | None) -> None:
    """Update the view of the running job; None when it has ended."""
    global _current, _pause_asked, _stop_asked
    _current = view if view is not None and is_running(view.phase) else None
    if _current is None:
        _pause_asked = _stop_asked = False


def ask_pause(pause: bool) -> None:
    """Request a pause of the running job, or its continuation, from its next slice."""
    global _pause_asked
    _pause_asked = pause and _current is not None


def pause_asked() -> bool:
    """Whether a pause is requested."""
    return _pause_asked


def ask_stop() -> None:
    """Request the end of the running job; finished frames are kept."""
    global _stop_asked
    _stop_asked = _current is not None


def stop_asked() -> bool:
    """Whether the end of the running job is requested."""
    return _stop_asked
