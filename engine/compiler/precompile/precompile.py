"""Makes kernels ready before their first call: compiles them in other processes, or loads them from the cache."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterable, Sequence

from .. import kernel_cache
from ..collection import no_collection
from .child_process import ENGINE
from .compile_apart import compile_apart
from .self_check import check_once


def check_and_find_mode(
    checks: dict[str, str], progress: Callable[[str], None], cache_folder: str | None,
) -> bool:
    """Check the compiler unless that was done; returns whether plain mode is used. Args: as in `prepare_kernels`."""
    kernel_cache.ask_folder(cache_folder)
    check_once(checks, cache_folder, progress)
    return kernel_cache.plain_reason() is not None


def compile_ahead(
    sets: Iterable[str], worlds: str, checks: dict[str, str], progress: Callable[[str], None],
    cache_folder: str | None, idle: bool,
) -> bool:
    """Compile sets of kernels in other processes; returns whether all of them exist now.

    This loads no kernel and does not import numba. Arguments as in `prepare_kernels` and `compile_apart`.
    """
    kernel_cache.ask_folder(cache_folder)
    check_once(checks, cache_folder, progress)
    wanted = _incomplete(sets)
    if wanted and not (kernel_cache.can_keep() and compile_apart(
        wanted, worlds, cache_folder, progress, _ignore, idle
    )):
        return False
    for kernels in wanted:
        kernel_cache.mark_complete(kernels)
    return True


def _ignore(_sentence: str) -> None:
    pass


def _incomplete(sets: Iterable[str]) -> list[str]:
    """The sets that are not completely compiled."""
    return [kernels for kernels in sets if not kernel_cache.is_complete(kernels)]


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
    wanted = _incomplete(sets)
    if not wanted or (kernel_cache.can_keep() and compile_apart(wanted, worlds, cache_folder, progress, warn)):
        progress("Loading the solver.")
    else:
        progress("Compiling the solver for this machine; this takes about half a minute.")
    with no_collection():
        for kernels in sets:
            importlib.import_module(f"{ENGINE}.{worlds}").run_small_worlds(kernels)
            if kernel_cache.trouble() is None and not kernel_cache.is_complete(kernels):
                kernel_cache.mark_complete(kernels)
    for sentence in (kernel_cache.plain_reason(), kernel_cache.trouble()):
        if sentence is not None:
            warn(sentence)
    return time.perf_counter() - started
