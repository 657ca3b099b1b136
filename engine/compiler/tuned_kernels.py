"""Kernels of tuned mode: whole kernels, cached on disk, whose parallel loops run on the thread pool."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from numba.core.caching import FunctionCache

from . import kernel_cache
from .numba_cache_folder import numba_cache_folder
from .threads.side_by_side import side_by_side
from .threads.thread_pool import start_pool
from .whole_kernel import Kernel

# `no_cfunc_wrapper`: no C code calls a kernel. `forceinline` is always set explicitly: numba otherwise inherits missing
# options from the function whose compilation triggered this one, and the last bits would depend on it.
_ALWAYS: dict[str, Any] = {"nopython": True, "no_cfunc_wrapper": True, "forceinline": False}

# A kernel that does not allocate needs no reference counts. Counting costs two locked instructions for every array at
# each call from one kernel to another.
_NO_REFERENCE_COUNTS = {"_nrt": False}


class KernelFiles(FunctionCache):
    """Numba's cache of one kernel on disk. A disk error costs a compile, but does not end the bake."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel; None when there is none, or only a damaged one."""
        try:
            return super().load_overload(sig, target_context)
        except (OSError, EOFError, pickle.UnpicklingError):
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a compiled kernel; `kernel_cache.trouble` gives the reason when that fails."""
        try:
            super().save_overload(sig, data)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            kernel_cache.note_trouble(getattr(error, "strerror", None) or str(error))


def make_kernel(function: Callable, options: dict[str, Any], allocates: bool, folder: str | None) -> Kernel:
    """A dispatcher that compiles `function` whole when it is first called.

    Args:
        function: the kernel in Python.
        options: of `numba.njit`.
        allocates: whether the kernel allocates memory.
        folder: for compiled kernels, None to keep them in memory only.
    """
    compiled = Kernel(function, targetoptions=_ALWAYS | ({} if allocates else _NO_REFERENCE_COUNTS) | options)
    if folder is not None:
        with numba_cache_folder(folder):
            compiled.disk = KernelFiles(function)
    return compiled


__all__ = ["make_kernel", "side_by_side", "start_pool"]
