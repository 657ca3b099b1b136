"""Finds out which kernels the small worlds call with which types, without compiling any.

Their kernels run as plain Python, which takes a fifth of a second and tells all that is to be compiled beforehand,
so that several processes can share the work.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numba
from numba.core.extending import _Intrinsic

from ..kernels import KERNELS

# A parallel loop takes as long to compile as so many bytes of code.
PARALLEL = 1200
ENGINE = __package__.rsplit(".", 2)[0]


def to_compile(kernels: str, run_worlds: Callable[[str], None]) -> list[tuple[Any, list[tuple[Any, ...]]]]:
    """What a set needs, XPBD, SYMPLECTIC or RIGID: kernels and types, the longest to compile first.

    RIGID comes after XPBD, and needs nothing of what that has. `run_worlds` calls every kernel of a set.
    """
    known = trace("XPBD", run_worlds) if kernels == "RIGID" else {}
    calls = {
        kernel: new for kernel, called in trace(kernels, run_worlds).items()
        if (new := [types for types in called if types not in known.get(kernel, ())])
    }
    return sorted(calls.items(), key=lambda call: -_weight(call[0]))


def trace(kernels: str, run_worlds: Callable[[str], None]) -> dict[Any, list[tuple[Any, ...]]]:
    """Every kernel that Python calls in the small worlds of a set, with the types it gets."""
    calls: dict[Any, list[tuple[Any, ...]]] = {}
    stand_ins = {id(kernel): _stand_in(kernel, calls) for kernel in KERNELS}
    places = [
        (module, name, value)
        for module_name, module in list(sys.modules.items())
        if module_name.startswith(f"{ENGINE}.")
        for name, value in vars(module).items()
        if id(value) in stand_ins or isinstance(value, _Intrinsic)
    ]
    for module, name, value in places:
        setattr(module, name, stand_ins.get(id(value), _skip))
    try:
        run_worlds(kernels)
    finally:
        for module, name, value in places:
            setattr(module, name, value)
    return calls


def _stand_in(kernel: Any, calls: dict[Any, list[tuple[Any, ...]]]) -> Callable[..., Any]:
    """The kernel as plain Python that notes what it is called with.

    Kernels called by kernels are compiled along with those; their types here are Python's and mean nothing.
    """

    def noted(*arguments: Any) -> Any:
        if sys._getframe(1).f_code not in _BODIES:
            types = tuple(numba.typeof(argument) for argument in arguments)
            known = calls.setdefault(kernel, [])
            if types not in known:
                known.append(types)
        return kernel.py_func(*arguments)

    return noted


def _skip(*_arguments: Any) -> None:
    """Instead of vector code, which has no plain Python; what it leaves in the arrays does not matter here."""


_BODIES = {kernel.py_func.__code__ for kernel in KERNELS}


def _weight(kernel: Any) -> int:
    """A guess of how long it takes to compile, with the kernels it calls."""
    code = kernel.py_func.__code__
    called = [kernel.py_func.__globals__.get(name) for name in code.co_names]
    own = len(code.co_code) + (PARALLEL if kernel.targetoptions.get("parallel") else 0)
    return own + sum(_weight(other) for other in called if any(other is known for known in KERNELS))
