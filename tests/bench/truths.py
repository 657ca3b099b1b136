"""The worst error of each truth, as its own test records it: one run of the tests makes the table."""

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
# What issue and documentation ask of the solver.
ASKED = (*range(1, 9), 11, *range(17, 22))


def run(ledger: Ledger, options: Options) -> None:
    """Run the tests of truths, and keep of each the case that came nearest to its tolerance."""
    options.tell("truths")
    with tempfile.TemporaryDirectory(prefix="flotsam_truths_") as folder:
        file = Path(folder) / "truths.json"
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "--truths", str(file),
             str(ENGINE_TESTS)],
            capture_output=True, text=True, cwd=ENGINE_TESTS.parents[1],
        )
        recorded = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    if done.returncode:
        said = (done.stdout.strip().splitlines() or ["nothing was run"])[-1]
        ledger.notes.append(f"The tests of the engine do not all pass: {said.strip('= ')}.")
    ledger.truths = worst_of_each(recorded)
    told = {row["truth"] for row in ledger.truths}
    missing = [f"T{number}" for number in ASKED if f"T{number}" not in told]
    if missing:
        ledger.notes.append(f"Truths that no test records yet: {', '.join(missing)}.")
    asked = {f"T{number}" for number in ASKED}
    met = sum(row["error"] <= row["allowed"] for row in ledger.truths if row["truth"] in asked)
    ledger.hold("Truths that hold", float(len(ASKED)), float(met), unit="truths",
                why=f"not recorded: {', '.join(missing) or 'none'}")


def worst_of_each(recorded: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row a truth: the case whose error takes the largest share of what is allowed, and how many there were."""
    rows = []
    for truth in sorted({case["truth"] for case in recorded}, key=lambda name: int(name[1:])):
        cases = [case for case in recorded if case["truth"] == truth]
        rows.append({**max(cases, key=_share), "cases": len(cases)})
    return rows


def _share(case: dict[str, Any]) -> tuple[float, float]:
    """How much of what is allowed an error takes; exact truths allow none."""
    return (case["error"] / case["allowed"] if case["allowed"] else float(case["error"] > 0.0), case["error"])
