"""Checks tuned kernels once on every machine, in a child process, and changes to plain mode when they fail."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

from .. import kernel_cache, mode
from .check_kernels import AGREE, STARTED
from .child_process import ENGINE, can_start, end, start

# The check takes about five seconds. A process that needs longer than this hangs.
MAX_SECONDS = 120.0
_PROGRESS_SECONDS = 0.05

WRONG = "gave wrong results"
HUNG = "did not finish"
CRASHED = "could not be compiled or crashed"


def check_once(checks: dict[str, str], cache_folder: str | None, progress: Callable[[str], None]) -> None:
    """Run the check unless it has run on this machine or plain mode is in use; remembers the result in the folder.

    A failed check changes this process to plain mode if it has imported no kernel yet, and later processes in any case.
    If no Python can be started that can import numba, there is no check.

    Args:
        checks: as in `check_kernels.run`.
        cache_folder: for compiled kernels, None for the platform's.
        progress: called with a sentence at least ten times a second; an exception from it ends the check, which then
            counts as not run.
    """
    folder = kernel_cache.tuned_folder()
    if kernel_cache.plain_reason() is not None or mode.is_checked(folder) or not can_start():
        return
    try:
        process = start("compiler.precompile.check_kernels", cache_folder, checks=checks)
    except OSError:
        return
    try:
        has_ended = _wait(process, progress)
    finally:
        end(process)
    words = process.stdout.read().split()
    if STARTED not in words:
        return
    failure = HUNG if not has_ended else CRASHED if process.returncode != 0 else None if AGREE in words else WRONG
    mode.remember_check(folder, failure)
    if failure is not None and f"{ENGINE}.compiler.kernels" not in sys.modules:
        mode.use_plain(mode.failed_sentence(folder, failure))


def _wait(process: subprocess.Popen[str], progress: Callable[[str], None]) -> bool:
    """Wait until a process ends, for MAX_SECONDS at most; returns whether it has ended."""
    latest = time.monotonic() + MAX_SECONDS
    while time.monotonic() < latest:
        progress("Compiling a small check of the solver for this machine.")
        try:
            process.wait(_PROGRESS_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        return True
    return False
