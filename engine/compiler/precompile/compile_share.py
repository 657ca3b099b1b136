"""A task of a child process: compiles part of some sets of kernels into the folder of compiled kernels.

It writes a line with the number of kernels in the sets. Then it reads the index of a kernel, compiles that kernel and
writes an empty line, until it reads an empty line. If it fails it writes a line with its error.
"""

from __future__ import annotations

import importlib
import queue
import sys

from ..kernels import KERNELS, PLAIN
from .child_process import ENGINE, FAILED
from .trace_signatures import to_compile


def run(lines: queue.SimpleQueue[str], sets: list[str], worlds: str) -> None:
    """Compile the kernels whose indices arrive on stdin.

    Args:
        lines: from the parent process.
        sets, worlds: as in `compile_apart`.
    """
    try:
        _compile(lines, sets, worlds)
    except Exception as error:
        _write(f"{FAILED}{type(error).__name__}: {error}".splitlines()[0])
        raise


def _compile(lines: queue.SimpleQueue[str], sets: list[str], worlds: str) -> None:
    calls = to_compile(sets, importlib.import_module(f"{ENGINE}.{worlds}").run_small_worlds)
    if not PLAIN:
        _prepare_tuned({id(kernel) for kernel, _types in calls})
    _write(str(len(calls)))
    while index := lines.get():
        kernel, wanted = calls[int(index)]
        for types in wanted:
            kernel.compile(types)
        _write("")


def _prepare_tuned(called: set[int]) -> None:
    """Skip the Python entry point of kernels that only other kernels call; `called`: ids of all others."""
    for kernel in KERNELS:
        if id(kernel) not in called:
            kernel.targetoptions["no_cpython_wrapper"] = True


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
