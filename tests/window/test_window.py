"""A real Blender window, driven by simulated mouse and keys; `make test-window` runs it, `make test` does not.

One Blender runs through `order.STEPS` and is killed during a bake; the next one runs through `order.AFTER_THE_KILL`.
Each step is a test here.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "out" / "window"
FOLDER = ROOT / ".venv" / "window"
# Time limit for each Blender, including the first compile [s].
LONGEST_SECONDS = 600
LISTS = ("STEPS", "AFTER_THE_KILL")


def step_names() -> list[str]:
    """Names of the steps, without importing modules that need Blender's window."""
    tree = ast.parse((Path(__file__).parent / "order.py").read_text(encoding="utf-8"))
    listed = [
        node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in LISTS
    ]
    return [element.attr for steps in listed for element in steps.elts]


@pytest.fixture(scope="session")
def report() -> dict[str, str]:
    """The error of each step, empty for passed ones."""
    OUT.mkdir(parents=True, exist_ok=True)
    for old in OUT.iterdir():
        if old.is_file():
            old.unlink()
    built = subprocess.run(
        [sys.executable, str(ROOT / ".ci" / "build_zip.py"), "--platform", "linux-x64", "--without-wheels",
         "--out", str(OUT)], capture_output=True, text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    environment = {
        **os.environ, "FLOTSAM_WINDOW_OUT": str(OUT), "FLOTSAM_KERNEL_CACHE": str(FOLDER / "kernels"),
        "BLENDER_USER_RESOURCES": str(OUT / "user"),
    }
    run = ["sh", str(ROOT / ".ci" / "window"), str(FOLDER), "run", str(ROOT / "tests" / "window" / "in_blender.py")]
    with (OUT / "blender.log").open("w") as log:
        for steps in LISTS:
            subprocess.run(
                run, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT, timeout=LONGEST_SECONDS,
                env={**environment, "FLOTSAM_WINDOW_STEPS": steps},
            )
    lines = (OUT / "report.jsonl").read_text(encoding="utf-8").splitlines() if (OUT / "report.jsonl").exists() else []
    return {entry["step"]: entry["error"] for entry in map(json.loads, lines)}


@pytest.mark.parametrize("step", step_names())
def test_step(step: str, report: dict[str, str]) -> None:
    assert step in report, "Blender ended before this step:\n" + (OUT / "blender.log").read_text()[-3000:]
    assert not report[step], report[step]
