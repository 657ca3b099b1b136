"""Run as a script, in a process of its own: compiles a share of all kernels into the folder of compiled kernels.

One line of JSON comes in and says of which set. What goes out: a line with the number of kernels in it. Then a number
comes in for each that is to be compiled here, and an empty line goes out when it is; an empty one comes in at the end.
The engine is imported under the very name it has in the process that asks, because numba keeps names in compiled
kernels; the packages around it are stood in for, so that neither Blender nor the add-on is needed.
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


def stand_in_for_parents(engine: str, engine_folder: str) -> None:
    """Make empty packages around `engine`, a dotted name; the innermost one finds the engine's folder."""
    parents = engine.split(".")[:-1]
    for depth in range(1, len(parents) + 1):
        name = ".".join(parents[:depth])
        package = ModuleType(name)
        package.__path__ = [os.path.dirname(engine_folder)] if depth == len(parents) else []
        sys.modules[name] = package


def listen(said: queue.SimpleQueue[str]) -> None:
    """Note what the process says that asks; its pipe stays open as long as it lives, and this process no longer."""
    for line in sys.stdin:
        said.put(line.strip())
    os._exit(1)


def compile_share(engine: str, kernels: str, worlds: str, said: queue.SimpleQueue[str]) -> None:
    """Compile the kernels of a set that are asked for by number."""
    run_worlds = importlib.import_module(f"{engine}.{worlds}").run_small_worlds
    trace_signatures = importlib.import_module(f"{engine}.compiler.precompile.trace_signatures")
    importlib.import_module(f"{engine}.compiler.numba_patches").tell_nobody()
    calls = trace_signatures.to_compile(kernels, run_worlds)
    # A kernel that only others call is part of them: Python never calls it.
    called = {id(kernel) for kernel, _types in calls}
    for kernel in importlib.import_module(f"{engine}.compiler.kernels").KERNELS:
        if id(kernel) not in called:
            kernel.targetoptions["no_cpython_wrapper"] = True
    _say(str(len(calls)))
    while asked := said.get():
        kernel, wanted = calls[int(asked)]
        for types in wanted:
            kernel.compile(types)
        _say("")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Do as the line on stdin says."""
    said: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=listen, args=(said,), daemon=True).start()
    order = json.loads(said.get())
    if hasattr(os, "nice"):
        # On Windows the process is started with a lower priority.
        os.nice(order["niceness"])
    # The process soon ends: to look for garbage costs 7 % of its time, not to look for it 140 MB.
    gc.disable()
    sys.path[:] = order["path"]
    stand_in_for_parents(order["engine"], order["engine_folder"])
    importlib.import_module(f"{order['engine']}.compiler.kernel_cache").ask_folder(order["kernel_folder"])
    compile_share(order["engine"], order["kernels"], order["worlds"], said)
    # Without Python's tidying up, which would wait for the thread that reads stdin.
    os._exit(0)


if __name__ == "__main__":
    main()
