"""The machine: its description, and its memory bandwidth, which bounds every kernel."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numba
import numpy as np

from .measure import Ledger, in_turn

# Bytes of all three arrays: springs of 8k vertices fit into the first size, those of 130k exceed the second.
TRIADS = {"L2": 600_000, "L3": 12_000_000, "memory": 400_000_000}


def describe() -> dict[str, Any]:
    """Processor, cores and versions."""
    import bpy

    def of(package: str) -> str:
        try:
            return version(package)
        except PackageNotFoundError:
            return "unknown"

    return {
        "cpu": _processor(), "cores": os.cpu_count(), "threads": numba.config.NUMBA_NUM_THREADS,
        "system": f"{platform.system()} {platform.release()}", "python": platform.python_version(),
        "bpy": bpy.app.version_string, "numba": of("numba"), "numpy": np.__version__, "code": _code(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def _code() -> str:
    """The measured commit and its date, and whether files differ from it."""
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(Path(__file__).parent), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        commit = git("log", "-1", "--format=%h of %cs")
        is_changed = git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{commit}, changed" if is_changed else commit


def _processor() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


@numba.njit(parallel=True, fastmath=True)
def _triad(b, c, a):
    """a = b + 3 c."""
    for k in numba.prange(a.shape[0]):
        a[k] = b[k] + np.float32(3.0) * c[k]


def measure_triad(ledger: Ledger, rounds: int) -> None:
    """Bandwidth of a = b + 3 c over working sets of three sizes, on all threads [B/s]."""
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    works: dict[str, Callable[[], object]] = {}
    for level, size in TRIADS.items():
        b, c, a = (np.ones(size // 12, dtype=np.float32) for _ in range(3))
        works[level] = lambda b=b, c=c, a=a: _triad(b, c, a)
    for level, seconds in in_turn(works, rounds).items():
        ledger.add(f"triad_{level}", f"Triad, {TRIADS[level] / 1e6:.1f} MB ({level}), all threads", "GB/s",
                   [TRIADS[level] / s / 1e9 for s in seconds])


def triad_for(ledger: Ledger, size: float) -> float:
    """Bandwidth for a working set of `size` bytes [B/s]."""
    level = next((level for level, most in TRIADS.items() if size <= 1.5 * most), "memory")
    return ledger.figures[f"triad_{level}"].median * 1e9
