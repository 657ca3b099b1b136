"""Contact settings for every pair of bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...solver.collide.broad_phase.body_pairs import Meeting
from ...spec import Contact, Ignore, SpringDashpot, names_of
from ...spec.rules import CONTACT
from ...world.builder import Builder
from ...world.world import Model
from ..matching import named


@dataclass
class Pairs:
    """Symmetric tables over kinds of bodies, (kinds, kinds); bodies with the same contact settings are one kind.

    Attributes:
        kind: (bodies,) int32; of_particle: (n,) int32, kind of each particle's body.
        meets: pairs that collide by surfaces; allowed: bool, pairs that the rules let collide at all.
        friction, restitution: coefficients of each pair.
        stiffness: of penalty contacts [N/m], 0 for hard contact; damping: [N s/m].
        of_kind: (kinds,) int64, a body of each kind; by_rule: whether a rule sets friction, restitution, bool each.
        by_spheres: (bodies,) bool, bodies whose self-collision uses spheres at their vertices.
        hulls: (kinds,) bool, convex rigid bodies and walls without penalty contacts, which have one spring per vertex.
    """

    kind: np.ndarray
    of_particle: np.ndarray
    meets: Meeting
    friction: np.ndarray
    restitution: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    allowed: np.ndarray
    by_spheres: np.ndarray
    hulls: np.ndarray
    of_kind: np.ndarray
    by_rule: tuple[np.ndarray, np.ndarray]

    def __post_init__(self) -> None:
        self.has_penalty = bool(self.stiffness.any())

    def take_surfaces(self, model: Model) -> None:
        """Update friction and restitution from the bodies' current values, except where rules set them."""
        friction, restitution = model.friction[self.of_kind], model.restitution[self.of_kind]
        np.copyto(self.friction, np.sqrt(np.outer(friction, friction)), where=~self.by_rule[0])
        np.copyto(self.restitution, np.maximum.outer(restitution, restitution), where=~self.by_rule[1])


def close_ties(builder: Builder, radius: np.ndarray) -> np.ndarray:
    """Pairs of particles tied at less than their contact distance, (m, 2) int64; radius (n,) of all [m].

    A vertex that collides only by its proxy sphere is replaced by that sphere.
    """
    real = np.arange(len(radius))
    real[builder.anchors] = builder.leading()
    for proxies in builder.proxies:
        if proxies.alone:
            owner = builder.bodies[proxies.owner]
            real[owner.start : owner.stop] = builder.bodies[proxies.body].start + proxies.of
    pairs = real[builder.tied]
    return pairs[builder.tied_apart < radius[pairs].sum(axis=1)]


def build_pairs(rules: Sequence[Any], builder: Builder, model: Model, walls: Sequence[int]) -> Pairs:
    """Build the tables from the bodies' own values and the contact rules, of which the last one decides.

    Args: walls: systems that convex bodies may collide with as hulls.
    """
    names = [body.name for body in builder.bodies]
    of_body = _columns(builder, model, walls)
    sides = [[named(side, names) for side in (rule.a, rule.b)] for rule in rules]
    rows = np.stack([*of_body.values(), *(side for two in sides for side in two)], axis=1).astype(np.float64)
    _rows, first, kind = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    kind = kind.reshape(-1).astype(np.int32)
    # From here on, each column has one row per kind.
    one = {name: column[first] for name, column in of_body.items()}
    count = len(first)
    fixed, spheres, soft = (one[name].astype(bool) for name in ("fixed", "spheres", "soft"))
    meets, own = np.ones((count, count), dtype=bool), of_body["meets_itself"].astype(bool)
    friction = np.sqrt(np.outer(one["friction"], one["friction"]))
    restitution = np.maximum.outer(one["restitution"], one["restitution"])
    stiffness, damping = np.zeros((count, count)), np.zeros((count, count))
    by_rule = np.zeros((count, count), dtype=bool), np.zeros((count, count), dtype=bool)
    for rule, (a, b) in zip(rules, sides, strict=True):
        pairs = np.outer(a[first], b[first]) | np.outer(b[first], a[first])
        if rule.instead_of_contact:
            # Bodies without segments are not repelled, so they still collide.
            meets[pairs & np.outer(one["segmented"], one["segmented"]).astype(bool)] = False
        if rule.family != CONTACT:
            continue
        meets[pairs] = not isinstance(rule, Ignore)
        stiffness[pairs], damping[pairs] = 0.0, 0.0
        if isinstance(rule, SpringDashpot):
            stiffness[pairs], damping[pairs] = rule.stiffness, rule.damping
        elif isinstance(rule, Contact):
            if rule.friction is not None:
                friction[pairs], by_rule[0][pairs] = rule.friction, True
            if rule.restitution is not None:
                restitution[pairs], by_rule[1][pairs] = rule.restitution, True
        elif isinstance(rule, Ignore) and rule.a == rule.b != "*" and len(names_of(rule.a)) == 1:
            own = own & ~a
    # Spheres collide with colliders and rigid bodies by surfaces, but with soft bodies only by spheres.
    by_spheres = np.outer(spheres, spheres | soft)
    by_surface = ~np.outer(fixed, fixed) & ~by_spheres & ~by_spheres.T & np.outer(one["touched"], one["touched"])
    hulls = one["hull"].astype(bool) & ~stiffness.any(axis=1)
    as_spheres = of_body["own_spheres"].astype(bool)
    by_faces = Meeting(kind, meets & by_surface, own & np.diag(by_surface)[kind] & ~as_spheres)
    return Pairs(
        kind, kind[model.body], by_faces, friction, restitution, stiffness, damping, meets, own & as_spheres, hulls,
        first, by_rule,
    )


def _columns(builder: Builder, model: Model, walls: Sequence[int]) -> dict[str, np.ndarray]:
    """Properties that distinguish kinds of bodies, (bodies,) each."""
    moves, soft = (
        np.array([getattr(body.traits, trait) for body in builder.bodies], dtype=bool) for trait in ("moves", "deforms")
    )
    segmented = np.array([segments is not None for segments in builder.segments], dtype=bool)
    for proxies in builder.proxies:
        segmented[proxies.body] = segmented[proxies.owner]
    spheres, hull = np.zeros(len(moves), dtype=bool), np.zeros(len(moves), dtype=bool)
    spheres[[proxies.body for proxies in builder.proxies]] = True
    if builder.rigid is not None:
        hull[builder.rigid.system] = [one is not None for one in builder.rigid.hulls]
    hull[list(walls)] = True
    # A body with keyed friction or restitution is a kind of its own.
    keyed = [k if {"friction", "restitution"} & set(body.keyed) else -1 for k, body in enumerate(builder.bodies)]
    return {
        "friction": model.friction, "restitution": model.restitution, "fixed": ~moves,
        "keyed": np.array(keyed), "spheres": spheres, "soft": soft, "segmented": segmented, "hull": hull,
        "meets_itself": np.array([s is not None and s.meets_itself for s in builder.surfaces], dtype=bool),
        "own_spheres": np.array([s is not None and s.has_spheres for s in builder.surfaces], dtype=bool),
        "touched": np.array([s is not None and s.is_touched for s in builder.surfaces], dtype=bool),
    }
