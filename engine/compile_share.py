"""Run as a script, in a process of its own: compiles a share of all kernels into the folder of compiled kernels.

One line of JSON comes in and says which. What goes out: a line with the number of kernels, then a line after
each. The engine is imported under the very name it has in the process that asks, because numba keeps names in
compiled kernels; the packages around it are stood in for, so that neither Blender nor the add-on is needed.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import threading
from types import ModuleType


def stand_in_for_parents(engine: str, engine_folder: str) -> None:
    """Make empty packages around `engine`, a dotted name; the innermost one finds the engine's folder."""
    parents = engine.split(".")[:-1]
    for depth in range(1, len(parents) + 1):
        name = ".".join(parents[:depth])
        package = ModuleType(name)
        package.__path__ = [os.path.dirname(engine_folder)] if depth == len(parents) else []
        sys.modules[name] = package


def end_with_parent() -> None:
    """The pipe that brought the order stays open as long as the process that asks lives."""
    while os.read(0, 1):
        pass
    os._exit(1)


def compile_share(engine: str, kernels: str, share: int, shares: int) -> None:
    """Compile every `shares`-th kernel of a set, beginning with number `share`."""
    rehearsal = importlib.import_module(f"{engine}.rehearsal")
    mine = rehearsal.share_of(rehearsal.to_compile(kernels), share, shares)
    # A kernel that is only called by mine is part of it: Python never calls it here.
    called = {id(kernel) for kernel, _types in mine}
    for kernel in importlib.import_module(f"{engine}.jit").KERNELS:
        if id(kernel) not in called:
            kernel.targetoptions["no_cpython_wrapper"] = True
    _say(str(len(mine)))
    for kernel, calls in mine:
        for types in calls:
            kernel.compile(types)
        _say("")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Do as the line on stdin says."""
    order = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        # On Windows the process is started with a lower priority.
        os.nice(order["niceness"])
    # The process soon ends: to look for garbage costs 7 % of its time, not to look for it 140 MB.
    gc.disable()
    sys.path[:] = order["path"]
    stand_in_for_parents(order["engine"], order["engine_folder"])
    importlib.import_module(f"{order['engine']}.kernel_cache").ask_folder(order["kernel_folder"])
    compile_share(order["engine"], order["kernels"], order["share"], order["shares"])
    # Without Python's tidying up, which would wait for the thread that reads stdin.
    os._exit(0)


if __name__ == "__main__":
    main()
