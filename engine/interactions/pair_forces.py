"""Every `PairForce` of a world: particles of two systems within reach attract or repel each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..solver.neighbors.lists import LANES
from ..solver.neighbors.search import Neighbors
from ..spec.rules import FORCE, PairForce
from ..step.stage import Stage
from ..world.builder import Builder
from ..world.push import push
from ..world.world import Model, State, World
from .base import Interaction
from .matching import fits, named

# Margin of neighbour lists as a fraction of the reach, so that lists stay valid for several substeps.
MARGIN = 0.2


class _Pairs:
    """Pairs of particles that one rule applies to.

    Attributes:
        rule: its law; ids: (p,) particles of all affected bodies.
        first, second: (m,) particles within reach plus margin, each pair once.
    """

    def __init__(self, rule: PairForce, ids: np.ndarray, chosen: np.ndarray, body: np.ndarray) -> None:
        """Args: chosen: (bodies, bodies) bool, pairs of bodies it acts between; body: (n,) body of each particle."""
        self.rule, self.ids, self._chosen, self._body = rule, ids, chosen, body
        # A force sums over all neighbours, so no list may be truncated.
        self._search = Neighbors(float(rule.reach), MARGIN * float(rule.reach), most=max(len(ids), LANES))
        self.first = self.second = np.zeros(0, dtype=np.int64)

    def update(self, x: np.ndarray) -> None:
        """Find the pairs again if particles have moved by more than the margin."""
        points = x[self.ids].astype(np.float32)
        if not self._search.update(points):
            return
        grid, lists = self._search.grid, self._search.lists
        slots = int(lists.slot_start[-1])
        block = np.repeat(np.arange(len(lists.slot_start) - 1), np.diff(lists.slot_start))
        place = LANES * block[:, None] + np.arange(LANES)
        other = lists.neighbor[:slots]
        there = (place < grid.count) & (other < grid.count)
        first, second = (self.ids[grid.order[sorted_place[there]]] for sorted_place in (place, other))
        keep = (first < second) & self._chosen[self._body[first], self._body[second]]
        self.first, self.second = first[keep], second[keep]

    def push(self, world: World, h: float) -> None:
        """Apply the force of the rule to all pairs within reach."""
        x, v = world.state.x, world.state.v
        along = x[self.second] - x[self.first]
        distance = np.linalg.norm(along, axis=1)
        near = np.flatnonzero((distance <= float(self.rule.reach)) & (distance > 0.0))
        first, second, distance = self.first[near], self.second[near], distance[near]
        along = along[near] / distance[:, None]
        closing = -np.einsum("mk,mk->m", v[second] - v[first], along)
        size = np.asarray(self.rule.force(distance, closing), dtype=np.float64)
        damping = self.rule.damping(distance)
        if damping is not None and len(near):
            size = size + _damping_forces(world, first, second, closing, np.asarray(damping, dtype=np.float64), h)
        force = size[:, None] * along
        push(world, second, force, h)
        push(world, first, -force, h)


def _damping_forces(
    world: World, first: np.ndarray, second: np.ndarray, closing: np.ndarray, damping: np.ndarray, h: float
) -> np.ndarray:
    """Damping forces [N], (m,), of dashpots over h [s]; exact for a single pair.

    Each particle's mass is divided among its pairs, so that several dashpots together do not overshoot.
    """
    rigid, inv_mass = world.rigid, world.model.inv_mass
    inv_mass_sum = np.zeros(len(inv_mass))
    for side in (first, second):
        weight = inv_mass[side].copy()
        if rigid is not None:
            own = (side >= rigid.own.start) & (side < rigid.own.stop)
            weight[own] = 1.0 / rigid.mass[np.searchsorted(rigid.start, side[own], side="right") - 1]
        np.add.at(inv_mass_sum, side, weight)
    rate = inv_mass_sum[first] + inv_mass_sum[second]
    # Pairs held on both sides have zero rate.
    return closing * -np.expm1(-damping * h * rate) / np.maximum(h * rate, 1e-300)


class PairForces(Interaction):
    """For each pair of bodies the last matching rule of the family acts between their particles."""

    def __init__(self, rules: Sequence[Any], builder: Builder, model: Model, state: State) -> None:
        """Determine which rule acts between which bodies."""
        names = [body.name for body in builder.bodies]
        decided = np.full((len(names), len(names)), -1)
        for number, rule in enumerate(rules):
            if rule.family == FORCE:
                matched = fits(rule, names)
                decided[matched] = number if isinstance(rule, PairForce) else -1
                if isinstance(rule, PairForce) and rule.urge:
                    # Agents convert this rule into an urge of their own.
                    steers = named(rule.a, names) & [body.traits.steers for body in builder.bodies]
                    agents = np.outer(steers, named(rule.b, names))
                    decided[agents | agents.T] = -1
        # Springs and rigidity act within a body; only unconnected particles of one body exert pair forces.
        bound = [body.traits.deforms or body.traits.is_rigid or not body.traits.moves for body in builder.bodies]
        np.fill_diagonal(decided, np.where(bound, -1, np.diag(decided)))
        proxy_bodies = {proxies.body for proxies in builder.proxies}
        decided[list(proxy_bodies)], decided[:, list(proxy_bodies)] = -1, -1
        self.pairs: list[_Pairs] = []
        for number in np.unique(decided[decided >= 0]):
            chosen = decided == number
            ids = np.flatnonzero(chosen.any(axis=1)[model.body])
            if len(ids):
                self.pairs.append(_Pairs(rules[number], ids, chosen, model.body))

    def acts(self) -> bool:
        """Whether a rule acts between any two bodies."""
        return bool(self.pairs)

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """Apply the pair forces in FORCE."""
        if stage is Stage.FORCE:
            for pairs in self.pairs:
                pairs.update(world.state.x)
                pairs.push(world, h)
