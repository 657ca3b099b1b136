"""Which kernels numba compiles in this process, by name, from the import of this module on."""

from __future__ import annotations

from numba.core import event

compiled: list[str] = []


class _Listener(event.Listener):
    """Notes each function as numba begins with it, parts of others too."""

    def on_start(self, event: event.Event) -> None:
        """Takes its name."""
        compiled.append(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: event.Event) -> None:
        """Nothing: it was noted."""


event.register("numba:compile", _Listener())
