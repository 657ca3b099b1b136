"""The thread tuner: choice of the number of threads by measured time."""

from __future__ import annotations

import pytest
from flotsam.engine.compiler.threads.thread_tuner import ThreadTuner

# Seconds of a frame by number of threads; 0 means all.
QUICK, SLOW = {0: 0.1, 1: 0.2}, {0: 0.5, 1: 0.2}


@pytest.mark.parametrize("first", [1.0, 1e-3])
def test_the_first_frame_says_nothing_of_threads(first: float) -> None:
    """It loads kernels and builds neighbour lists; later frames decide which count is faster."""
    thread_tuner = ThreadTuner(0, True)
    for seconds in (first, 0.1, 0.2):
        thread_tuner.note(thread_tuner.threads(), seconds)
    assert thread_tuner.threads() == 0


@pytest.mark.parametrize(("seconds", "faster"), [(QUICK, 0), (SLOW, 1)])
def test_the_slower_count_is_looked_at_ever_less_often(seconds: dict[int, float], faster: int) -> None:
    thread_tuner, chosen = ThreadTuner(0, True), []
    for _frame in range(100):
        chosen.append(thread_tuner.threads())
        thread_tuner.note(chosen[-1], seconds[chosen[-1]])
    trials = [frame for frame, threads in enumerate(chosen) if threads != faster and frame > 2]
    assert len(trials) <= 5
    assert all(later - sooner > 5 for sooner, later in zip(trials, trials[1:], strict=False))


def test_one_slow_frame_is_soon_forgotten() -> None:
    """After one slow frame on all threads, whatever the reason, all threads are tried again four frames later."""
    thread_tuner, chosen = ThreadTuner(0, True), []
    for frame in range(9):
        chosen.append(thread_tuner.threads())
        thread_tuner.note(chosen[-1], 2.0 if frame == 1 else QUICK[chosen[-1]])
    assert chosen[2:9] == [1, 1, 1, 0, 0, 0, 0]
