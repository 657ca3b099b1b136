"""Fixtures and hooks of all tests."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent

# Keep compiled kernels of the tests out of the user's own cache, also without the Makefile.
os.environ.setdefault("FLOTSAM_KERNEL_CACHE", str(ROOT / ".venv" / "kernels"))

Truth = Callable[..., None]
ERRORS = pytest.StashKey[list[dict[str, Any]]]()
# Outcomes of the tests of truths, found by their names, `test_t4_…`; includes truths that record no error.
OUTCOMES: list[dict[str, Any]] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--truths", type=Path, metavar="FILE", help="leave the error of every truth in a JSON file")
    parser.addoption("--scenes", type=int, default=300, help="random scenes of tests/engine/test_fuzz.py")
    parser.addoption("--sequences", type=int, default=40, help="random sequences of tests/blender/test_live_random.py")
    parser.addoption("--shots", type=int, default=200, help="random shots of tests/engine/test_tunnelling.py")
    parser.addoption("--histories", type=int, default=20, help="random histories of tests/blender/test_bake_random.py")
    parser.addoption("--piles", type=int, default=2, help="random piles of tests/engine/test_piles.py")
    parser.addoption("--flocks", type=int, default=12, help="random scenes of tests/flock/test_mixed_scenes.py")
    parser.addoption("--artists", type=int, default=3, help="random scenes of tests/blender/test_artist_scenes.py")
    parser.addoption("--kills", type=int, default=4, help="random kills of tests/blender/test_killed_bake.py")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[ERRORS] = []


# The first bake compiles into an empty folder and shares the kernels with other tests. The other files take long; run
# last, they would leave one of two test processes idle.
FIRST = [
    "test_first_bake.py", "test_plain_truths.py", "test_bench.py", "test_walks.py", "test_extension.py", "test_demo.py",
    "test_cli.py",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the files of FIRST first."""
    items.sort(key=lambda item: FIRST.index(item.path.name) if item.path.name in FIRST else len(FIRST))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    named = re.search(r"::test_t(\d+)_", report.nodeid)
    if named and (report.when == "call" or report.failed):
        OUTCOMES.append({"truth": f"T{named[1]}", "test": report.nodeid, "passed": report.passed})


def pytest_sessionfinish(session: pytest.Session) -> None:
    file = session.config.getoption("--truths")
    if file is not None:
        results = {"errors": session.config.stash[ERRORS], "tests": OUTCOMES}
        file.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


@pytest.fixture
def truth(request: pytest.FixtureRequest) -> Truth:
    """`truth("T4", "hanging spring", measured, expected, allowed)` asserts a truth and records its error.

    The error is the largest one of all elements; relative to `expected`, or absolute with `relative=False`. The
    benchmarks make their table from these records.
    """

    def check(
        name: str, what: str, measured: Any, expected: Any, allowed: float, *, relative: bool = True,
    ) -> None:
        error = np.abs(np.asarray(measured, dtype=float) - np.asarray(expected, dtype=float))
        worst = float(np.max(error / np.abs(expected) if relative else error))
        request.config.stash[ERRORS].append(
            {"truth": name, "what": what, "error": worst, "allowed": allowed, "test": request.node.name}
        )
        assert worst <= allowed, f"{name}, {what}: error {worst:.3g}, allowed {allowed:.3g}"

    return check
