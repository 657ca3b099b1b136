"""Script of a child process: runs one task of the engine for the process that started it.

A line of JSON on stdin names the task, a module of the engine with a function `run(lines, **arguments)`; `lines` gives
the lines that follow. The engine is imported under the name that it has in the parent process, because numba keeps
names in compiled kernels. Empty packages replace its parent packages, so that neither Blender nor the add-on is needed.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import queue
import sys
import threading
from types import ModuleType


def add_parent_packages(engine: str, engine_folder: str) -> None:
    """Make empty packages around `engine`, a dotted name; the innermost one finds the engine's folder."""
    parents = engine.split(".")[:-1]
    for depth in range(1, len(parents) + 1):
        name = ".".join(parents[:depth])
        package = ModuleType(name)
        package.__path__ = [os.path.dirname(engine_folder)] if depth == len(parents) else []
        sys.modules[name] = package


def listen(lines: queue.SimpleQueue[str]) -> None:
    """Queue the lines of stdin. Ends this process when the parent's end of the pipe closes."""
    for line in sys.stdin:
        lines.put(line.strip())
    os._exit(1)


def main() -> None:
    """Run the task that the first line of stdin names."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=listen, args=(lines,), daemon=True).start()
    order = json.loads(lines.get())
    if hasattr(os, "nice"):
        # On Windows the parent sets a lower priority.
        os.nice(order["niceness"])
    # The process is short: garbage collection costs 7 % of its time, and no collection costs 140 MB.
    gc.disable()
    sys.path[:] = order["path"]
    add_parent_packages(order["engine"], order["engine_folder"])
    importlib.import_module(f"{order['engine']}.compiler.kernel_cache").ask_folder(order["kernel_folder"])
    importlib.import_module(f"{order['engine']}.{order['task']}").run(lines, **order["arguments"])
    sys.stdout.flush()
    # Without Python's clean-up, which waits for the thread that reads stdin.
    os._exit(0)


if __name__ == "__main__":
    main()
