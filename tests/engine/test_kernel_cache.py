"""Compiled kernels on disk: full disks, completeness, and how processes share the compilation."""

from __future__ import annotations

import io
import os
import queue
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from flotsam.engine import prepare
from flotsam.engine.build import small_worlds
from flotsam.engine.compiler import kernel_cache
from flotsam.engine.compiler.kernels import KERNELS
from flotsam.engine.compiler.precompile import compile_apart, precompile
from flotsam.engine.compiler.precompile.trace_signatures import trace

WORLDS = "build.small_worlds"
SETS = (
    "XPBD", "SOFT_IN_WATER", "SYMPLECTIC", "RIGID", "FIELDS", "FLUIDS", "FLOCKS", "LATTICES", "SPHERES", "BREAKING",
    "STRUTS", "WAVES",
)


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for kernels; kernels that this process has loaded remain available."""
    monkeypatch.setenv("FLOTSAM_KERNEL_CACHE", str(tmp_path / "kernels"))
    monkeypatch.setattr(kernel_cache, "_trouble", None)
    return tmp_path / "kernels"


def ignore(_sentence: str) -> None:
    """Ignore progress."""


def test_complete_only_when_marked(empty_folder: Path) -> None:
    assert kernel_cache.can_keep()
    assert not kernel_cache.is_complete("XPBD")
    kernel_cache.mark_complete("XPBD")
    assert kernel_cache.is_complete("XPBD")
    assert not kernel_cache.is_complete("SYMPLECTIC")
    assert kernel_cache.trouble() is None


def test_the_newest_two_folders_of_ours_stay(empty_folder: Path) -> None:
    for age, name in enumerate(("0123456789", "aaaaaaaaaa", "bbbbbbbbbb", "notes", "0123")):
        (empty_folder / name).mkdir(parents=True)
        os.utime(empty_folder / name, (1000.0 - age, 1000.0 - age))
    assert kernel_cache.can_keep()
    kernel_cache.mark_complete("XPBD")
    left = {path.name for path in empty_folder.iterdir()}
    assert left == {kernel_cache.source_hash(), "0123456789", "notes", "0123"}


@pytest.mark.parametrize("full", [False, True])
def test_without_a_place_to_keep_kernels_one_sentence_is_said(
    empty_folder: Path, full: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if full:
        monkeypatch.setattr(kernel_cache, "MIN_FREE", 2**80)
    else:
        empty_folder.write_text("a file where the folder should be")
    monkeypatch.setattr(precompile, "check_once", lambda *_: None)
    monkeypatch.setattr(precompile, "compile_apart", lambda *_: pytest.fail("kernels could not be handed over"))
    monkeypatch.setattr(small_worlds, "run_small_worlds", lambda _: None)
    warnings: list[str] = []
    prepare(warn=warnings.append)
    (sentence,) = warnings
    assert str(empty_folder) in sentence and sentence.endswith(".")
    assert ("is full" if full else "Not a directory") in sentence
    assert not kernel_cache.is_complete("XPBD")


UNKEPT = """
import sys
from flotsam.engine.compiler import kernel_cache, kernels
if sys.argv[1] == "full":
    from numba.core.caching import FunctionCache
    def full(*_): raise OSError(28, "No space left on device")
    FunctionCache.save_overload = full
from flotsam.engine.step.integrate import predict
import numpy as np
x, x_prev = np.zeros((1, 3)), np.zeros((1, 3))
predict(np.ones((1, 3)), 0.5, x, x_prev)
assert x[0, 0] == 0.5, x
print(kernel_cache.trouble())
"""


@pytest.mark.parametrize("case", ["full", "blocked"])
def test_kernels_work_where_they_cannot_be_kept(tmp_path: Path, case: str) -> None:
    folder = tmp_path / "kernels"
    if case == "blocked":
        folder.write_text("a file where the folder should be")
    done = subprocess.run(
        [sys.executable, "-c", UNKEPT, case],
        env={**os.environ, "FLOTSAM_KERNEL_CACHE": str(folder)}, capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"Compiled kernels cannot be kept in {folder} (")


def test_a_damaged_kernel_is_compiled_again(tmp_path: Path) -> None:
    run = [sys.executable, "-c", UNKEPT, "damaged"]
    env = {**os.environ, "FLOTSAM_KERNEL_CACHE": str(tmp_path)}
    subprocess.run(run, env=env, check=True)
    kept = [*tmp_path.rglob("*.nbi"), *tmp_path.rglob("*.nbc")]
    assert len(kept) == 2
    for path in kept:
        path.write_bytes(b"")
        subprocess.run(run, env=env, check=True)


@pytest.mark.parametrize("python", ["", "/usr/bin/blender", "/nowhere/python3"])
def test_without_a_python_to_start_nothing_is_started(
    empty_folder: Path, python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", python)
    assert not compile_apart.compile_apart(("XPBD",), WORLDS, None, ignore, ignore)


def test_a_process_that_fails_is_no_error(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    assert not compile_apart.compile_apart(("XPBD",), WORLDS, None, ignore, ignore)



def test_the_error_of_a_process_is_told(empty_folder: Path) -> None:
    """Its standard error is not shown: a scene froze Blender for a minute without an explanation."""
    errors: list[str] = []
    assert not compile_apart.compile_apart(("XPBD",), "build.nowhere", None, ignore, errors.append)
    assert len(errors) == 1 and "(ModuleNotFoundError: No module named" in errors[0] and "Please report" in errors[0]


@pytest.mark.alone
def test_what_progress_raises_ends_the_processes(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen] = []

    class Watched(subprocess.Popen):
        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    def stop(_sentence: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", Watched)
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        compile_apart.compile_apart(("XPBD",), WORLDS, None, stop, ignore)
    assert time.monotonic() - begun < 1.0
    assert started and all(process.returncode is not None for process in started)


class _Process:
    """Stands for a process and records the lines sent to it."""

    def __init__(self) -> None:
        self.stdin = io.StringIO()


def test_each_kernel_is_handed_to_whoever_is_free() -> None:
    """The first process finishes two kernels while the other does one; at the end both get an empty line."""
    one, other, answers = _Process(), _Process(), queue.SimpleQueue()
    for answer in ((one, "3"), (other, "3"), (one, ""), (one, ""), (other, ""), (one, None), (other, None)):
        answers.put(answer)
    progress: list[str] = []
    assert compile_apart._distribute(answers, 2, progress.append) == ""
    assert (one.stdin.getvalue(), other.stdin.getvalue()) == ("0\n2\n\n", "1\n\n")
    assert progress[0].endswith("update.") and progress[-1].endswith("update, 3 of 3 kernels.")


ORPHANS = """
import subprocess
from flotsam.engine.compiler.precompile import compile_apart
class Told(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        print(self.pid, flush=True)
subprocess.Popen = Told
compile_apart.MOST_PROCESSES = 1
compile_apart.compile_apart(("XPBD",), "build.small_worlds", None, lambda sentence: None, print)
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes through /proc")
def test_processes_end_with_the_one_that_asked(empty_folder: Path) -> None:
    asking = subprocess.Popen([sys.executable, "-c", ORPHANS], stdout=subprocess.PIPE, text=True)
    orphan = int(asking.stdout.readline())
    asking.send_signal(signal.SIGKILL)
    asking.wait()
    until = time.monotonic() + 10.0
    while _runs(orphan) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _runs(orphan)


def _runs(process: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_the_small_worlds_call_every_kernel() -> None:
    """Each directly or inside another one, by name; of a plain kernel and its vector twin this machine uses one."""
    traced = {
        kernel.__name__
        for name in SETS
        for kernel in trace(name, small_worlds.run_small_worlds)
    }
    # Tests have kernels of their own, and so does the self-check.
    ours = [
        kernel for kernel in KERNELS
        if kernel.py_func.__module__.startswith("flotsam.") and not kernel.py_func.__module__.endswith(".self_check")
    ]
    within = {name for kernel in ours for name in kernel.py_func.__code__.co_names}
    assert {kernel.__name__ for kernel in ours} - traced - within == set()
