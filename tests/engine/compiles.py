"""Records which kernels numba compiles in this process, by name, from the import of this module on."""

from __future__ import annotations

from numba.core import event

compiled: list[str] = []


class _Listener(event.Listener):
    """Records each function when numba starts to compile it, including parts of other kernels."""

    def on_start(self, event: event.Event) -> None:
        """Record the name of the function."""
        compiled.append(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: event.Event) -> None:
        """Nothing: the function has been recorded."""


event.register("numba:compile", _Listener())
