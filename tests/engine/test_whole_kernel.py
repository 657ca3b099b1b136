"""Kernels are compiled with all their parts: same bits for any order of compilation; parts can be called alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from flotsam.engine.compiler import kernels as jit
from numba import float64
from numba.core.caching import NullCache

SCRIPT = """
import hashlib, json, sys
import numpy as np
from flotsam.engine.compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
sys.path.insert(0, sys.argv[2])
from compiles import compiled

@part_of_kernel
def blend(a, b, t):
    return a * (1.0 - t) + b * t

@kernel
def bent(x, i, j):
    return x[i] * x[j] + x[j] * x[j] - blend(x[i], x[j], 0.3) * x[i]

@kernel
def walk(x, out):
    for i in range(x.shape[0] - 1):
        out[i] += bent(x, i, i + 1) - bent(x, i + 1, i)

@parallel_kernel
def walk_side_by_side(x, out):
    for i in prange(x.shape[0] - 1):
        out[i] += bent(x, i, i + 1) * out[i]

x = np.random.default_rng(1).normal(size=1001)
out = np.zeros(1001)
calls = {
    "bent": lambda: bent(x, 3, 4), "walk": lambda: walk(x, out), "side": lambda: walk_side_by_side(x, out),
    "check": lambda: abs(bent(x, 3, 4) - (x[3] * x[4] + x[4] ** 2 - (0.7 * x[3] + 0.3 * x[4]) * x[3])) < 1e-12,
}
said = [calls[name]() for name in sys.argv[1].split()]
print(json.dumps({"said": [float(s) for s in said if s is not None], "compiled": compiled,
                  "bits": hashlib.sha256(out.tobytes()).hexdigest()}))
"""


def run(folder: Path, kernels: str, calls: str) -> dict[str, Any]:
    """Output of a process that makes `calls` in this order; `kernels`: its folder for compiled kernels."""
    script = folder / "kernels_of_a_test.py"
    script.write_text(SCRIPT)
    env = {**os.environ, "FLOTSAM_KERNEL_CACHE": str(folder / kernels)}
    run = [sys.executable, str(script), calls, str(Path(__file__).parent)]
    done = subprocess.run(run, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_same_bits_whoever_was_compiled_first_or_comes_from_the_disk(tmp_path: Path) -> None:
    results = [
        run(tmp_path, "a", "walk side bent check"), run(tmp_path, "b", "bent walk side check"),
        run(tmp_path, "a", "walk side bent check"),
    ]
    run(tmp_path, "c", "bent")
    results.append(run(tmp_path, "c", "bent walk side check"))
    assert len({each["bits"] for each in results}) == 1
    assert len({each["said"][0] for each in results}) == 1
    assert [each["said"][1] for each in results] == [1.0] * 4
    assert results[2]["compiled"] == []
    assert set(results[3]["compiled"]) == {"walk", "walk_side_by_side", "bent", "blend"}


@jit.building_kernel
def _fresh(count):
    return np.arange(count) * 2.0


@jit.building_kernel
def _sum_of_fresh(count):
    return _fresh(count).sum()


def test_kernels_that_allocate() -> None:
    assert _sum_of_fresh(5) == 20.0
    assert np.array_equal(_fresh(3), [0.0, 2.0, 4.0])


@jit.kernel
def _twice(number):
    return 2.0 * number


@jit.part_of_kernel
def _four_times(number):
    return 2.0 * _twice(number)


@jit.kernel
def _four_times_more(number):
    return number + _four_times(number)


def test_a_kernel_in_a_part_is_compiled_as_anywhere_else() -> None:
    """Numba passes flags on to nested compilations; without this, code would depend on which caller comes first."""
    # Loaded from disk, it would not have its parts.
    _four_times_more.disk = NullCache()
    assert _four_times_more(1.0) == 5.0
    (inside,) = _twice.overloads.values()
    assert "alwaysinline" in str(_four_times.overloads[(float64,)].library._final_module)
    assert "alwaysinline" not in str(inside.library._final_module)
