"""Errors of the engine, each with fields that name the cause.

Every message says what was expected, what was given, and where, in one sentence that an artist can act on.
"""

from __future__ import annotations


class EngineError(Exception):
    """Base of every error the engine raises on purpose."""


class SpecError(EngineError):
    """A value in a spec is not allowed.

    Attributes:
        system: name of the system, or "world".
        field: name of the spec's field.
        value: as given.
        allowed: description of allowed values.
    """

    def __init__(self, system: str, field: str, value: object, allowed: str) -> None:
        self.system = system
        self.field = field
        self.value = value
        self.allowed = allowed
        super().__init__(f"{system}: {field} is {value!r}; allowed: {allowed}.")


class Diverged(EngineError):
    """The solution is no longer finite.

    Attributes:
        system: name of the particle's system.
        frame: number of the frame, counted from 1.
        substep: substep within that frame, counted from 0; -1 when only the whole frame was checked.
        particle: index of the vertex in the system.
    """

    def __init__(self, system: str, frame: int, substep: int, particle: int) -> None:
        self.system = system
        self.frame = frame
        self.substep = substep
        self.particle = particle
        super().__init__(
            f"{system}: vertex {particle} left the finite numbers in frame {frame}"
            + (f", substep {substep}" if substep >= 0 else "")
            + "; raise the substeps, or lower the pressure or the start speed."
        )
