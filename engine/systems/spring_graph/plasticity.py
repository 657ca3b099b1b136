"""Links that yield and break: their plastic state, kept outside the table of springs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ...compiler import aligned
from ...solver.constraints.plasticity import CHUNK, PlasticColumns, breaking, yield_and_break
from ...spec import SpringGraphSpec
from .links import of_edges
from .tables.hinges import HingeTable
from .tables.springs import Links, SpringTable


@dataclass
class Limits:
    """Strain limits of links, in the user's order.

    Attributes:
        yield_strain, most, break_strain: (s,), infinite where there is no limit; creep: (s,) [1/s].
    """

    yield_strain: np.ndarray
    creep: np.ndarray
    most: np.ndarray
    break_strain: np.ndarray


def limits_of(spec: SpringGraphSpec, links: np.ndarray, vertex_weights: np.ndarray) -> Limits:
    """The limits of a body's links (s, 2), in its own vertex indices; a strain of 0 means no limit.

    Args: vertex_weights: (n,) weight of the break strain at each vertex.
    """
    count, (a, b) = len(links), links.T
    values = (spec.yield_strain or np.inf, spec.creep, spec.max_plastic_strain)
    breaks = of_edges(spec, "edge_break", links, spec.break_strain * (0.5 * (vertex_weights[a] + vertex_weights[b])))
    return Limits(*(np.full(count, float(value)) for value in values), np.where(breaks > 0.0, breaks, np.inf))


def no_limits(count: int) -> Limits:
    """Limits of links that neither yield nor break."""
    return Limits(np.full(count, np.inf), np.zeros(count), np.zeros(count), np.full(count, np.inf))


def plasticity_of(
    each: Sequence[Limits], links: Links, springs: SpringTable, hinges: HingeTable, h: float
) -> Plasticity | None:
    """Plasticity of links with the limits of all bodies; None where no link yields or breaks. Args as `Plasticity`."""
    limits = Limits(*(np.concatenate([getattr(own, field.name) for own in each]) for field in fields(Limits)))
    if not np.isfinite(limits.yield_strain).any() and not np.isfinite(limits.break_strain).any():
        return None
    return Plasticity(limits, links, springs, hinges, h)


class Plasticity:
    """Rest lengths that change and links that break; exists only in a world with such links.

    Attributes:
        first: (p,) float64 [m], rest lengths as built, for each lane of each block.
        rest: (p,) float64 [m], current rest lengths; alive: (p,) bool, not broken.
    """

    def __init__(self, limits: Limits, links: Links, springs: SpringTable, hinges: HingeTable, h: float) -> None:
        """Args: limits: of all links; links; springs, hinges: the tables to change; h: the substep [s]."""
        self._springs, self._hinges = springs, hinges
        creep_fraction = -np.expm1(-limits.creep * h)
        self._yield, self._creep_fraction, self._most, self._break = (
            springs.packed(values, empty) for values, empty in (
                (limits.yield_strain, np.inf), (creep_fraction, 0.0), (limits.most, 0.0), (limits.break_strain, np.inf)
            )
        )
        hinges.find_links(links.pairs)
        self.first = springs.packed(links.rest, 0.0)
        self.rest = self.first.copy()
        self.alive = np.ones(len(self.rest), dtype=bool)
        self._has_broken = np.zeros(-(-len(self.rest) // CHUNK), dtype=bool)
        self.update_tables()

    def act(self, rows: np.ndarray) -> None:
        """After a substep's solve: update rest lengths and breaks; rows: (r, 4) positions [m]."""
        springs = self._springs
        length = springs.lengths(rows)
        yield_and_break(length, self._columns, springs.rest, self._has_broken)
        if self._has_broken.any():
            self.alive &= ~breaking(length, self._columns)
            self.update_tables()

    def set_rest_lengths(self, rest: np.ndarray) -> None:
        """Change the rest lengths as built, (s,) [m]; links that yielded change in proportion."""
        before, self.first = self.first, self._springs.packed(rest, 0.0)
        self.rest *= np.divide(self.first, before, out=np.ones_like(before), where=before > 0.0)
        self.update_tables()

    def update_tables(self) -> None:
        """Pass rest lengths and breaks on to springs and hinges."""
        self._springs.alter(self.rest, self.alive)
        self._hinges.disable_broken(self._springs.by_link(self.alive))
        acts, number = self.alive & (self.first > 0.0), self._springs.rest.dtype
        yields, breaks = (np.where(acts, strain, np.inf) for strain in (self._yield, self._break))
        bounds = np.maximum(1.0 - self._most, 0.0), 1.0 + self._most
        lowest, highest = (np.where(acts, self.first * bound, 0.0) for bound in bounds)
        limits = (lowest, highest, 1.0 + yields, 1.0 - yields, self._creep_fraction, 1.0 + breaks)
        self._columns = PlasticColumns(self.rest, *(aligned.copy(values.astype(number)) for values in limits))

    def memory(self) -> dict[str, Any]:
        """State that a snapshot must keep."""
        return {"rest": self.rest, "alive": self.alive}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore a snapshot's state."""
        self.rest, self.alive = memory["rest"], memory["alive"]
        self.update_tables()
