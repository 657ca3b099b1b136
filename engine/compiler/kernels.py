"""The decorators that compile kernels, and the thread count: the only place with numba options.

`kernel` compiles for one thread, `parallel_kernel` for all. In a parallel kernel a thread writes only to the particles
of its own task: a prange contains no reduction and no scatter, so results do not depend on the thread count.

`mode` decides how kernels are compiled: by `tuned_kernels` or by `plain_kernels`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numba
from numba import prange

from . import kernel_cache

# Whether this process uses plain mode.
PLAIN = kernel_cache.plain_reason() is not None

if PLAIN:
    from .plain_kernels import make_kernel, side_by_side, start_pool
else:
    from .tuned_kernels import make_kernel, side_by_side, start_pool

# Flags by name. Without "nnan" and "ninf", so that checks for finite numbers work. Without "reassoc", so that sums are
# taken in the written order on every machine.
FAST_MATH = {"contract", "nsz", "arcp"}

_OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": FAST_MATH, "error_model": "numpy"}

# Only an explicit prange runs on several threads: numba splits no sum and fuses no loops, and compiles less.
_PARALLEL = dict.fromkeys(
    ("comprehension", "reduction", "inplace_binop", "setitem", "numpy", "stencil", "fusion"), False
) | {"prange": True}

# The folder on disk, None where kernels cannot be written.
_FOLDER = str(kernel_cache.folder()) if kernel_cache.can_keep() else None
_POOL = start_pool()

# Every kernel, in the order of import.
KERNELS: list[Any] = []


def kernel(function: Callable) -> Callable:
    """Compile for one thread, without the GIL, kept on disk. The kernel must not allocate."""
    return _register(function)


def building_kernel(function: Callable) -> Callable:
    """As `kernel`, for work done once per world: it may allocate."""
    return _register(function, allocates=True)


def parallel_kernel(function: Callable) -> Callable:
    """Compile for all threads; the loop over tasks is a prange."""
    return _register(function, parallel=_PARALLEL)


def part_of_kernel(function: Callable) -> Callable:
    """As `kernel`, and LLVM inlines it into every caller: a call that passes many arrays costs more than the work.

    Numba's own `inline="always"` types and rewrites each copy, which takes longer.
    """
    return _register(function, forceinline=True)


def _register(function: Callable, allocates: bool = False, **options: Any) -> Any:
    compiled = make_kernel(function, _OPTIONS | options, allocates, _FOLDER)
    KERNELS.append(compiled)
    return compiled


@contextmanager
def threads(count: int | None = None) -> Iterator[None]:
    """Set the thread count of kernels that the calling thread runs inside the block; restores it afterwards.

    Args:
        count: threads, 0 for all, None for no change.
    """
    most, before = numba.config.NUMBA_NUM_THREADS, numba.get_num_threads()
    if _POOL is not None:
        most = min(most, _POOL.MAX_THREADS)
    count = before if count is None else count
    used = most if count <= 0 else min(count, most)
    numba.set_num_threads(used)
    try:
        with nullcontext() if used == 1 or _POOL is None else _POOL.running(used):
            yield
    finally:
        numba.set_num_threads(before)


def thread_count() -> int:
    """Number of threads that a parallel kernel uses when the calling thread runs it now."""
    return numba.get_num_threads()


def end_threads() -> None:
    """Stop the pool's worker threads; the next use starts them again."""
    if _POOL is not None:
        _POOL.stop()


__all__ = [
    "KERNELS", "PLAIN", "building_kernel", "end_threads", "kernel", "parallel_kernel", "part_of_kernel", "prange",
    "side_by_side", "thread_count", "threads",
]
