"""Finds the kernels that the small worlds call, and with which argument types, without compiling any.

The kernels run as plain Python, which takes a fifth of a second. The result is the full list of what to compile, so
several processes can share the work.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dis import get_instructions
from functools import cache
from typing import Any

import numba
from numba.core.extending import _Intrinsic

from ..kernels import KERNELS
from .child_process import ENGINE

# A parallel loop adds as much compile time as this many bytes of bytecode.
PARALLEL_LOOP_COST = 1200


def to_compile(
    sets: Sequence[str], run_worlds: Callable[[str], None],
) -> list[tuple[Any, list[tuple[Any, ...]]]]:
    """The kernels and types of some sets (XPBD, SYMPLECTIC, RIGID ...), each once, set by set.

    Those with the longest compile time come first in each set. `run_worlds` calls every kernel of a set.
    """
    known: dict[Any, list[tuple[Any, ...]]] = {}
    calls: list[tuple[Any, list[tuple[Any, ...]]]] = []
    for kernels in sets:
        called = trace(kernels, run_worlds)
        for kernel in sorted(called, key=lambda kernel: -_compile_cost(kernel)):
            known_types = known.setdefault(kernel, [])
            new = [types for types in called[kernel] if types not in known_types]
            known_types += new
            if new:
                calls.append((kernel, new))
    return calls


def trace(kernels: str, run_worlds: Callable[[str], None]) -> dict[Any, list[tuple[Any, ...]]]:
    """Every kernel that Python calls in the small worlds of a set, with the types of its arguments."""
    calls: dict[Any, list[tuple[Any, ...]]] = {}
    running: list[Any] = []
    recorders = {id(kernel): _recorder(kernel, running, calls) for kernel in KERNELS}
    places = [
        (module, name, value)
        for module_name, module in list(sys.modules.items())
        if module_name.startswith(f"{ENGINE}.")
        for name, value in vars(module).items()
        if id(value) in recorders or isinstance(value, _Intrinsic)
    ]
    for module, name, value in places:
        setattr(module, name, recorders.get(id(value), _skip))
    try:
        run_worlds(kernels)
    finally:
        for module, name, value in places:
            setattr(module, name, value)
    return calls


def _recorder(kernel: Any, running: list[Any], calls: dict[Any, list[tuple[Any, ...]]]) -> Callable[..., Any]:
    """The kernel as plain Python that records its argument types; `running`: kernels that have not returned.

    Calls from other kernels are not recorded: those callees compile together with their callers, and their types here
    are Python's.
    """

    def record(*arguments: Any) -> Any:
        if not running:
            types = tuple(numba.typeof(argument) for argument in arguments)
            known = calls.setdefault(kernel, [])
            if types not in known:
                known.append(types)
        running.append(kernel)
        try:
            return kernel.py_func(*arguments)
        finally:
            running.pop()

    return record


def _skip(*arguments: Any) -> Any:
    """Replaces vector code, which has no plain Python version; returns the last argument (a count) unchanged."""
    return arguments[-1]


@cache
def _compile_cost(kernel: Any) -> int:
    """An estimate of the compile time of a kernel and the kernels it calls."""
    code, namespace = kernel.py_func.__code__, kernel.py_func.__globals__
    # `co_names` would not do: an attribute may have the name of a kernel.
    called = {id(namespace.get(one.argval)) for one in get_instructions(code) if one.opname == "LOAD_GLOBAL"}
    own = len(code.co_code) + (PARALLEL_LOOP_COST if kernel.targetoptions.get("parallel") else 0)
    return own + sum(_compile_cost(other) for other in KERNELS if id(other) in called)
