"""Parallel loops start as described in `threads.launch`, with the same bits on any number of threads."""

from __future__ import annotations

import numpy as np
from flotsam.engine.compiler import kernels as jit


@jit.parallel_kernel
def _fill(values):
    for i in jit.prange(values.shape[0]):
        values[i] = np.sqrt(i) / 3.0 + values[i]


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
