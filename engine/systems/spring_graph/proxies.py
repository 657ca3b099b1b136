"""Proxy spheres for contact: particles that stand for groups of a body's vertices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...mesh.graph.clusters import sphere_groups, sphere_radii
from ...spec import SpringGraphSpec
from ...spec.traits import Traits
from ...world.builder import Builder, ProxyBody, Surface


@dataclass(frozen=True)
class ProxySpec:
    """Spec of a body's proxies. It has the name of that body, so that interaction rules apply to both."""

    kind: ClassVar[str] = "PROXIES"
    traits: ClassVar[Traits] = Traits(moves=True)

    name: str
    friction: float
    restitution: float
    keyed: Sequence[str]


def add_proxies(specs: Sequence[SpringGraphSpec], builder: Builder) -> None:
    """Give proxies to all spring graphs if any of them collides by proxies.

    A body that keeps its surface also gets proxies, for contacts with bodies that have no surface; triangles and
    colliders ignore those proxies.
    """
    if not any(spec.contact == "PROXIES" for spec in specs):
        return
    x, mass, v = builder.positions(), builder.masses(), builder.velocities()
    for spec in specs:
        owner = builder.body_index(spec.name)
        body, alone = builder.bodies[owner], spec.contact == "PROXIES"
        own = slice(body.start, body.stop)
        segments, surface = builder.segments[owner], builder.surfaces[owner]
        if alone and segments is not None:
            of, radius = segments.of, segments.radius
        else:
            of = sphere_groups(x[own], surface.triangles[surface.closed[surface.part]], 0)
            radius = sphere_radii(x[own], of, mass[own])
        count = len(radius)
        total = np.bincount(of, weights=mass[own])
        centre, speed = (
            np.stack([np.bincount(of, weights=mass[own] * along) / total for along in values[own].T], axis=1)
            for values in (x, v)
        )
        # The vertices carry the mass. A proxy without a free vertex cannot be pushed.
        free = np.bincount(of, weights=builder.inv_masses()[own]) > 0.0
        touched = Surface(
            np.zeros((0, 3), dtype=np.int32), np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int32),
            np.zeros(0, dtype=bool), np.zeros((0, 2), dtype=np.int32),
        )
        builder.add(
            ProxySpec(spec.name, spec.friction, spec.restitution, spec.keyed), centre, speed, np.zeros(count),
            np.where(free, 1.0 / total, 0.0), radius + 0.5 * builder.thickness_of(owner), 0.0,
            touched if alone else None,
        )
        builder.proxies.append(ProxyBody(len(builder.bodies) - 1, owner, of, alone))
