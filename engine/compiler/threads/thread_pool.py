"""The worker threads that share parallel loops while a frame is solved.

Blender ships TBB, with which numba's threads take 7 us per loop, five times as long as a step of a hundred particles.
OpenMP's threads wait for each other even when one of them has no core. The workers of this pool poll for work, which
costs half a microsecond per loop. They poll only while the pool is running (`running`), and less often the longer they
find no work.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import llvmlite.binding as llvm
from numba.core.registry import cpu_target
from numba.np.ufunc import parallel

from .thread_pool_code import MAX_THREADS, SLOT_COUNT, compile_pool_code

# Upper bound for the size of pthread's mutex and condition variable on every platform, and alignment [bytes].
_MAX_PTHREAD_SIZE, _ALIGNMENT = 128, 128

# The name by which compiled kernels call `run_loop`.
SYMBOL = "flotsam.run_loop"


class ThreadPool:
    """Worker threads that help the caller of a parallel loop. They start on first use and sleep while no work runs."""

    MAX_THREADS = MAX_THREADS

    def __init__(self) -> None:
        self._memory = ctypes.create_string_buffer(_ALIGNMENT + 8 * SLOT_COUNT + 2 * _MAX_PTHREAD_SIZE)
        table = -(-ctypes.addressof(self._memory) // _ALIGNMENT) * _ALIGNMENT
        mutex, condition = (table + 8 * SLOT_COUNT + k * _MAX_PTHREAD_SIZE for k in range(2))
        for name, address in (("pthread_mutex_init", mutex), ("pthread_cond_init", condition)):
            getattr(ctypes.CDLL(None), name)(ctypes.c_void_p(address), None)
        code = compile_pool_code(cpu_target.target_context.codegen(), table, mutex, condition)
        self.run_loop = code["flotsam.run_loop"]
        self._work = ctypes.CFUNCTYPE(None, ctypes.c_int64)(code["flotsam.work"])
        self._signal = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(code["flotsam.signal"])
        self._workers: list[threading.Thread] = []
        self._starting = threading.Lock()
        # Stop the workers before Python frees the code that they run.
        atexit.register(self.stop)

    @contextmanager
    def running(self, threads: int) -> Iterator[None]:
        """Run parallel loops that start inside on `threads` threads, including the calling one."""
        with self._starting:
            while len(self._workers) < threads - 1:
                worker = threading.Thread(
                    target=self._work, args=(len(self._workers) + 1,), name="Flotsam worker", daemon=True
                )
                self._workers.append(worker)
                worker.start()
        self._signal(1, threads - 1, 0)
        try:
            yield
        finally:
            self._signal(-1, 0, 0)

    def stop(self) -> None:
        """Stop the workers; `running` starts them again."""
        with self._starting:
            self._signal(0, 0, 1)
            for worker in self._workers:
                worker.join()
            self._workers.clear()
            self._signal(0, 0, 0)


def start_pool() -> ThreadPool | None:
    """Bind the function that kernels call for a loop. Windows has no pthread: there numba's own threads run loops."""
    if os.name != "posix":
        parallel._launch_threads()
        llvm.add_symbol(SYMBOL, llvm.address_of_symbol("numba_parallel_for"))
        return None
    pool = ThreadPool()
    llvm.add_symbol(SYMBOL, pool.run_loop)
    return pool
