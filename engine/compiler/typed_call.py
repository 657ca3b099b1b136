"""Calls of a kernel from Python whose argument types are looked up once.

For every NamedTuple it gets, numba derives the type anew at each call, array by array: 0.05 us an array, ten times
what it takes to unpack it. See docs/notes/2026-11-25-kernel-arguments.md.
"""

from __future__ import annotations

from typing import Any

from numba import typeof


class TypedCall:
    """Calls a kernel past numba's type lookup, for an owner whose arrays keep their precision and layout.

    The Python classes of the arguments are compared at each call, and other classes are looked up anew. The types of
    the arrays inside a NamedTuple are not: an owner whose arrays change precision, dimensions or layout needs another
    `TypedCall`.
    """

    def __init__(self, kernel: Any) -> None:
        """Args: kernel: a compiled kernel, or a plain function, which is called as it is."""
        self._kernel = kernel
        self._entry: Any = None
        self._classes: tuple[type, ...] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """The kernel's result."""
        if tuple(map(type, arguments)) == self._classes:
            return self._entry(*arguments)
        # The kernel may be a plain function: kernels are traced as such before they are compiled.
        if hasattr(self._kernel, "compile"):
            self._entry = self._kernel.compile(tuple(map(typeof, arguments)))
            self._classes = tuple(map(type, arguments))
            return self._entry(*arguments)
        return self._kernel(*arguments)
