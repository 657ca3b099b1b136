"""How kernels are compiled: the only place with numba options and the thread count.

`kernel` compiles for one thread, `parallel_kernel` for all. Inside a parallel kernel a thread writes only
particles of its own task: no reduction and no scatter in prange, so results do not depend on the threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import njit, prange

from . import kernel_cache

# Flags by name. Without "nnan" and "ninf", so that a check for finite numbers keeps its meaning, and without
# "reassoc", so that sums come out in the written order on every machine.
FAST_MATH = {"contract", "nsz", "arcp"}

numba.config.CACHE_DIR = str(kernel_cache.folder())

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "fastmath": FAST_MATH, "error_model": "numpy"}


def kernel(function: Callable) -> Callable:
    """Compile for one thread, without the GIL, kept on disk."""
    return njit(**_OPTIONS)(function)


def parallel_kernel(function: Callable) -> Callable:
    """Compile for all threads; the loop over tasks is a prange."""
    return njit(parallel=True, **_OPTIONS)(function)


def use_threads(count: int) -> None:
    """Let the calling thread's kernels use `count` cores, 0 for all."""
    most = numba.config.NUMBA_NUM_THREADS
    numba.set_num_threads(most if count <= 0 else min(count, most))


__all__ = ["kernel", "parallel_kernel", "prange", "use_threads"]
