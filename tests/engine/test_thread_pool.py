"""The thread pool runs every chunk of a loop once, and takes no time while there is no work."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from flotsam.engine import end_threads
from flotsam.engine.compiler import kernels as jit

ROUNDS = 1000


@jit.parallel_kernel
def _count(values, rounds):
    for _round in range(rounds):
        for i in jit.prange(values.shape[0]):
            values[i] += i


def counted(rounds: int, size: int = 1001) -> np.ndarray:
    return rounds * np.arange(size, dtype=np.float64)


def workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "Flotsam worker"]


def test_every_round_of_every_loop_is_done_once() -> None:
    values = np.zeros(1001)
    with jit.threads(2):
        _count(values, 20 * ROUNDS)
    assert np.array_equal(values, counted(20 * ROUNDS))
    assert len(workers()) == 1


_C = ctypes.CDLL(None)
thread_id, sleep = _C.pthread_self, _C.usleep
thread_id.argtypes, thread_id.restype = [], ctypes.c_size_t
sleep.argtypes, sleep.restype = [ctypes.c_uint], ctypes.c_int


@jit.parallel_kernel
def _note_threads(threads):
    for i in jit.prange(threads.shape[0]):
        sleep(2000)
        threads[i] = thread_id()


@jit.parallel_kernel
def _note_within(threads):
    for k in jit.prange(threads.shape[0]):
        _note_threads(threads[k])


@pytest.mark.filterwarnings("ignore:Cannot cache")
@pytest.mark.parametrize("outer", [1, 2])
def test_loops_within_a_loop_of_one_iteration_have_the_pool(outer: int) -> None:
    """The caller shares the inner loop with the worker; each of two outer iterations runs its own loop alone."""
    threads = np.zeros((outer, 2), dtype=np.uint64)
    shared = []
    with jit.threads(2):
        for _round in range(50):
            _note_within(threads)
            shared.append((threads[:, 0] != threads[:, 1]).any())
    assert any(shared) == (outer == 1)


def test_several_callers_at_once_do_not_disturb_each_other() -> None:
    """One of them gets the pool; the others run their loops alone."""
    found = [np.zeros(1001) for _ in range(4)]

    def call(values: np.ndarray) -> None:
        for _ in range(20):
            with jit.threads(2):
                _count(values, ROUNDS)

    callers = [threading.Thread(target=call, args=(values,)) for values in found]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    for values in found:
        assert np.array_equal(values, counted(20 * ROUNDS))


def test_a_caller_does_not_wait_for_a_missing_worker() -> None:
    """After a fork a pool has no workers: chunks are still offered, and the caller runs them all."""
    values = np.zeros(1001)
    end_threads()
    assert workers() == []
    jit._POOL._signal(1, 1, 0)
    try:
        with jit.threads(1):
            jit.numba.set_num_threads(2)
            _count(values, ROUNDS)
    finally:
        jit._POOL._signal(-1, 0, 0)
    assert np.array_equal(values, counted(ROUNDS))


def test_stopped_workers_start_again() -> None:
    end_threads()
    values = np.zeros(1001)
    with jit.threads(2):
        _count(values, ROUNDS)
    assert np.array_equal(values, counted(ROUNDS))
    assert len(workers()) == 1


def test_workers_stop_while_the_pool_is_running() -> None:
    values = np.zeros(1001)
    with jit.threads(2):
        end_threads()
        assert workers() == []
        _count(values, ROUNDS)
    assert np.array_equal(values, counted(ROUNDS))


@pytest.mark.alone
@pytest.mark.parametrize("is_open", [False, True])
def test_workers_without_work_take_no_time(is_open: bool) -> None:
    """They poll for half a millisecond; then, while the pool is running, every 50 us, which takes a few per cent."""
    with jit.threads(2):
        _count(np.zeros(1001), ROUNDS)
        if is_open:
            time.sleep(0.05)
            before = time.process_time()
            time.sleep(0.5)
            assert time.process_time() - before < 0.15
    if not is_open:
        time.sleep(0.05)
        before = time.process_time()
        time.sleep(0.5)
        assert time.process_time() - before < 0.01


LEFT_OPEN = """
import numpy as np
from flotsam.engine.compiler import kernels as jit
from test_thread_pool import _count
with jit.threads(2):
    _count(np.zeros(1001), 100)
jit._POOL._signal(1, 1, 0)
"""


def run(script: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """A fresh Python that can import the same modules."""
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{script}"], capture_output=True, text=True,
        timeout=120, env={**os.environ, **settings},
    )


def test_python_exits_while_the_pool_is_running() -> None:
    """A worker that still polled when its code was freed crashed Python 3.13, two times out of three."""
    for _round in range(5):
        done = run(LEFT_OPEN)
        assert done.returncode == 0, done.stderr


MANY = """
import numpy as np
from flotsam.engine.compiler import kernels as jit
from test_thread_pool import _count, counted, workers
values = np.zeros(1001)
for count in (40, 7, 40, 2):
    with jit.threads(count):
        _count(values, 100)
assert np.array_equal(values, counted(400)), values
print(len(workers()))
"""


def test_no_loop_has_more_chunks_than_an_offer_has_bits() -> None:
    """Forty threads are requested on any number of cores; 31 workers start."""
    done = run(MANY, NUMBA_NUM_THREADS="40")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == 31
