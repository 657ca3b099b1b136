"""Patches of numba that act only while a tuned kernel compiles, and that leave numba's results as they are.

`patched` changes classes of numba and restores them. The caller holds numba's compiler lock, so no other thread
compiles meanwhile. docs/notes/2026-11-25-numba-patches.md has the measured gain of each patch.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction
from numba.np.ufunc import parallel

from .threads.launch import build_loop_launcher


@contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Replace an attribute of a class or module; restores the previous value afterwards."""
    before = vars(owner)[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextmanager
def patched() -> Iterator[None]:
    """Compile with all patches."""
    with (
        replaced(parallel, "build_gufunc_kernel", build_loop_launcher),
        replaced(BaseFunction, "get_call_type", _call_type),
        replaced(event, "start_event", _start_event),
        replaced(event, "end_event", _end_event),
    ):
        yield


_numbas_start, _numbas_end = event.start_event, event.end_event
# Compiling all kernels of soft bodies emits 280,000 of these events.
_LOCK = "numba:llvm_lock"


def _start_event(kind: str, data: Any = None) -> None:
    """As numba's, except for its lock around LLVM, whose events serve only to measure how long it is held."""
    if kind != _LOCK:
        _numbas_start(kind, data)


def _end_event(kind: str, data: Any = None, exc_details: Any = None) -> None:
    """As `_start_event`."""
    if kind != _LOCK:
        _numbas_end(kind, data, exc_details)


_numbas_call_type = BaseFunction.get_call_type
# Kept apart from the functions themselves, because those are pickled with the kernels.
_CALL_TYPES: dict[BaseFunction, dict[tuple[Any, ...], Any]] = {}

# Keyed by the `id` of the flags object. The object is kept with its name, so that Python does not reuse its id.
_FLAG_NAMES: dict[int, tuple[Any, str]] = {}


def _flags_name() -> str:
    """The flags of the function that is being compiled, as text; numba's hash of them sorts forty values."""
    flags = ConfigStack.top_or_none()
    if id(flags) not in _FLAG_NAMES:
        _FLAG_NAMES[id(flags)] = flags, repr(flags)
    return _FLAG_NAMES[id(flags)][1]


def _call_type(function: BaseFunction, context: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
    """The signature of a call, cached. Numba resolves a dozen candidates for each operator, and does so at each use."""
    if kws or not isinstance(args, tuple):
        # Some compiler passes pass a list of arguments, which cannot be a key.
        return _numbas_call_type(function, context, args, kws)
    signatures = _CALL_TYPES.setdefault(function, {})
    key = context, args, _flags_name()
    signature = signatures.get(key)
    if signature is None:
        signature = signatures[key] = _numbas_call_type(function, context, args, kws)
    return signature
