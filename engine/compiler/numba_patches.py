"""Does once, or more simply, what numba does again and again while it compiles: more than a quarter of that time.

The results are numba's own: flags are compared by what is set in them, a call of a function of numba's or numpy's with
types that were asked for before gets the signature it got then, and the variables of a statement are gathered in one
list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
from numba.core import event, ir
from numba.core.targetconfig import ConfigStack, TargetConfig
from numba.core.types.functions import BaseFunction


def install() -> None:
    """Compile like this from now on."""
    TargetConfig.__eq__ = _are_equal
    TargetConfig.__hash__ = _hash
    ir.Inst._rec_list_vars = _variables_in


@contextmanager
def calls_remembered() -> Iterator[None]:
    """Remember the signatures of what is called in functions compiled inside; for others numba asks anew."""
    BaseFunction.get_call_type = _call_type
    try:
        yield
    finally:
        BaseFunction.get_call_type = _numbas_call_type


def tell_nobody() -> None:
    """Spare a process in which nobody asks how long what took numba's notes of each call of LLVM and of each pass."""
    for begin_and_end in tuple(llvm.ffi.lib._lock._cblist):
        llvm.ffi.unregister_lock_callback(*begin_and_end)
    event.broadcast = _tell_nobody


def _tell_nobody(_event: Any) -> None:
    """Nothing."""


def _are_equal(flags: TargetConfig, others: Any) -> bool:
    """Whether all options have the same values; one that is not set has its default.

    Numba looks up each operator that it types by the flags too, and compares all of them by getters.
    """
    if flags is others:
        return True
    if not isinstance(others, TargetConfig) or flags.options.keys() != others.options.keys():
        return NotImplemented
    if flags._values == others._values:
        return True
    return all(getattr(flags, name) == getattr(others, name) for name in flags._values.keys() | others._values.keys())


def _hash(flags: TargetConfig) -> int:
    """From what is switched on against its default; numba's is from the names, the same for all flags."""
    options = flags.options
    return hash(frozenset(
        name for name, value in flags._values.items() if value is True and options[name].default is False
    ))


_numbas_call_type = BaseFunction.get_call_type
# Beside the functions, not in them: they go to the disk with the kernels.
_CALLS: dict[BaseFunction, dict[tuple[Any, ...], Any]] = {}


def _call_type(function: BaseFunction, context: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
    """The signature of a call, see `BaseFunction.get_call_type`: numba tries a dozen of them for each operator.

    A function that learns new ones is another object, and flags may change what one does.
    """
    if kws or not isinstance(args, tuple):
        # Some passes ask with a list.
        return _numbas_call_type(function, context, args, kws)
    known = _CALLS.setdefault(function, {})
    asked = context, args, ConfigStack.top_or_none()
    signature = known.get(asked)
    if signature is None:
        signature = known[asked] = _numbas_call_type(function, context, args, kws)
    return signature


def _variables_in(_statement: ir.Inst, parts: Any) -> list[ir.Var]:
    """The variables in what a statement is made of, in order; numba's makes a list of each part."""
    found: list[ir.Var] = []
    _add_variables((parts,), found)
    return found


def _add_variables(parts: Iterable[Any], found: list[ir.Var]) -> None:
    for part in parts:
        kind = type(part)
        if kind is ir.Var:
            found.append(part)
        elif kind is ir.Loc or kind is str:
            # Most parts are these.
            pass
        elif isinstance(part, ir.Var):
            found.append(part)
        elif isinstance(part, ir.Inst):
            found.extend(part.list_vars())
        elif isinstance(part, (list, tuple)):
            _add_variables(part, found)
        elif isinstance(part, dict):
            _add_variables(part.values(), found)
