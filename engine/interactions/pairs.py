"""What contact needs to know of every pair of bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..particles import Builder
from ..spec import Contact, Ignore, PowerRepulsion, SpringDashpot, names_of
from ..world import Model
from .sides import fits

# Kinds that others can push.
MOVABLE = ("SPRING_GRAPH", "VOXEL_BODY")


@dataclass
class Pairs:
    """Tables over bodies, (bodies, bodies) each and the same either way.

    Attributes:
        meets: bool, who meets whom; friction, restitution: between them.
        stiffness: of springs that push them apart [N/m], 0 where they keep apart instead; damping: [N s/m].
    """

    meets: np.ndarray
    friction: np.ndarray
    restitution: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray

    @property
    def is_springy(self) -> bool:
        """Whether springs push any two apart."""
        return bool(self.stiffness.any())


def build_pairs(rules: Sequence[Any], builder: Builder, model: Model) -> Pairs:
    """Tables from each body's own values and from rules, the last of which decides."""
    count = len(builder.bodies)
    names = [body.name for body in builder.bodies]
    fixed = np.array([body.kind not in MOVABLE for body in builder.bodies], dtype=bool)
    meets, others = np.ones((count, count), dtype=bool), ~np.eye(count, dtype=bool)
    np.fill_diagonal(meets, [surface is not None and surface.meets_itself for surface in builder.surfaces])
    friction = np.sqrt(np.outer(model.friction, model.friction))
    restitution = np.maximum.outer(model.restitution, model.restitution)
    stiffness, damping = np.zeros((count, count)), np.zeros((count, count))
    segmented = np.array([segments is not None for segments in builder.segments], dtype=bool)
    for rule in rules:
        pairs = fits(rule, names)
        if isinstance(rule, PowerRepulsion):
            # Who has no segments is not repelled, and goes on touching.
            pairs &= np.outer(segmented, segmented)
        meets[pairs & others] = isinstance(rule, (Contact, SpringDashpot))
        stiffness[pairs], damping[pairs] = 0.0, 0.0
        if isinstance(rule, SpringDashpot):
            stiffness[pairs], damping[pairs] = rule.stiffness, rule.damping
        elif isinstance(rule, Contact):
            if rule.friction is not None:
                friction[pairs] = rule.friction
            if rule.restitution is not None:
                restitution[pairs] = rule.restitution
        elif isinstance(rule, Ignore) and rule.a == rule.b != "*" and len(names_of(rule.a)) == 1:
            meets[pairs] = False
    return Pairs(meets & ~np.outer(fixed, fixed), friction, restitution, stiffness, damping)
