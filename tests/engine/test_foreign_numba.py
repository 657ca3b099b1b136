"""Numba belongs to the whole process: code of other add-ons stays untouched before, while and after ours compiles."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from flotsam.engine.compiler import kernels, numba_patches, whole_kernel
from numba.core import event
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.errors import TypingError
from numba.core.types.functions import BaseFunction
from numba.np.ufunc import parallel

PATCHED = [
    (parallel, "build_gufunc_kernel"), (BaseFunction, "get_call_type"), (JITCPUCodegen, "_library_class"),
]


def attributes() -> list[Any]:
    """The current attributes of numba's classes that are patched."""
    return [vars(owner)[name] for owner, name in PATCHED]


# No kernel is compiled while this module is imported.
NUMBAS_OWN = attributes()


class Observer(event.Listener):
    """Calls back when numba starts to compile a function, in the thread that compiles it."""

    def __init__(self, seen: Callable[[str], None]) -> None:
        self._seen = seen

    def on_start(self, event: event.Event) -> None:
        """Report the function's name."""
        self._seen(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: event.Event) -> None:
        """Nothing: the start was reported."""


@pytest.fixture
def observe() -> Iterator[Callable[[Callable[[str], None]], None]]:
    """`observe(seen)` calls `seen` with the name of each function that numba compiles during the test."""
    observers: list[Observer] = []

    def begin(seen: Callable[[str], None]) -> None:
        observers.append(Observer(seen))
        event.register("numba:compile", observers[-1])

    yield begin
    for observer in observers:
        event.unregister("numba:compile", observer)


def foreign() -> Any:
    """A parallel function of another add-on, not compiled yet."""

    @numba.njit(parallel=True)
    def foreign_length(places):
        total = 0.0
        for place in numba.prange(places.shape[0]):
            total += np.sqrt((places[place] ** 2).sum())
        return total

    return foreign_length


def ours() -> Any:
    """One of our kernels, not compiled yet and not cached on disk."""

    @kernels.parallel_kernel
    def our_length(places, out):
        for place in kernels.prange(places.shape[0]):
            out[place] = abs(places[place, 0]) + abs(places[place, 1])

    our_length.disk = numba.core.caching.NullCache()
    return our_length


PLACES = np.random.default_rng(1).normal(size=(50, 3))
LENGTH = np.linalg.norm(PLACES, axis=1).sum()


def assert_numbas_own(function: Any) -> None:
    """Check that it works, and that its code and its launcher are numba's."""
    assert function(PLACES) == pytest.approx(LENGTH)
    (compiled,) = function.overloads.values()
    assert type(compiled.library) is JITCodeLibrary
    code = function.inspect_llvm(function.signatures[0])
    assert "numba_parallel_for" in code and "flotsam" not in code


def test_foreign_code_compiles_as_numbas_own_before_while_and_after_ours(
    observe: Callable[[Callable[[str], None]], None],
) -> None:
    before, during, after = foreign(), foreign(), foreign()
    seen: dict[str, list[Any]] = {}
    others: list[threading.Thread] = []

    def note(name: str) -> None:
        if name == "our_length":
            # Another thread compiles foreign code while ours compiles: numba's lock makes it wait.
            others.append(threading.Thread(target=during, args=(PLACES,)))
            others[-1].start()
        seen.setdefault(name, attributes())

    assert_numbas_own(before)
    observe(note)
    out = np.zeros(50)
    ours()(PLACES, out)
    assert np.allclose(out, np.abs(PLACES[:, :2]).sum(axis=1))
    for other in others:
        other.join()
    assert len(others) == 1
    assert_numbas_own(during)
    assert_numbas_own(after)
    assert seen["foreign_length"] == NUMBAS_OWN
    assert all(ours is not numbas for ours, numbas in zip(seen["our_length"], NUMBAS_OWN, strict=True))
    assert seen["our_length"][-1] is whole_kernel.Part
    assert attributes() == NUMBAS_OWN


def test_a_kernel_that_cannot_be_compiled_leaves_no_patch_behind() -> None:
    @kernels.kernel
    def wrong(values):
        return values.no_such_attribute

    with pytest.raises(TypingError):
        wrong(PLACES)
    assert attributes() == NUMBAS_OWN


def test_an_error_inside_leaves_no_patch_behind() -> None:
    with pytest.raises(KeyboardInterrupt), numba_patches.patched():
        assert attributes() != NUMBAS_OWN
        raise KeyboardInterrupt
    assert attributes() == NUMBAS_OWN


CACHED = """
import numba
from flotsam.engine.compiler import kernels

@numba.njit(cache=True)
def foreign_twice(number):
    return 2.0 * number

assert foreign_twice(2.0) == 4.0
print(numba.config.CACHE_DIR)
"""


@pytest.mark.parametrize("plain", ["0", "1"])
def test_foreign_code_keeps_its_own_cache_folder(tmp_path: Path, plain: str) -> None:
    file = tmp_path / "foreign_code_of_a_test.py"
    file.write_text(CACHED)
    env = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    env |= {"FLOTSAM_KERNEL_CACHE": str(tmp_path / "kernels"), "FLOTSAM_PLAIN_NUMBA": plain}
    done = subprocess.run([sys.executable, str(file)], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""
    assert len(list((tmp_path / "__pycache__").glob("foreign_code_of_a_test.foreign_twice*.nbc"))) == 1
    assert not list((tmp_path / "kernels").rglob("*foreign*"))
