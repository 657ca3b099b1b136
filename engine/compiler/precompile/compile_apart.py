"""Lets other processes compile the kernels: numba holds Python's lock while it compiles, which stops an interface.

Without such a process (no Python to start, or it fails) nothing is lost: kernels are then compiled where they are
first called.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

# More would wait for the longest kernel.
MOST_PROCESSES = 4
# Below what the artist does meanwhile; and below everything, where nobody waits for it.
NICENESS, IDLE_NICENESS = 5, 19
_TELL_SECONDS = 0.05
# The engine's dotted name, whatever the extension is called.
ENGINE = __package__.rsplit(".", 2)[0]

# What processes say: a line, or None at the end.
_Told = queue.SimpleQueue[tuple[subprocess.Popen[str], str | None]]


def compile_apart(
    kernels: str, worlds: str, kernel_folder: str | None, progress: Callable[[str], None], ahead: bool = False,
) -> bool:
    """Fill the folder of compiled kernels with those of a set; returns whether all went well.

    Args:
        kernels: the set: XPBD, SYMPLECTIC or RIGID.
        worlds: module within the engine that has `run_small_worlds`.
        kernel_folder: as asked for, None for the platform's.
        progress: called with a sentence at least ten times a second; what it raises ends the processes at once.
        ahead: nobody waits for it, so half of the cores do it at the lowest priority.
    """
    python = sys.executable or ""
    if not Path(python).name.lower().startswith("python"):
        # Some builds of Blender name themselves here; another window would open.
        return False
    cores = os.cpu_count() or 1
    count = max(1, min(cores // 2 if ahead else cores, MOST_PROCESSES))
    told: _Told = queue.SimpleQueue()
    with ExitStack() as stack:
        try:
            order = {"kernels": kernels, "worlds": worlds, "kernel_folder": kernel_folder,
                     "niceness": IDLE_NICENESS if ahead else NICENESS}
            processes = [_start(python, order, told, stack) for _ in range(count)]
        except OSError:
            return False
        _hand_out(told, count, progress)
        return all(process.wait() == 0 for process in processes)


def _hand_out(told: _Told, processes: int, progress: Callable[[str], None]) -> None:
    """Give each process that has nothing to do the next kernel, until each has closed its output; say how far it is."""
    kernels = handed = done = ended = 0
    while ended < processes:
        done_of = f", {done} of {kernels} kernels" if kernels else ""
        progress(f"Compiling the solver for this machine, once after each install or update{done_of}.")
        try:
            process, line = told.get(timeout=_TELL_SECONDS)
        except queue.Empty:
            continue
        if line is None:
            ended += 1
            continue
        if line:
            kernels = int(line)
        else:
            done += 1
        _say(process, str(handed) if handed < kernels else "")
        handed += 1


def _start(python: str, order: dict[str, Any], told: _Told, stack: ExitStack) -> subprocess.Popen[str]:
    """Start a process; it and what it says go to `told`, None at its end. The stack ends it if it still runs.

    Args: order: kernels, worlds, kernel_folder and niceness, as `compile_share` takes them.

    Raises:
        OSError: it could not be started.
    """
    flags = 0
    if sys.platform == "win32":
        idle = order["niceness"] == IDLE_NICENESS
        flags = subprocess.IDLE_PRIORITY_CLASS if idle else subprocess.BELOW_NORMAL_PRIORITY_CLASS
        flags |= subprocess.CREATE_NO_WINDOW
    folder = Path(__file__).parent
    # Nothing of the user's Python settings, and no site-packages but those of this process.
    process = subprocess.Popen(
        [python, "-I", "-S", str(folder / "compile_share.py")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, creationflags=flags,
    )
    stack.callback(_end, process)
    order = {**order, "engine": ENGINE, "engine_folder": str(folder.parents[1]), "path": sys.path}
    threading.Thread(target=_listen, args=(process, told), name="Flotsam compiler", daemon=True).start()
    _say(process, json.dumps(order))
    return process


def _say(process: subprocess.Popen[str], line: str) -> None:
    """To a process; one that has failed is heard of by its end."""
    with suppress(OSError):
        process.stdin.write(line + "\n")
        process.stdin.flush()


def _listen(process: subprocess.Popen[str], told: _Told) -> None:
    for line in process.stdout:
        told.put((process, line.strip()))
    told.put((process, None))


def _end(process: subprocess.Popen[str]) -> None:
    """Its pipes stay open: the thread that listens may still read, and ends with the process."""
    process.kill()
    process.wait()
