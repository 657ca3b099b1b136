"""Keeps Python's garbage collector out of the way while kernels are loaded."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """No garbage is collected meanwhile, and the first time nothing of what is there then is looked at again.

    Loading makes 200,000 objects, which stay. Collections during it took a fifth of its time, and each look at all
    objects held the interpreter, and with it Blender's window, for up to a tenth of a second. Only the first time,
    because later there are worlds, which are garbage one day.
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
