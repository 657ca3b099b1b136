"""Builds pulling links from the attachments of a spec that have an agent at one end."""

from __future__ import annotations

import numpy as np

from ..spec import Attachment, WorldSpec
from ..systems.spring_graph.attachments import ends_of
from ..world.builder import Builder
from ..world.world import substep_length

# Dimensionless stiffness k w h² that counts as a rigid link in a substep h; w is the sum of both inverse masses.
RIGID_STIFFNESS = 1e4


def is_leash(tie: Attachment, spec: WorldSpec) -> bool:
    """Whether one end of an attachment is an agent."""
    return any(system.traits.steers for system in spec.systems if system.name in (tie.a, tie.b))


def leash(spec: WorldSpec, builder: Builder) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of particles (m, 2), lengths [m], stiffness [N/m] and damping [N s/m] of all attachments with an agent.

    Raises:
        SpecError: a name or a vertex that cannot be attached.
    """
    specs, h = {system.name: system for system in spec.systems}, substep_length(spec)
    x, inv_mass = builder.positions(), builder.inv_masses()
    pairs, rest, stiffness, damping = [np.zeros((0, 2), dtype=np.int64)], [np.zeros(0)], [np.zeros(0)], [np.zeros(0)]
    for tie in spec.attachments:
        if not is_leash(tie, spec):
            continue
        starts = [builder.bodies[builder.body_index(name)].start for name in (tie.a, tie.b)]
        own = np.stack([start + ends for start, ends in zip(starts, ends_of(tie, specs), strict=True)], axis=1)
        pairs.append(own.astype(np.int64))
        distance = np.linalg.norm(x[own[:, 0]] - x[own[:, 1]], axis=1)
        rest.append(distance if tie.rest_length is None else np.full(len(own), float(tie.rest_length)))
        inv_mass_sum = np.maximum(inv_mass[own].sum(axis=1), 1e-300)
        rigid_stiffness = RIGID_STIFFNESS / (inv_mass_sum * h * h)
        stiffness.append(np.full(len(own), float(tie.stiffness)) if tie.stiffness else rigid_stiffness)
        damping.append(np.full(len(own), float(tie.damping)))
    return tuple(np.concatenate(column) for column in (pairs, rest, stiffness, damping))
