"""Compiles kernels in other processes when a thread calls them before they are compiled.

A solver may begin with the kernels of bodies that touch nothing. The first call to another kernel then waits here for
the rest. Without such a wait, numba would compile the kernel in this process and hold the GIL meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

# Compiles the next part of the missing kernels and returns whether there is more. At most one thread solves at a time.
_compile_more: Callable[[], bool] | None = None
_thread: threading.Thread | None = None
_seconds = 0.0


def when_missing(compile_more: Callable[[], bool] | None) -> None:
    """Set what the calling thread does when it calls a kernel that is not compiled.

    Args:
        compile_more: compiles a part of the missing kernels and returns whether there is more; an exception from it
            ends the call of the kernel. None: kernels compile in this process again.
    """
    global _compile_more, _thread
    _compile_more, _thread = compile_more, threading.current_thread()


def compile_missing() -> bool:
    """Compile the next part if the calling thread called `when_missing`; returns whether anything was compiled."""
    global _compile_more, _seconds
    compile_more = _compile_more
    if compile_more is None or threading.current_thread() is not _thread:
        return False
    started = time.perf_counter()
    # A kernel that is called during the wait compiles in this process.
    _compile_more = None
    try:
        if compile_more():
            _compile_more = compile_more
    finally:
        _seconds += time.perf_counter() - started
    return True


def seconds_waited() -> float:
    """Seconds that this process has waited for missing kernels so far."""
    return _seconds
