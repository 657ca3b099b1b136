"""Starts Python processes that run a task of the engine, see `child`."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

# Below the priority of Blender's own work; IDLE_NICENESS is below all other work, for tasks that nothing waits for.
NICENESS, IDLE_NICENESS = 5, 19
# Prefix of a line with an error: the standard error of a process is discarded.
FAILED = "failed: "
# The engine's dotted name, whatever the extension is called.
ENGINE = __package__.rsplit(".", 2)[0]


def can_start() -> bool:
    """Whether `sys.executable` is a Python. In some builds of Blender it is Blender, and would open another window."""
    return Path(sys.executable or "").name.lower().startswith("python")


def start(task: str, kernel_folder: str | None, idle: bool = False, **arguments: Any) -> subprocess.Popen[str]:
    """Start a process for a task; it ends with this process at the latest.

    Args:
        task: a module within the engine that has `run`.
        kernel_folder: for compiled kernels, None for the platform's.
        idle: whether it runs at the lowest priority.
        arguments: of `run`; JSON must be able to represent them.

    Raises:
        OSError: it could not be started.
    """
    flags = 0
    if sys.platform == "win32":
        priority = subprocess.IDLE_PRIORITY_CLASS if idle else subprocess.BELOW_NORMAL_PRIORITY_CLASS
        flags = subprocess.CREATE_NO_WINDOW | priority
    folder = Path(__file__).parent
    # Isolated from the user's Python settings; it gets the module path of this process.
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(folder / "child.py")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, creationflags=flags,
    )
    send(process, json.dumps({
        "engine": ENGINE, "engine_folder": str(folder.parents[1]), "path": sys.path, "kernel_folder": kernel_folder,
        "niceness": IDLE_NICENESS if idle else NICENESS, "task": task, "arguments": arguments,
    }))
    return process


def send(process: subprocess.Popen[str], line: str) -> None:
    """Write a line to a process; if it has failed, its end is noticed elsewhere."""
    with suppress(OSError):
        process.stdin.write(line + "\n")
        process.stdin.flush()


def end(process: subprocess.Popen[str]) -> None:
    """Kill a process. Its pipes stay open: a thread may still read them, and ends with the process."""
    process.kill()
    process.wait()
