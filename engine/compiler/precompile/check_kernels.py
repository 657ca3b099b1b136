"""A task of a child process: compares tuned kernels with their plain twins, see `self_check`."""

from __future__ import annotations

import importlib
import queue
import sys

from .child_process import ENGINE

STARTED, AGREE, DIFFER = "started", "agree", "differ"


def run(_lines: queue.SimpleQueue[str], checks: dict[str, str]) -> None:
    """Write "started" when numba can be imported, then "agree" or "differ".

    Args:
        _lines: from the parent process; not used.
        checks: by module within the engine, its function that compares a kernel with its plain twin.
    """
    importlib.import_module("numba")
    sys.stdout.write(f"{STARTED}\n")
    sys.stdout.flush()
    agree = all(
        getattr(importlib.import_module(f"{ENGINE}.{module}"), function)() for module, function in checks.items()
    )
    sys.stdout.write(AGREE if agree else DIFFER)
