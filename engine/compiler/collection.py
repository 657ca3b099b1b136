"""Disables Python's garbage collector while kernels are loaded."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Disable garbage collection in the block; the first time, also freeze all objects that exist at its end.

    Loading makes 200,000 objects that stay alive. Collections took a fifth of the loading time, and each full
    collection blocked the interpreter, and with it Blender's window, for up to a tenth of a second. Objects are frozen
    only the first time, because later ones include worlds, which become garbage.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if gc.get_freeze_count() == 0:
                gc.freeze()
            gc.enable()
