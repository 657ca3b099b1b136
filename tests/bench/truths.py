"""The worst error of each truth, as recorded by its test; one run of the tests makes the table."""

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
# Required truths of the solver, from the issue and the documentation.
ASKED = (*range(1, 9), 11, *range(17, 22))


def run(ledger: Ledger, options: Options) -> None:
    """Run the tests of truths, and report for each the case closest to its tolerance."""
    options.tell("truths")
    with tempfile.TemporaryDirectory(prefix="flotsam_truths_") as folder:
        file = Path(folder) / "truths.json"
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "--truths", str(file),
             str(ENGINE_TESTS)],
            capture_output=True, text=True, cwd=ENGINE_TESTS.parents[1],
        )
        records = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"errors": [], "tests": []}
    if done.returncode:
        last_line = (done.stdout.strip().splitlines() or ["nothing was run"])[-1]
        ledger.notes.append(f"The tests of the engine do not all pass: {last_line.strip('= ')}.")
    ledger.truths = table(records["errors"], records["tests"])
    asked = [f"T{number}" for number in ASKED]
    held = {row["truth"] for row in ledger.truths if row["held"]}
    missing = [truth for truth in asked if truth not in held]
    ledger.require("Truths that hold", float(len(asked)), float(len(asked) - len(missing)), unit="truths",
                   why=f"without a test that passes: {', '.join(missing)}")


def table(errors: list[dict[str, Any]], tests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per truth: the case whose error is the largest fraction of its tolerance, and the number of passed tests.

    A truth without a number, such as "nothing explodes", has neither error nor tolerance. Measurements by the same
    fixture that are not truths, such as the force of the hand, have no row.
    """
    rows = []
    named = {entry["truth"] for entry in (*errors, *tests)}
    for truth in sorted((name for name in named if name[1:].isdigit()), key=lambda name: int(name[1:])):
        cases = [case for case in errors if case["truth"] == truth]
        outcomes = [test["passed"] for test in tests if test["truth"] == truth]
        worst = max(cases, key=_tolerance_used, default={"what": "holds or does not", "error": None, "allowed": None})
        rows.append({
            "truth": truth, "what": worst["what"], "error": worst["error"], "allowed": worst["allowed"],
            "tests": len(outcomes), "passed": sum(outcomes), "held": bool(outcomes) and all(outcomes),
        })
    return rows


def _tolerance_used(case: dict[str, Any]) -> tuple[float, float]:
    """Error as a fraction of the tolerance, and the error; exact truths have no tolerance."""
    return (case["error"] / case["allowed"] if case["allowed"] else float(case["error"] > 0.0), case["error"])
