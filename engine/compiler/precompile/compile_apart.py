"""Compiles kernels in other processes: numba holds the GIL while it compiles, which would freeze the interface.

When no process can be started, or one fails, kernels compile in this process on their first call.
"""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from .child_process import FAILED, can_start, end, send, start

# More processes would only wait for the one with the slowest kernel.
MAX_PROCESSES = 4
_PROGRESS_SECONDS = 0.05

# Lines from the processes; None marks the end of a process.
_Lines = queue.SimpleQueue[tuple[subprocess.Popen[str], str | None]]


def compile_apart(
    sets: Sequence[str], worlds: str, kernel_folder: str | None, progress: Callable[[str], None],
    warn: Callable[[str], None], idle: bool = False,
) -> bool:
    """Compile sets of kernels into the folder of compiled kernels; returns whether all processes succeeded.

    Args:
        sets: names such as XPBD, SYMPLECTIC, RIGID, FIELDS or FLUIDS; the kernels of the first one come first.
        worlds: module within the engine that has `run_small_worlds`.
        kernel_folder: the folder requested, None for the platform's.
        progress: called with a sentence at least ten times a second; an exception from it ends the processes at once.
        warn: called with one sentence if a process fails.
        idle: whether to use half of the cores at the lowest priority, because nothing waits for the result.
    """
    if not can_start():
        return False
    cores = os.cpu_count() or 1
    count = max(1, min(cores // 2 if idle else cores, MAX_PROCESSES))
    lines: _Lines = queue.SimpleQueue()
    with ExitStack() as stack:
        try:
            processes = [_start(sets, worlds, kernel_folder, idle, lines, stack) for _ in range(count)]
        except OSError:
            return False
        failure = _distribute(lines, count, progress)
        if failure:
            warn(
                f"Compiling the solver beside Blender failed ({failure}), so Blender compiles it and does not answer "
                "meanwhile. Please report this."
            )
        return all(process.wait() == 0 for process in processes)


def _distribute(lines: _Lines, processes: int, progress: Callable[[str], None]) -> str:
    """Send the next kernel to each process that is idle, until every process has closed its output.

    Returns:
        the first error of a process, or nothing.
    """
    kernels = sent = done = ended = 0
    failure = ""
    while ended < processes:
        done_of = f", {done} of {kernels} kernels" if kernels else ""
        progress(f"Compiling the solver for this machine, once after each install or update{done_of}.")
        try:
            process, line = lines.get(timeout=_PROGRESS_SECONDS)
        except queue.Empty:
            continue
        if line is None:
            ended += 1
            continue
        if line.startswith(FAILED):
            failure = failure or line.removeprefix(FAILED)
            continue
        if line:
            kernels = int(line)
        else:
            done += 1
        send(process, str(sent) if sent < kernels else "")
        sent += 1
    return failure


def _start(
    sets: Sequence[str], worlds: str, kernel_folder: str | None, idle: bool, lines: _Lines, stack: ExitStack,
) -> subprocess.Popen[str]:
    """Start a process whose output goes to `lines`; the stack kills it if it still runs.

    Raises:
        OSError: it could not be started.
    """
    process = start("compiler.precompile.compile_share", kernel_folder, idle, sets=list(sets), worlds=worlds)
    stack.callback(end, process)
    threading.Thread(target=_listen, args=(process, lines), name="Flotsam compiler", daemon=True).start()
    return process


def _listen(process: subprocess.Popen[str], lines: _Lines) -> None:
    for line in process.stdout:
        lines.put((process, line.strip()))
    lines.put((process, None))
