"""Kernels of plain mode: numba's `njit` and numba's own threads, with documented options only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.extending import register_jitable

from .numba_cache_folder import numba_cache_folder


def make_kernel(function: Callable, options: dict[str, Any], _allocates: bool, folder: str | None) -> Any:
    """A dispatcher that compiles `function` when it is first called.

    Args:
        function: the kernel in Python.
        options: of `numba.njit`.
        folder: for compiled kernels, None to keep them in memory only.
    """
    with numba_cache_folder(folder):
        return numba.njit(cache=folder is not None, **options)(function)


def side_by_side(call: Callable) -> Any:
    """A function of kernels: (count, *arguments) runs call(k, *arguments) for every k below count, one after another.

    Args:
        call: a plain function that calls kernels; the loops in them use all threads.
    """
    each = register_jitable(call)

    def run(count: int, *arguments: Any) -> None:
        for own in range(count):
            each(own, *arguments)

    return register_jitable(run)


def start_pool() -> None:
    """Plain mode has no thread pool of its own."""
