"""`bench`: runs the repository's benchmarks; writes their table, JSON and, on request, the documentation page."""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from .errors import CommandError
from .interrupt import stop_soon
from .screen import Screen

_ROOT = Path(__file__).resolve().parents[2]


def run(names: Sequence[str], file: Path, quick: bool, docs: bool) -> None:
    """Run benchmarks and report whether they meet their limits.

    Args:
        names: which benchmarks; none for all.
        file: the JSON file to write.
        quick: smallest sizes only.
        docs: also write docs/benchmarks.md and its picture.

    Raises:
        CommandError, EngineError, OSError: one sentence.
    """
    suite, report = _from_repository("suite"), _from_repository("report")
    unknown = [name for name in names if name not in suite.BENCHMARKS]
    if unknown:
        raise CommandError(f"There is no benchmark {unknown[0]!r}; there are: {', '.join(suite.BENCHMARKS)}.")
    if docs and find_spec("matplotlib") is None:
        raise CommandError("The page needs matplotlib; run make bench once, or leave out --docs.")
    selected = list(names) or list(suite.BENCHMARKS)
    screen = Screen()
    with (
        stop_soon("stopped by Ctrl-C; finished benchmarks are kept."),
        tempfile.TemporaryDirectory(prefix="flotsam_") as folder,
        screen.chatter_to(Path(folder) / "blender.log"),
        screen.progress("Benchmarks", len(selected), "benchmark") as bar,
    ):
        ledger = suite.run(selected, file, quick, screen.say, bar.show)
    for line in ("", *report.verdict(ledger), "", f"Figures are in {file}."):
        screen.say(line)
    if docs:
        _from_repository("plot").draw(ledger, _ROOT / "docs" / report.PICTURE)
        screen.say(f"The page is {report.write_page(ledger, _ROOT / 'docs')}.")


def _from_repository(name: str) -> ModuleType:
    """A module of tests/bench, which exists only in a clone of the repository."""
    if not (_ROOT / "tests" / "bench").is_dir():
        raise CommandError("Benchmarks are in the repository only; clone it and run make bench there.")
    tests_folder = str(_ROOT / "tests")
    if tests_folder not in sys.path:
        sys.path.insert(0, tests_folder)
    return importlib.import_module(f"bench.{name}")
