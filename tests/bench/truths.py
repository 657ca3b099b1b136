"""The worst error of each truth, as recorded by its own test: one run of the tests makes the table."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .measure import Ledger
from .options import Options

ENGINE_TESTS = Path(__file__).resolve().parents[1] / "engine"
# Required truths of the solver, from issue and documentation.
ASKED = (*range(1, 9), 11, *range(17, 22))


def run(ledger: Ledger, options: Options) -> None:
    """Run the tests of truths, and keep for each the case closest to its tolerance."""
    options.tell("truths")
    with tempfile.TemporaryDirectory(prefix="flotsam_truths_") as folder:
        file = Path(folder) / "truths.json"
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "--truths", str(file),
             str(ENGINE_TESTS)],
            capture_output=True, text=True, cwd=ENGINE_TESTS.parents[1],
        )
        told = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"errors": [], "tests": []}
    if done.returncode:
        said = (done.stdout.strip().splitlines() or ["nothing was run"])[-1]
        ledger.notes.append(f"The tests of the engine do not all pass: {said.strip('= ')}.")
    ledger.truths = table(told["errors"], told["tests"])
    asked = [f"T{number}" for number in ASKED]
    held = {row["truth"] for row in ledger.truths if row["held"]}
    missing = [truth for truth in asked if truth not in held]
    ledger.hold("Truths that hold", float(len(asked)), float(len(asked) - len(missing)), unit="truths",
                why=f"without a test that passes: {', '.join(missing)}")


def table(errors: list[dict[str, Any]], tests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row a truth: the case with the largest fraction of the tolerance, and the number of passed tests.

    A truth without a number, such as "nothing explodes", has neither error nor tolerance. Measurements by the same
    fixture that are no truth, such as the pull of the hand, have no row.
    """
    rows = []
    named = {entry["truth"] for entry in (*errors, *tests)}
    for truth in sorted((name for name in named if name[1:].isdigit()), key=lambda name: int(name[1:])):
        cases = [case for case in errors if case["truth"] == truth]
        ended = [test["passed"] for test in tests if test["truth"] == truth]
        worst = max(cases, key=_share, default={"what": "holds or does not", "error": None, "allowed": None})
        rows.append({
            "truth": truth, "what": worst["what"], "error": worst["error"], "allowed": worst["allowed"],
            "tests": len(ended), "passed": sum(ended), "held": bool(ended) and all(ended),
        })
    return rows


def _share(case: dict[str, Any]) -> tuple[float, float]:
    """Error as a fraction of the tolerance; exact truths have none."""
    return (case["error"] / case["allowed"] if case["allowed"] else float(case["error"] > 0.0), case["error"])
