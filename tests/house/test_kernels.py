"""Rules for functions and kernels: number of parameters, names of the tuples they take, writes in parallel loops."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DECORATORS = {"kernel", "parallel_kernel", "building_kernel", "part_of_kernel"}
MOST_PARAMETERS = 12


def nodes(kind: type, *folders: str) -> Iterator[tuple[str, ast.AST]]:
    """Every node of a kind in the engine, or in other folders, and its file."""
    for path in sorted(path for folder in folders or ("engine",) for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, kind):
                yield str(path.relative_to(ROOT)), node


def name_of(expression: ast.expr) -> str:
    """The last name of a decorator or base class, without its arguments."""
    called = expression.func if isinstance(expression, ast.Call) else expression
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def parameters(function: ast.FunctionDef) -> int:
    """How many parameters a function has."""
    arguments = function.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return len(every) + (arguments.vararg is not None)


def test_functions_have_few_parameters():
    found = {
        f"{file}:{function.name}": (function, parameters(function))
        for file, function in nodes(ast.FunctionDef, "engine", "addon")
    }
    kernels = [one for one, _count in found.values() if any(name_of(each) in DECORATORS for each in one.decorator_list)]
    assert len(kernels) > 200
    many = {name: count for name, (_function, count) in found.items() if count > MOST_PARAMETERS}
    assert not many, f"more than {MOST_PARAMETERS} parameters, take NamedTuples of arrays: {many}"


def test_named_tuples_have_names_of_their_own():
    """Numba mixes up two classes of one name that hold the same types, and then looks types up slowly at each call."""
    names = Counter(
        node.name for _file, node in nodes(ast.ClassDef) if any(name_of(base) == "NamedTuple" for base in node.bases)
    )
    assert len(names) > 5
    assert max(names.values()) == 1, names.most_common(3)


def test_parallel_loops_write_no_array_of_a_tuple():
    """Numba drops writes of a parallel loop to `columns.array`, or to names that one line assigned to several arrays.

    It treats such an array as one that is not read afterwards. `array = columns.array` on a line of its own is safe,
    and so is a kernel that the loop calls.
    """
    loops, found = 0, []
    for file, function in nodes(ast.FunctionDef):
        if not any(name_of(decorator) == "parallel_kernel" for decorator in function.decorator_list):
            continue
        taken_out = set(arrays_of_tuples(function))
        for loop in ast.walk(function):
            if not (isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and name_of(loop.iter) == "prange"):
                continue
            loops += 1
            for written in written_arrays(loop):
                is_attribute = isinstance(written, ast.Attribute)
                is_taken_out = isinstance(written, ast.Name) and written.id in taken_out
                if is_attribute or is_taken_out:
                    found.append(f"{file}:{written.lineno} {function.name}")
    assert not found
    assert loops > 50


def arrays_of_tuples(function: ast.FunctionDef) -> Iterator[str]:
    """Names that a function assigns to attributes of its arguments, several on one line."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for name, value in zip(target.elts, node.value.elts, strict=False):
                        if isinstance(name, ast.Name) and isinstance(value, ast.Attribute):
                            yield name.id


def written_arrays(loop: ast.For) -> Iterator[ast.expr]:
    """Expressions to whose items a loop assigns."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            yield node.value
