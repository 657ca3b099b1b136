"""The truths also hold in plain mode, with the same tolerances.

Only those of motion, air and water are run: they need one set of kernels and take a few seconds once it is compiled.
Two processes compile the set on the first run; afterwards it is in the kernel folder of the tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from flotsam.engine.compiler import kernel_cache

HERE = Path(__file__).parent
FILES = ("test_truths_motion.py", "test_truths_air_and_water.py")
TRUTHS = {"T1", "T2", "T4", "T6", "T7", "T8", "T11", "T18"}
SCRIPT = """
import sys
import pytest
from flotsam.engine import prepare
heard = []
prepare(warn=heard.append)
assert len(heard) == 1 and "FLOTSAM_PLAIN_NUMBA" in heard[0], heard
sys.exit(pytest.main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_truths_hold_with_plain_numba(tmp_path: Path) -> None:
    """It took 142 s of processor time with an empty kernel folder; most of that is compilation, shared by two cores."""
    told = tmp_path / "truths.json"
    arguments = [*(str(HERE / file) for file in FILES), "-q", "-p", "no:cacheprovider", "--truths", str(told)]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], env={**os.environ, "FLOTSAM_PLAIN_NUMBA": "1"},
        capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    tests = json.loads(told.read_text(encoding="utf-8"))["tests"]
    assert {test["truth"] for test in tests} == TRUTHS and all(test["passed"] for test in tests)
    folder = Path(os.environ["FLOTSAM_KERNEL_CACHE"]) / f"{kernel_cache.source_hash()}-plain"
    assert list(folder.glob("complete-*"))
