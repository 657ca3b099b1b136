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
MOVABLE = ("SPRING_GRAPH", "VOXEL_BODY", "PROXIES")


@dataclass
class Pairs:
    """Tables over bodies, (bodies, bodies) each and the same either way.

    Attributes:
        meets: bool, who meets whom by surfaces; meant: bool, whom rules let meet at all.
        friction, restitution: between them.
        stiffness: of springs that push them apart [N/m], 0 where they keep apart instead; damping: [N s/m].
    """

    meets: np.ndarray
    friction: np.ndarray
    restitution: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    meant: np.ndarray

    @property
    def is_springy(self) -> bool:
        """Whether springs push any two apart."""
        return bool(self.stiffness.any())


def close_ties(builder: Builder, radius: np.ndarray) -> np.ndarray:
    """Pairs of particles that are tied nearer than they would keep apart, (m, 2) int64; radius (n,) of all [m].

    For vertices that nobody touches, the spheres that stand for them.
    """
    real = np.arange(len(radius))
    real[builder.anchors] = builder.leading()
    for proxies in builder.proxies:
        if proxies.alone:
            owner = builder.bodies[proxies.owner]
            real[owner.start : owner.stop] = builder.bodies[proxies.body].start + proxies.of
    pairs = real[builder.tied]
    return pairs[builder.tied_apart < radius[pairs].sum(axis=1)]


def build_pairs(rules: Sequence[Any], builder: Builder, model: Model) -> Pairs:
    """Tables from each body's own values and from rules, the last of which decides."""
    count = len(builder.bodies)
    names = [body.name for body in builder.bodies]
    kinds = np.array([body.kind for body in builder.bodies])
    fixed, spheres = ~np.isin(kinds, MOVABLE), kinds == "PROXIES"
    meets, others = np.ones((count, count), dtype=bool), ~np.eye(count, dtype=bool)
    np.fill_diagonal(meets, [surface is not None and surface.meets_itself for surface in builder.surfaces])
    friction = np.sqrt(np.outer(model.friction, model.friction))
    restitution = np.maximum.outer(model.restitution, model.restitution)
    stiffness, damping = np.zeros((count, count)), np.zeros((count, count))
    segmented = np.array([segments is not None for segments in builder.segments], dtype=bool)
    for proxies in builder.proxies:
        segmented[proxies.body] = segmented[proxies.owner]
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
    # Spheres meet colliders and rigid bodies as surfaces do, but soft bodies by spheres only.
    by_spheres = np.outer(spheres, np.isin(kinds, ("PROXIES", "SPRING_GRAPH")))
    by_surface = ~np.outer(fixed, fixed) & ~by_spheres & ~by_spheres.T
    return Pairs(meets & by_surface, friction, restitution, stiffness, damping, meets)
