"""Kernel calls that look up argument types only once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from flotsam.engine.compiler import typed_call
from flotsam.engine.compiler.kernels import kernel
from flotsam.engine.compiler.typed_call import TypedCall


class TwoColumns(NamedTuple):
    """Two arrays of any dtype, (n,)."""

    left: np.ndarray
    right: np.ndarray


@kernel
def weighted_sum(columns, factor):
    """Sum of left + factor right."""
    total = 0.0
    for k in range(columns.left.shape[0]):
        total += columns.left[k] + factor * columns.right[k]
    return total


@pytest.fixture
def lookups(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every argument whose type is looked up."""
    seen: list[Any] = []

    def noted(value: Any) -> Any:
        seen.append(value)
        return found(value)

    found = typed_call.typeof
    monkeypatch.setattr(typed_call, "typeof", noted)
    return seen


def test_types_are_looked_up_once(lookups: list[Any]) -> None:
    call = TypedCall(weighted_sum)
    for n in (3, 5):
        columns = TwoColumns(np.arange(n, dtype=np.float32), np.ones(n))
        assert call(columns, 2.0) == weighted_sum(columns, 2.0) == n * (n - 1) / 2 + 2.0 * n
        assert len(lookups) == 2


def test_other_classes_of_arguments_are_looked_up_anew(lookups: list[Any]) -> None:
    """An integer in place of a float would otherwise be passed as a float's bits, or the reverse."""
    call, columns = TypedCall(weighted_sum), TwoColumns(np.zeros(4), np.ones(4))
    assert call(columns, 2) == 8.0
    assert call(columns, 0.5) == 2.0
    assert call(columns, 3) == 12.0
    assert len(lookups) == 4


def test_tables_that_are_built_anew_have_known_types(lookups: list[Any]) -> None:
    """Another owner's arrays of the same types are not looked up; those of another layout are."""
    columns = TwoColumns(np.arange(3.0), np.ones(3, dtype=np.float32))
    assert TypedCall(weighted_sum)(columns, 2.0) == 9.0
    assert len(lookups) == 2
    assert TypedCall(weighted_sum)(columns, 3.0) == 12.0
    assert len(lookups) == 2
    assert TypedCall(weighted_sum)(TwoColumns(np.arange(6.0)[::2], np.ones(3, dtype=np.float32)), 2.0) == 12.0
    assert len(lookups) == 4


def test_a_plain_function_is_called_as_it_is(lookups: list[Any]) -> None:
    """Kernels are traced as plain Python before they are compiled."""
    call = TypedCall(weighted_sum.py_func)
    assert call(TwoColumns(np.zeros(4), np.ones(4)), 0.5) == 2.0
    assert not lookups
