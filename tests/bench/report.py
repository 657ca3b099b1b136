"""Writes the results of a run as a documentation page, and its verdict as lines for the screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .measure import Ledger, Requirement

PAGE = "benchmarks.md"
PICTURE = "pictures/benchmarks.png"

HEAD = """# Benchmarks

Written by `python -m flotsam bench --docs`; do not edit. Medians, with the lowest and highest run; every ratio comes
from figures of this run. "Springs/s" counts solves of a spring: a tick of the seed's C program solves each once, a
there-and-back pass of the solver twice. The torus has 25 links a vertex where springs are timed alone; on the ground
and in free fall its springs are its edges and the diagonals of its quads. On the ground, ours is of a material that is
stretched less than asked when it is solved to the end, and takes the substeps and inner steps with the quickest frame
at which edges at rest are stretched no more than Cloth's on average (or 1.005) and at most 1.03. Soft Body, which has
no air, bends so stiffly that its ring stands as high as ours; its vertices are as heavy as they must be to fall there.
A limp ball that falls into folds gets as many substeps as Cloth has steps, and bends so stiffly that it lies as high as
Cloth's, no more stretched and no more through itself.

![Springs a second, whole frames against Blender's own, and cost over springs](pictures/benchmarks.png)
"""


def verdict(ledger: Ledger) -> Iterator[str]:
    """A line for each requirement, then the notes."""
    for line in ledger.requirements:
        yield f"{'met    ' if line.met else 'NOT MET'}  {line.what}: {_amounts(line)}"
        if not line.met and line.why:
            yield f"         {line.why}"
    for row in ledger.truths:
        yield f"{row['truth']:4} {row['passed']} of {row['tests']} tests; worst: {row['what']}, {_error(row)}"
    for note in ledger.notes:
        yield f"Note: {note}"


def write_page(ledger: Ledger, docs: Path) -> Path:
    """Write the page to the documentation folder.

    Raises:
        OSError: it cannot be written.
    """
    page = docs / PAGE
    page.write_text("\n".join(_page(ledger)) + "\n", encoding="utf-8")
    return page


def _amounts(line: Requirement) -> str:
    unit = line.unit if line.unit in ("×", "") else f" {line.unit}"
    sign = "at least" if line.at_least else "at most"
    return f"{line.measured:.3g}{unit} measured, {sign} {line.asked:.4g}{unit} asked"


def _error(row: dict[str, Any]) -> str:
    return "no number" if row["error"] is None else f"{row['error']:.2g} of {row['allowed']:.2g} allowed"


def _page(ledger: Ledger) -> Iterator[str]:
    yield HEAD
    machine = ledger.machine
    yield (f"Machine: {machine['cpu']}, {machine['cores']} cores, {machine['system']}; Python {machine['python']}, "
           f"Blender {machine['bpy']}, numba {machine['numba']}, numpy {machine['numpy']}; load at the start "
           f"{_load(machine)}. Code: {machine['code']}.")
    yield "\n## Held to\n\n| what | asked | measured | |\n| --- | --- | --- | --- |"
    for line in ledger.requirements:
        unit = f" {line.unit}".rstrip()
        sign = "≥" if line.at_least else "≤"
        verdict_of_line = "met" if line.met else f"**not met**: {line.why}"
        yield f"| {line.what} | {sign} {line.asked:.4g}{unit} | {line.measured:.3g}{unit} | {verdict_of_line} |"
    if ledger.truths:
        yield "\n## Truths\n\n| truth | worst case | error | tests passed |\n| --- | --- | --- | --- |"
        for row in ledger.truths:
            yield f"| {row['truth']} | {row['what']} | {_error(row)} | {row['passed']} of {row['tests']} |"
    yield "\n## Figures\n\n| what | median | lowest | highest | runs |\n| --- | --- | --- | --- | --- |"
    for figure in ledger.figures.values():
        yield (f"| {figure.what} | {figure.median:.4g} {figure.unit} | {min(figure.runs):.4g} | "
               f"{max(figure.runs):.4g} | {len(figure.runs)} |")
    if ledger.notes:
        yield "\n## Notes\n"
        yield from (f"* {note}" for note in ledger.notes)


def _load(machine: dict[str, Any]) -> str:
    return "unknown" if machine["load"] is None else f"{machine['load']:.1f}"
