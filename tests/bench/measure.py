"""Figures and the ledger of a benchmark run: repeats with their median, ratios of medians."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

# A shorter run would mainly measure the overhead of the clock and the call [s].
SHORTEST_RUN = 0.02


@dataclass
class Figure:
    """One measured quantity; `runs` are its repeats in `unit`."""

    what: str
    unit: str
    runs: list[float]

    @property
    def median(self) -> float:
        """The median, on which every ratio and requirement is based."""
        return statistics.median(self.runs)

    def as_json(self) -> dict[str, Any]:
        """The figure with its spread, which shows how busy the machine was."""
        return {
            "what": self.what, "unit": self.unit, "median": self.median, "min": min(self.runs), "max": max(self.runs),
            "runs": self.runs,
        }


@dataclass
class Requirement:
    """A row of the table of requirements; `why` explains a requirement that is not met.

    `counts` is False if the conditions of the requirement were not met, for example if a stretch was not reached.
    """

    what: str
    asked: float
    measured: float
    at_least: bool
    unit: str
    why: str = ""
    counts: bool = True

    @property
    def met(self) -> bool:
        """Whether the median meets the requirement."""
        reached = self.measured >= self.asked if self.at_least else self.measured <= self.asked
        return self.counts and reached

    def as_json(self) -> dict[str, Any]:
        """The row with its verdict."""
        return {
            "what": self.what, "asked": self.asked, "at_least": self.at_least, "measured": self.measured,
            "unit": self.unit, "counts": self.counts, "met": self.met, "why": "" if self.met else self.why,
        }


@dataclass
class Ledger:
    """Results of one run of the benchmarks.

    Attributes:
        figures: by name; ratios: by name, median over median; requirements: rows of a table; notes: sentences.
        truths: one row per truth, see `bench.truths`; machine: its description.
    """

    machine: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Figure] = field(default_factory=dict)
    ratios: dict[str, dict[str, Any]] = field(default_factory=dict)
    requirements: list[Requirement] = field(default_factory=list)
    truths: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, what: str, unit: str, runs: list[float]) -> Figure:
        """Add a figure."""
        self.figures[name] = Figure(what, unit, runs)
        return self.figures[name]

    def ratio(self, name: str, of: str, over: str) -> float:
        """Add the ratio of two figures' medians."""
        value = self.figures[of].median / self.figures[over].median
        self.ratios[name] = {"of": of, "over": over, "value": value}
        return value

    def require(self, what: str, asked: float, measured: float, at_least: bool = True, unit: str = "×",
                why: str = "", counts: bool = True) -> None:
        """Add a row to the table of requirements."""
        self.requirements.append(Requirement(what, asked, measured, at_least, unit, why, counts))

    def as_json(self) -> dict[str, Any]:
        """The whole ledger as plain values."""
        return {
            "machine": self.machine,
            "figures": {name: figure.as_json() for name, figure in self.figures.items()},
            "ratios": self.ratios,
            "held_to": [line.as_json() for line in self.requirements],
            "truths": self.truths,
            "notes": self.notes,
        }


def in_turn(works: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of one call of each function, `rounds` times, in turn.

    Taking turns distributes other load evenly. Short functions are called until the shortest run is reached; the first
    call of each is not timed.
    """
    for work in works.values():
        work()
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            seconds[name].append(_seconds_of_a_call(work))
    return seconds


def _seconds_of_a_call(work: Callable[[], object]) -> float:
    started, calls, lasted = time.perf_counter(), 0, 0.0
    while lasted < SHORTEST_RUN:
        work()
        calls += 1
        lasted = time.perf_counter() - started
    return lasted / calls
