"""Sets numba's cache folder for our kernels only. The setting belongs to the whole process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numba


@contextmanager
def numba_cache_folder(folder: str | None) -> Iterator[None]:
    """Dispatchers created inside the block store compiled code in `folder`; None changes nothing."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = before if folder is None else folder
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before
