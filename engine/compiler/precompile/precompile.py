"""Makes kernels ready before their first call: compiles them in other processes, or loads them from the cache."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterable, Sequence

from .. import kernel_cache
from .child_process import ENGINE
from .compile_apart import compile_apart
from .self_check import check_once


def compile_ahead(
    sets: Iterable[str], worlds: str, checks: dict[str, str], progress: Callable[[str], None],
    cache_folder: str | None,
) -> bool:
    """Compile sets of kernels in advance, at the lowest priority; returns whether all of them exist now.

    This loads no kernel and does not import numba. Arguments as in `prepare_kernels`.
    """
    kernel_cache.ask_folder(cache_folder)
    check_once(checks, cache_folder, progress)
    for kernels in sets:
        if kernel_cache.is_complete(kernels):
            continue
        if not (kernel_cache.can_keep() and compile_apart(kernels, worlds, cache_folder, progress, idle=True)):
            return False
        kernel_cache.mark_complete(kernels)
    return True


def prepare_kernels(
    sets: Sequence[str], worlds: str, checks: dict[str, str], progress: Callable[[str], None],
    cache_folder: str | None, warn: Callable[[str], None],
) -> float:
    """Compile kernels, or load them from the cache; returns the seconds it took. See `engine.prepare`.

    Args:
        sets: names of sets of kernels, such as "XPBD", one after another.
        worlds: module within the engine whose `run_small_worlds` calls every kernel of a set. It is imported after the
            cache folder is known, because the first kernel fixes the folder.
        checks: as in `check_kernels.run`.
        progress, cache_folder, warn: as in `engine.prepare`.
    """
    started = time.perf_counter()
    kernel_cache.ask_folder(cache_folder)
    check_once(checks, cache_folder, progress)
    for kernels in sets:
        if kernel_cache.is_complete(kernels):
            progress("Loading the solver.")
        elif kernel_cache.can_keep() and compile_apart(kernels, worlds, cache_folder, progress):
            progress("Loading the solver.")
        else:
            progress("Compiling the solver for this machine; this takes about half a minute.")
        importlib.import_module(f"{ENGINE}.{worlds}").run_small_worlds(kernels)
        if kernel_cache.trouble() is None and not kernel_cache.is_complete(kernels):
            kernel_cache.mark_complete(kernels)
    for sentence in (kernel_cache.plain_reason(), kernel_cache.trouble()):
        if sentence is not None:
            warn(sentence)
    return time.perf_counter() - started
