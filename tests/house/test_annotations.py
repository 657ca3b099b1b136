"""Every function annotates its parameters and result, except kernels: numba infers types, docstrings give shapes."""

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
    found = (node.func if isinstance(node, ast.Call) else node for node in function.decorator_list)
    return any(isinstance(node, ast.Name) and node.id in KERNELS for node in found)


def missing(function: Function) -> Iterator[str]:
    """Names in a function's signature that have no annotation."""
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
