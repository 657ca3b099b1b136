"""Kernel calls from Python that look up argument types only once.

Numba derives the type of every NamedTuple argument anew at each call, array by array. That costs 0.05 us per array, ten
times the cost of unpacking it. See docs/notes/2026-11-25-kernel-arguments.md.
"""

from __future__ import annotations

from typing import Any

from numba import typeof

from .kernels import PLAIN

# Compiled entries by kernel and fingerprint of the argument types. Rebuilt tables, such as those of a body that tears,
# have the same types; looking these up takes 0.4 ms for a kernel of 60 arrays.
_entries: dict[tuple[Any, Any], Any] = {}


def _fingerprint(arguments: tuple[Any, ...]) -> Any:
    """A key that identifies the types of arguments: numba's own fingerprint, in plain mode the types."""
    if PLAIN:
        return tuple(map(typeof, arguments))
    # Plain mode serves versions of numba that may not have it.
    from numba._dispatcher import compute_fingerprint

    return compute_fingerprint(arguments)


class TypedCall:
    """Calls a kernel without numba's type lookup, for an owner whose arrays keep their dtype and layout.

    Each call compares the Python classes of the arguments; new classes are looked up again. The types of arrays
    inside a NamedTuple are not compared: an owner whose arrays change dtype, dimensions or layout needs another
    `TypedCall`.
    """

    def __init__(self, kernel: Any) -> None:
        """Args: kernel: a compiled kernel, or a plain function, which is called directly."""
        self._kernel = kernel
        self._entry: Any = None
        self._classes: tuple[type, ...] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """The kernel's result."""
        if tuple(map(type, arguments)) == self._classes:
            return self._entry(*arguments)
        # Kernels run as plain functions while their signatures are traced.
        if hasattr(self._kernel, "compile"):
            entry_key = self._kernel, _fingerprint(arguments)
            if entry_key not in _entries:
                _entries[entry_key] = self._kernel.compile(tuple(map(typeof, arguments)))
            self._entry = _entries[entry_key]
            self._classes = tuple(map(type, arguments))
            return self._entry(*arguments)
        return self._kernel(*arguments)
