"""How kernels are compiled: the only place with numba options and the thread count.

`kernel` compiles for one thread, `parallel_kernel` for all. Inside a parallel kernel a thread writes only
particles of its own task: no reduction and no scatter in prange, so results do not depend on the threads.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numba
from numba import prange
from numba.core.caching import FunctionCache

from . import kernel_cache
from . import numba_patches as quicker
from .threads import launch
from .threads import thread_pool as team
from .whole_kernel import Kernel

# Flags by name. Without "nnan" and "ninf", so that a check for finite numbers keeps its meaning, and without
# "reassoc", so that sums come out in the written order on every machine.
FAST_MATH = {"contract", "nsz", "arcp"}

# Nobody calls a kernel from C. What is left out here a kernel takes over from whoever is compiled around it first, and
# its last bits would depend on that.
_BUILDING: dict[str, Any] = {
    "nopython": True, "nogil": True, "no_cfunc_wrapper": True, "fastmath": FAST_MATH, "error_model": "numpy",
    "forceinline": False,
}

# Where nothing is allocated nobody counts who holds an array: each call of one kernel by another did, twice for every
# array, by instructions that lock the bus.
_OPTIONS: dict[str, Any] = _BUILDING | {"_nrt": False}

# Only a written prange runs on all threads: no sum is split, and there is less to compile.
_PARALLEL = dict.fromkeys(
    ("comprehension", "reduction", "inplace_binop", "setitem", "numpy", "stencil", "fusion"), False
) | {"prange": True}

numba.config.CACHE_DIR = str(kernel_cache.folder())
_KEPT = kernel_cache.can_keep()

quicker.install()
launch.install()
_TEAM = team.begin()

# Every kernel, in the order of import.
KERNELS: list[Any] = []


class _KernelCache(FunctionCache):
    """Numba's cache of one kernel, where a disk that fails costs a compile and not the bake."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel; None when there is none, or only a damaged one."""
        try:
            return super().load_overload(sig, target_context)
        except (OSError, EOFError, pickle.UnpicklingError):
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel if the disk takes it."""
        try:
            super().save_overload(sig, data)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            kernel_cache.note_trouble(getattr(error, "strerror", None) or str(error))


def kernel(function: Callable) -> Callable:
    """Compile for one thread, without the GIL, kept on disk; it allocates nothing."""
    return _kept(function, _OPTIONS)


def building_kernel(function: Callable) -> Callable:
    """As `kernel`, for what is built once: it may allocate."""
    return _kept(function, _BUILDING)


def parallel_kernel(function: Callable) -> Callable:
    """Compile for all threads; the loop over tasks is a prange."""
    return _kept(function, _OPTIONS | {"parallel": _PARALLEL})


def part_of_kernel(function: Callable) -> Callable:
    """A part written into each kernel that calls it: a call with many arrays would cost more than it does.

    LLVM does that: numba's own `inline="always"` types and rewrites each copy, which takes longer.
    """
    return _kept(function, _OPTIONS | {"forceinline": True})


def _kept(function: Callable, options: dict[str, Any]) -> Kernel:
    """Whole, and kept on disk as by numba's `cache=True`, with our cache."""
    compiled = Kernel(function, targetoptions=dict(options))
    if _KEPT:
        compiled.disk = _KernelCache(function)
    KERNELS.append(compiled)
    return compiled


@contextmanager
def threads(count: int | None = None) -> Iterator[None]:
    """Kernels that the calling thread begins inside use `count` cores, 0 for all, None for as many as before.

    Outside of it they use one.
    """
    most, before = team.most_threads(numba.config.NUMBA_NUM_THREADS), numba.get_num_threads()
    count = before if count is None else count
    used = most if count <= 0 else min(count, most)
    numba.set_num_threads(used)
    try:
        with nullcontext() if used == 1 or _TEAM is None else _TEAM.at_work(used):
            yield
    finally:
        numba.set_num_threads(before)


def thread_count() -> int:
    """On how many threads loops run that are begun now."""
    return numba.get_num_threads()


def end_threads() -> None:
    """End the threads that help; the next to be wanted start anew."""
    if _TEAM is not None:
        _TEAM.end()


__all__ = [
    "KERNELS", "building_kernel", "end_threads", "kernel", "parallel_kernel", "part_of_kernel", "prange",
    "thread_count", "threads",
]
