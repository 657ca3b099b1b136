"""Parallel loops begin as `engine.launch` says, with the same bits on any number of threads."""

from __future__ import annotations

import numpy as np
from flotsam.engine.compiler import kernels as jit
from flotsam.engine.compiler.threads import launch
from numba import njit
from numba.np.ufunc import parallel


@jit.parallel_kernel
def _fill(values):
    for i in jit.prange(values.shape[0]):
        values[i] = np.sqrt(i) / 3.0 + values[i]


@njit(parallel=True)
def _of_others(values):
    doubled = 2.0 * values
    for i in jit.prange(values.shape[0]):
        doubled[i] += 1.0
    return doubled


def test_same_bits_on_one_thread_and_on_all() -> None:
    found = []
    for threads in (1, 0):
        with jit.threads(threads):
            values = np.linspace(0.0, 1.0, 1001)
            _fill(values)
        found.append(values)
    assert found[0].tobytes() == found[1].tobytes()
    assert np.allclose(found[0], np.sqrt(np.arange(1001)) / 3.0 + np.linspace(0.0, 1.0, 1001))


def test_loops_without_rounds_do_nothing() -> None:
    for threads in (1, 0):
        with jit.threads(threads):
            _fill(np.zeros(0))


def test_loops_of_others_stay_numbas() -> None:
    assert parallel.build_gufunc_kernel is launch._build
    assert np.array_equal(_of_others(np.arange(5.0)), 2.0 * np.arange(5.0) + 1.0)
