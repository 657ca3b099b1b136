"""Links that yield and break: what they have become, beside the table of springs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...solver.constraints.plasticity import yield_and_break
from ...spec import SpringGraphSpec
from .links import of_edges
from .tables.hinges import HingeTable
from .tables.springs import Links, SpringTable


@dataclass
class Limits:
    """What links bear, in the user's order.

    Attributes:
        yield_strain, most, break_strain: (s,), infinite where there is no limit; creep: (s,) [1/s].
    """

    yield_strain: np.ndarray
    creep: np.ndarray
    most: np.ndarray
    break_strain: np.ndarray


def limits_of(spec: SpringGraphSpec, links: np.ndarray, share: np.ndarray) -> Limits:
    """The limits of a body's links (s, 2), in own numbers; a strain of 0 means none.

    Args: share: (n,) of the break strain at the vertices.
    """
    count = len(links)
    values = (spec.yield_strain or np.inf, spec.creep, spec.max_plastic_strain)
    breaks = of_edges(spec, "edge_break", links, spec.break_strain * share[links].mean(axis=1))
    return Limits(*(np.full(count, float(value)) for value in values), np.where(breaks > 0.0, breaks, np.inf))


def no_limits(count: int) -> Limits:
    """Of links that bear anything."""
    return Limits(np.full(count, np.inf), np.zeros(count), np.zeros(count), np.full(count, np.inf))


class Plasticity:
    """Rest lengths that change and links that break; made only for a world that has such links.

    Attributes:
        first: (p,) float64 [m], rest lengths as built, a place for each lane of each block.
        rest: (p,) float64 [m], rest lengths now; alive: (p,) bool, not broken.
    """

    def __init__(self, limits: Limits, links: Links, springs: SpringTable, hinges: HingeTable, h: float) -> None:
        """Args: limits of all links; the links; the tables they act on; h [s]."""
        self._springs, self._hinges = springs, hinges
        self._limits = [
            springs.packed(values, empty) for values, empty in (
                (limits.yield_strain, np.inf), (-np.expm1(-limits.creep * h), 0.0), (limits.most, 0.0),
                (limits.break_strain, np.inf),
            )
        ]
        hinges.tie(links.pairs)
        self.first = springs.packed(links.rest, 0.0)
        self.rest = self.first.copy()
        self.alive = np.ones(len(self.rest), dtype=bool)
        self._changed = np.zeros(len(self.rest) // 16, dtype=bool)

    def act(self, rows: np.ndarray) -> None:
        """After a substep's solve."""
        yield_and_break(
            rows, self._springs.i, self._springs.j, self.first, *self._limits, self.rest, self.alive, self._changed
        )
        if self._changed.any():
            self._tell()

    def lengthen(self, rest: np.ndarray) -> None:
        """Links as built have other lengths, (s,) [m]; those that yielded grow or shrink by as much."""
        before, self.first = self.first, self._springs.packed(rest, 0.0)
        self.rest *= np.divide(self.first, before, out=np.ones_like(before), where=before > 0.0)
        self._tell()

    def _tell(self) -> None:
        self._springs.alter(self.rest, self.alive)
        self._hinges.keep(self._springs.by_link(self.alive))

    def memory(self) -> dict[str, Any]:
        """What a snapshot must keep."""
        return {"rest": self.rest, "alive": self.alive}

    def recall(self, memory: dict[str, Any]) -> None:
        """Take a snapshot's memory back."""
        self.rest, self.alive = memory["rest"], memory["alive"]
        self._tell()
