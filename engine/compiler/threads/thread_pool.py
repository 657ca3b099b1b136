"""The threads that take part in loops, from the first to the last loop of a frame.

Numba's own take 7 us a loop where it finds Blender's TBB, five times a step of a hundred; OpenMP's wait for each other
even when one of them has no core just now. These look for work all the time, for half a microsecond a loop, but only
while work is open (`together`), and ever less often the longer they find none.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import llvmlite.binding as llvm
from numba.core.registry import cpu_target
from numba.np.ufunc import parallel

from .thread_pool_code import MOST, PLACES, machine_code

# What pthread keeps is smaller than this everywhere [bytes]; and numbers of the table lie on lines of their own.
_LARGEST, _LINE = 128, 128

# The name by which compiled kernels call `share`.
SYMBOL = "flotsam.share"


class Team:
    """Helpers of whoever calls a loop; they start when they are first wanted, and sleep when nothing is open."""

    def __init__(self) -> None:
        self._memory = ctypes.create_string_buffer(_LINE + 8 * PLACES + 2 * _LARGEST)
        table = -(-ctypes.addressof(self._memory) // _LINE) * _LINE
        mutex, condition = (table + 8 * PLACES + k * _LARGEST for k in range(2))
        for name, kept in (("pthread_mutex_init", mutex), ("pthread_cond_init", condition)):
            getattr(ctypes.CDLL(None), name)(ctypes.c_void_p(kept), None)
        code = machine_code(cpu_target.target_context.codegen(), table, mutex, condition)
        self.share = code["flotsam.share"]
        self._serve = ctypes.CFUNCTYPE(None, ctypes.c_int64)(code["flotsam.serve"])
        self._wake = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(code["flotsam.wake"])
        self._helpers: list[threading.Thread] = []
        self._starting = threading.Lock()
        # Before Python takes away the code that they run.
        atexit.register(self.end)

    @contextmanager
    def at_work(self, threads: int) -> Iterator[None]:
        """Loops begun inside are shared by so many threads, the caller among them."""
        with self._starting:
            while len(self._helpers) < threads - 1:
                helper = threading.Thread(
                    target=self._serve, args=(len(self._helpers) + 1,), name="Flotsam helper", daemon=True
                )
                self._helpers.append(helper)
                helper.start()
        self._wake(1, threads - 1, 0)
        try:
            yield
        finally:
            self._wake(-1, 0, 0)

    def end(self) -> None:
        """Send the helpers home; those that are wanted again start anew."""
        with self._starting:
            self._wake(0, 0, 1)
            for helper in self._helpers:
                helper.join()
            self._helpers.clear()
            self._wake(0, 0, 0)


def begin() -> Team | None:
    """Bind what kernels call for a loop; without pthread, on Windows, to numba's own threads."""
    if os.name != "posix":
        parallel._launch_threads()
        llvm.add_symbol(SYMBOL, llvm.address_of_symbol("numba_parallel_for"))
        return None
    team = Team()
    llvm.add_symbol(SYMBOL, team.share)
    return team


def most_threads(threads: int) -> int:
    """No more than fit a loop's offer."""
    return min(threads, MOST)
