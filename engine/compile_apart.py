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
from contextlib import ExitStack
from pathlib import Path
from typing import IO

# More would wait for the longest kernel.
MOST_PROCESSES = 4
# Below what the artist does meanwhile.
NICENESS = 5
_TELL_SECONDS = 0.05


def compile_apart(kernels: str, kernel_folder: str | None, progress: Callable[[str], None]) -> bool:
    """Fill the folder of compiled kernels with those of a set; returns whether all went well.

    Args:
        kernels: the set, see `warm.run_small_worlds`.
        kernel_folder: as asked for, None for the platform's.
        progress: called with a sentence at least ten times a second; what it raises ends the processes at once.
    """
    python = sys.executable or ""
    if not Path(python).name.lower().startswith("python"):
        # Some builds of Blender name themselves here; another window would open.
        return False
    shares = max(1, min(os.cpu_count() or 1, MOST_PROCESSES))
    told: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    with ExitStack() as stack:
        try:
            processes = [
                _start(python, kernels, share, shares, kernel_folder, told, stack) for share in range(shares)
            ]
        except OSError:
            return False
        _follow(told, shares, progress)
        return all(process.wait() == 0 for process in processes)


def _follow(told: queue.SimpleQueue[str | None], shares: int, progress: Callable[[str], None]) -> None:
    """Say how far all processes are, until each has closed its output."""
    counts: list[int] = []
    done = ended = 0
    while ended < shares:
        done_of = f", {done} of {sum(counts)} kernels" if len(counts) == shares else ""
        progress(f"Compiling the solver for this machine, once after each install or update{done_of}.")
        try:
            line = told.get(timeout=_TELL_SECONDS)
        except queue.Empty:
            continue
        if line is None:
            ended += 1
        elif line:
            counts.append(int(line))
        else:
            done += 1


def _start(
    python: str, kernels: str, share: int, shares: int, kernel_folder: str | None,
    told: queue.SimpleQueue[str | None], stack: ExitStack,
) -> subprocess.Popen[str]:
    """Start a process; what it says goes to `told`, None at its end. The stack ends it if it still runs.

    Raises:
        OSError: it could not be started.
    """
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS
    folder = Path(__file__).parent
    # Nothing of the user's Python settings, and no site-packages but those of this process.
    process = subprocess.Popen(
        [python, "-I", "-S", str(folder / "compile_share.py")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, creationflags=flags,
    )
    stack.callback(_end, process)
    order = {
        "engine": __package__, "engine_folder": str(folder), "path": sys.path, "kernel_folder": kernel_folder,
        "kernels": kernels, "share": share, "shares": shares, "niceness": NICENESS,
    }
    process.stdin.write(json.dumps(order) + "\n")
    process.stdin.flush()
    threading.Thread(target=_listen, args=(process.stdout, told), name="Flotsam compiler", daemon=True).start()
    return process


def _listen(lines: IO[str], told: queue.SimpleQueue[str | None]) -> None:
    for line in lines:
        told.put(line.strip())
    told.put(None)


def _end(process: subprocess.Popen[str]) -> None:
    """Its pipes stay open: the thread that listens may still read, and ends with the process."""
    process.kill()
    process.wait()
