"""Kernels of plain mode: numba's `njit` and numba's own threads, with documented options only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

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


def start_pool() -> None:
    """Plain mode has no thread pool of its own."""
