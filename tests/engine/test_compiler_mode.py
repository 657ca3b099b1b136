"""Plain and tuned mode: the decision between them, and the self-check of a machine on first use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flotsam.engine import prepare
from flotsam.engine.build import small_worlds
from flotsam.engine.compiler import kernel_cache, mode
from flotsam.engine.compiler.precompile import precompile, self_check

CHECKS = {"compiler.threads.self_check": "loops_agree", "solver.vector.self_check": "vectors_agree"}


@pytest.fixture
def undecided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A process that has not decided on a mode, with the installed numba; returns its base folder for kernels."""
    monkeypatch.setenv("FLOTSAM_KERNEL_CACHE", str(tmp_path))
    monkeypatch.delenv(mode.ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setattr(mode, "TESTED_NUMBA", (mode.numba_version(),))
    monkeypatch.setattr(mode, "_decided", [])
    return tmp_path


@pytest.mark.parametrize(("value", "is_plain"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_an_environment_variable_asks_for_plain_mode(
    undecided: Path, value: str, is_plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(mode.ENVIRONMENT_VARIABLE, value)
    assert (kernel_cache.plain_reason() is not None) == is_plain
    if is_plain:
        assert "FLOTSAM_PLAIN_NUMBA" in kernel_cache.plain_reason()


def test_a_numba_that_was_not_tested_gives_plain_mode(undecided: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mode, "TESTED_NUMBA", ("0.1.0",))
    assert mode.numba_version() in kernel_cache.plain_reason() and "0.1.0" in kernel_cache.plain_reason()


def test_the_pinned_numba_is_among_those_tested() -> None:
    pins = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert any(f'"numba=={version}"' in pins for version in mode.TESTED_NUMBA)


def test_the_modes_have_folders_of_their_own(undecided: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tuned = kernel_cache.folder()
    mode.use_plain("Because.")
    assert kernel_cache.folder() != tuned and kernel_cache.folder().parent == tuned.parent == undecided


def test_removing_old_versions_keeps_both_modes_of_this_one(undecided: Path) -> None:
    """The result of the check is stored in the tuned folder; a plain session must not remove it."""
    mode.remember_check(kernel_cache.tuned_folder(), "failed")
    for age, name in enumerate(("0123456789", "0123456789-plain", "aaaaaaaaaa-plain", "bbbbbbbbbb")):
        (undecided / name).mkdir()
        os.utime(undecided / name, (1000.0 - age, 1000.0 - age))
    assert kernel_cache.can_keep()
    kernel_cache.mark_complete("XPBD")
    own = kernel_cache.source_hash()
    left = {path.name for path in undecided.iterdir()}
    assert left == {own, f"{own}-plain", "0123456789", "0123456789-plain"}


def test_plain_mode_is_said_in_one_sentence(undecided: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_cache, "_trouble", None)
    monkeypatch.setattr(precompile, "compile_apart", lambda *_: True)
    monkeypatch.setattr(small_worlds, "run_small_worlds", lambda _: None)
    mode.use_plain("Plain kernels are used here.")
    warnings: list[str] = []
    prepare(warn=warnings.append)
    assert warnings == ["Plain kernels are used here."]


def check(checks: dict[str, str]) -> list[str]:
    """Run the check as a first bake does; returns its progress sentences."""
    sentences: list[str] = []
    self_check.check_once(checks, None, sentences.append)
    return sentences


def test_a_machine_that_passes_is_checked_once(undecided: Path) -> None:
    assert check(CHECKS)
    assert mode.is_checked(kernel_cache.tuned_folder()) and kernel_cache.plain_reason() is None
    assert check(CHECKS) == []


@pytest.mark.parametrize(("failing", "failure"), [
    ({"compiler.kernel_cache": "trouble"}, self_check.WRONG),
    ({"compiler.mode": "no_such_function"}, self_check.CRASHED),
    ({"compiler.precompile.child": "main"}, self_check.HUNG),
])
def test_a_machine_that_fails_uses_plain_mode_from_then_on(
    undecided: Path, failing: dict[str, str], failure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checks that return nothing, cannot be found, or wait for a line that never comes."""
    if failure is self_check.HUNG:
        monkeypatch.setattr(self_check, "MAX_SECONDS", 10.0)
    monkeypatch.delitem(sys.modules, "flotsam.engine.compiler.kernels")
    check(failing)
    assert failure in kernel_cache.plain_reason()
    assert kernel_cache.folder().name.endswith("-plain")
    monkeypatch.setattr(mode, "_decided", [])
    assert failure in kernel_cache.plain_reason()
    (result,) = undecided.glob("*/self-check-*")
    assert str(result) in kernel_cache.plain_reason()
    assert check(CHECKS) == []


def test_a_process_that_has_kernels_keeps_its_mode(undecided: Path) -> None:
    """Its kernels are already tuned; the next process uses plain mode."""
    check({"compiler.mode": "no_such_function"})
    assert kernel_cache.plain_reason() is None
    mode._decided.clear()
    assert self_check.CRASHED in kernel_cache.plain_reason()


def test_a_check_that_cannot_start_says_nothing(undecided: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without numba in the other process nothing is known about its kernels."""
    monkeypatch.setattr(sys, "path", [])
    check(CHECKS)
    assert not mode.is_checked(kernel_cache.tuned_folder()) and kernel_cache.plain_reason() is None


def test_what_progress_raises_ends_the_check(undecided: Path) -> None:
    def stop(_sentence: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        self_check.check_once(CHECKS, None, stop)
    assert not mode.is_checked(kernel_cache.tuned_folder())


PLAIN = """
import json
import numba
import numba._dispatcher
del numba._dispatcher.compute_fingerprint
from flotsam.engine import SpringGraphSpec, WorldSpec, build_world
from flotsam.engine.compiler import kernels
from flotsam.engine.compiler.typed_call import TypedCall
import numpy as np
import sys

@kernels.parallel_kernel
def fill(values):
    for i in kernels.prange(values.shape[0]):
        values[i] = i * i

values = np.zeros(1001)
with kernels.threads(2):
    TypedCall(fill)(values)
    count = numba.get_num_threads()
triangles = np.array([[0, 1, 2], [1, 3, 2]])
corners = np.array([[0.0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
world = build_world(WorldSpec(systems=(SpringGraphSpec("rag", corners, triangles),), substeps=2))
print(json.dumps({
    "plain": kernels.PLAIN, "right": bool((values == np.arange(1001.0) ** 2).all()), "threads": count,
    "kinds": sorted({type(kernel).__name__ for kernel in kernels.KERNELS}), "pool": kernels._POOL is not None,
    "bits": world.systems[0].rows.moved.dtype.itemsize * 8, "ir": fill.inspect_llvm(fill.signatures[0]),
    "private": sorted(name for name in sys.modules if name.endswith((
        "compiler.whole_kernel", "compiler.numba_patches", "compiler.threads.thread_pool",
    ))),
}))
"""


def run_apart(script: str, tmp_path: Path, is_plain: bool = True) -> Any:
    """Output of a process in either mode, as JSON; the script is a file, because kernels are cached by file."""
    file = tmp_path / "kernels_of_a_test.py"
    file.write_text(script)
    env = {
        **os.environ, mode.ENVIRONMENT_VARIABLE: str(int(is_plain)), "FLOTSAM_KERNEL_CACHE": str(tmp_path / "kernels"),
    }
    done = subprocess.run([sys.executable, "-W", "ignore", str(file)], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_plain_mode_is_numbas_own(tmp_path: Path) -> None:
    output = run_apart(PLAIN, tmp_path)
    assert output["plain"] and output["right"] and not output["pool"] and output["private"] == []
    assert output["kinds"] == ["CPUDispatcher"] and output["bits"] == 64
    assert "numba_parallel_for" in output["ir"] and "flotsam.run_loop" not in output["ir"]
    assert [path.name for path in (tmp_path / "kernels").iterdir()] == [f"{kernel_cache.source_hash()}-plain"]
    assert list((tmp_path / "kernels").rglob("*.nbc"))


LISTED = """
import json
from flotsam.engine.compiler.precompile.compile_share import to_compile
from flotsam.engine.build.small_worlds import run_small_worlds
sets = (
    "SOFT_ALONE", "SOFT_IN_WATER", "RIGID_ALONE", "BOTH_ALONE_OPEN", "XPBD", "RIGID", "SYMPLECTIC", "FIELDS", "FLUIDS",
    "FLOCKS", "LATTICES", "SPHERES", "BREAKING", "STRUTS",
)
print(json.dumps({name: [one.__name__ for one, _types in to_compile([name], run_small_worlds)] for name in sets}))
"""


@pytest.mark.parametrize("is_plain", [False, True])
def test_compile_processes_find_what_to_compile_for_every_set(tmp_path: Path, is_plain: bool) -> None:
    """They list it at their start, without compiling anything. If one fails, Blender's own process compiles everything.

    In plain mode the list failed at the first calls of kernels side by side. In both modes the lists of fields and of
    fluids never ended, because a kernel had the name of an attribute.
    """
    listed = run_apart(LISTED, tmp_path, is_plain)
    assert all(len(found) > 10 for found in listed.values())
    some = {
        "SOFT_ALONE": {"solve_islands"}, "XPBD": {"find_edge_contacts", "mend_near"}, "RIGID": {"solve_impulses"},
        "FIELDS": {"evaluate"}, "FLUIDS": {"exchange_momentum", "apply_operator", "drop_one_sided"},
    }
    assert {name: found - set(listed[name]) for name, found in some.items()} == dict.fromkeys(some, set())
    assert not [*tmp_path.rglob("*.nbc")]
