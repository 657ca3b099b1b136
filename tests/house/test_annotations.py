"""Every function says what it takes and gives, but for kernels: numba finds their types, docstrings give shapes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNELS = {"kernel", "building_kernel", "parallel_kernel", "part_of_kernel", "intrinsic", "overload"}
SELF = {"self", "cls"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_kernel(function: Function) -> bool:
    marks = (mark.func if isinstance(mark, ast.Call) else mark for mark in function.decorator_list)
    return any(isinstance(mark, ast.Name) and mark.id in KERNELS for mark in marks)


def missing(function: Function) -> Iterator[str]:
    """Names in a function's head that have no annotation."""
    taken = function.args
    named = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, *filter(None, (taken.vararg, taken.kwarg))]
    yield from (argument.arg for argument in named if argument.annotation is None and argument.arg not in SELF)
    if function.returns is None:
        yield "return"


def unannotated(source: str) -> list[str]:
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, Function)]
    return [
        f"{function.name} line {function.lineno}: {', '.join(names)}"
        for function in functions
        if not is_kernel(function) and (names := list(missing(function)))
    ]


@pytest.mark.parametrize("room", ["addon", "engine", ".ci"])
def test_functions_are_annotated(room):
    found = {
        str(path.relative_to(ROOT)): gaps
        for path in sorted((ROOT / room).rglob("*.py"))
        if (gaps := unannotated(path.read_text(encoding="utf-8")))
    }
    assert not found


def test_the_check_sees_gaps():
    assert unannotated("def f(a, *, b: int): pass") == ["f line 1: a, return"]
    assert unannotated("class C:\n    def m(self) -> None: pass") == []
    assert unannotated("@kernel\ndef k(x, h): pass") == []
