"""The cached signature of a call is the one that numba finds."""

from __future__ import annotations

import operator
from typing import Any

import pytest
from flotsam.engine.compiler import numba_patches
from numba.core import types
from numba.core.compiler import Flags
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.core.targetconfig import ConfigStack

WHOLE, REAL, ROW = types.int64, types.float32, types.float32[:, ::1]


def _resolved(function: Any, *asked: types.Type) -> Any:
    context = cpu_target.typing_context
    context.refresh()
    return context.resolve_value_type(function), (context, asked, {})


@pytest.mark.parametrize("asked", [(WHOLE, REAL), (REAL, REAL), (types.literal(2), WHOLE), (types.boolean, WHOLE)])
@pytest.mark.parametrize("function", [operator.add, operator.lt, operator.pow])
def test_a_call_has_the_signature_that_numba_gives_it(function: Any, asked: tuple[types.Type, ...]) -> None:
    kind, call = _resolved(function, *asked)
    with numba_patches.patched():
        first = kind.get_call_type(*call)
        assert kind.get_call_type(*call) is first
    assert any(known is first for known in numba_patches._CALL_TYPES[kind].values())
    assert kind.get_call_type(*call) == first


def test_a_call_that_numba_refuses_is_refused_each_time() -> None:
    kind, call = _resolved(operator.add, ROW, types.unicode_type)
    for _ in range(2):
        with numba_patches.patched(), pytest.raises(TypingError):
            kind.get_call_type(*call)


def test_other_flags_get_a_signature_of_their_own() -> None:
    """With other flags the same call may resolve to another function, with reference counts or other rounding."""
    kind, call = _resolved(abs, REAL)
    plain, other = Flags(), Flags()
    other.nrt = not plain.nrt
    with numba_patches.patched():
        for flags in (plain, other, other):
            with ConfigStack().enter(flags.copy()):
                kind.get_call_type(*call)
    known = numba_patches._CALL_TYPES[kind]
    flags_asked = [flags for _context, asked, flags in known if asked == (REAL,) and flags is not None]
    assert flags_asked.count(repr(plain)) == flags_asked.count(repr(other)) == 1
