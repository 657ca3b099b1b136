"""What is done more simply while kernels are compiled comes to the same as numba's own."""

from __future__ import annotations

import operator
from typing import Any

import numba
import numpy as np
import pytest
from flotsam.engine.compiler import numba_patches as quicker
from numba.core import ir, types
from numba.core.compiler import Flags, run_frontend
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
    with quicker.calls_remembered():
        first = kind.get_call_type(*call)
        assert kind.get_call_type(*call) is first
    assert any(known is first for known in quicker._CALLS[kind].values())
    assert kind.get_call_type(*call) == first


def test_a_call_that_numba_refuses_is_refused_each_time() -> None:
    kind, call = _resolved(operator.add, ROW, types.unicode_type)
    for _ in range(2):
        with quicker.calls_remembered(), pytest.raises(TypingError):
            kind.get_call_type(*call)


def test_what_is_compiled_with_other_flags_is_asked_anew() -> None:
    """The same call may be another function then: one that counts references, or rounds in another way."""
    kind, call = _resolved(abs, REAL)
    plain, other = Flags(), Flags()
    other.nrt = not plain.nrt
    with quicker.calls_remembered():
        for flags in (plain, other, other):
            with ConfigStack().enter(flags.copy()):
                kind.get_call_type(*call)
    flags_asked = [flags for _context, asked, flags in quicker._CALLS[kind] if asked == (REAL,) and flags is not None]
    assert flags_asked.count(plain) == flags_asked.count(other) == 1


def _with_all_kinds_of_statements(places, limit, out):
    """Calls, tuples, slices, branches and loops, for the variables in them."""
    total = 0.0
    for place in range(limit):
        if places[place, 0] > total and place != 3:
            total += min(places[place, 1], total, 2.0)
        out[place] = (total, places[place, 0])[place % 2]
    out[1:3] = total
    return total, out


def test_a_statement_has_the_variables_that_numba_finds_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = run_frontend(_with_all_kinds_of_statements).blocks.values()
    statements = [statement for block in blocks for statement in block.body]
    found = [statement.list_vars() for statement in statements]
    assert len({type(statement) for statement in statements}) > 4 and sum(map(len, found)) > 60
    monkeypatch.setattr(ir.Inst, "_rec_list_vars", _as_numba_lists_them)
    assert found == [statement.list_vars() for statement in statements]


def _as_numba_lists_them(statement: ir.Inst, part: Any) -> list[ir.Var]:
    """A list of each part, joined again and again."""
    if isinstance(part, ir.Var):
        return [part]
    if isinstance(part, ir.Inst):
        return part.list_vars()
    parts = part.values() if isinstance(part, dict) else part if isinstance(part, (list, tuple)) else ()
    return [variable for each in parts for variable in _as_numba_lists_them(statement, each)]


def test_functions_of_others_compile_as_well() -> None:
    """Numba belongs to the whole process: what an artist's other add-ons compile is numba's own too."""

    @numba.njit(parallel=True)
    def length(places):
        total = 0.0
        for place in numba.prange(places.shape[0]):
            total += np.sqrt((places[place] ** 2).sum())
        return total

    places = np.random.default_rng(1).normal(size=(50, 3))
    known = len(quicker._CALLS)
    assert length(places) == pytest.approx(np.linalg.norm(places, axis=1).sum())
    assert len(quicker._CALLS) == known
