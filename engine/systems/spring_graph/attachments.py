"""Attachments as springs: between particles of spring graphs, or to an anchor particle that follows a collider.

A rigid attachment is a spring so stiff that inner steps of any length treat it as rigid. So it needs no constraint of
its own: it is solved among all springs in both passes, and conserves the momentum of the piece that it joins.

Colliders are built after spring graphs and do not take part in inner steps. So each collider vertex with an attachment
has an anchor here: a held particle that `interactions.anchors` moves with the collider.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...errors import SpecError
from ...mesh.graph.links import lengths
from ...spec import Attachment
from ...spec.check import indices, points
from ...spec.traits import Traits
from ...world.builder import Builder
from .tables.springs import Links

# k w h² of a rigid attachment in a substep h. Its remaining stretch is a billionth, and the value is within the range
# of single precision even for particles of a gram and a thousand inner steps.
FAST = 1e9
# Links shorter than this have no defined strain [m]; they get the rest length 0, so their ends coincide.
SHORTEST = 1e-6


@dataclass(frozen=True)
class AnchorSpec:
    """Spec of all anchors of a world; no system has this name."""

    kind: ClassVar[str] = "ANCHOR"
    traits: ClassVar[Traits] = Traits()

    name: str = ""


def tie(
    attachments: Sequence[Attachment], systems: Sequence[Any], start: dict[str, int], builder: Builder, h: float | None,
) -> tuple[Links, dict[str, np.ndarray]]:
    """Links of all attachments, and indices of the elastic pins by body; adds anchors and ties to the builder.

    Args:
        attachments: of the world; systems: all specs; start: first particle of each spring graph.
        h: the substep [s]; None with the integrator SYMPLECTIC, which has no rigid attachments.

    Raises:
        SpecError: a name or a vertex that cannot be attached.
    """
    specs = {system.name: system for system in systems}
    # `joining` handles attachments of rigid bodies, `leashing` those of agents.
    apart = {name for name, system in specs.items() if system.traits.is_rigid or system.traits.steers}
    attachments = [tie for tie in attachments if not {tie.a, tie.b} & apart]
    ends = [ends_of(attachment, specs) for attachment in attachments]
    leaders = sorted({
        (name, int(vertex))
        for attachment, own in zip(attachments, ends, strict=True)
        for name, vertices in zip((attachment.a, attachment.b), own, strict=True) if name not in start
        for vertex in vertices
    })
    if leaders:
        place = np.array([np.asarray(specs[name].vertices, dtype=np.float64)[vertex] for name, vertex in leaders])
        held = np.zeros(len(leaders))
        first = builder.add(AnchorSpec(), place, np.zeros(3), held, held, 0.0, 0.0, None)
        builder.anchors, builder.leaders = first + np.arange(len(leaders)), leaders
    anchor = dict(zip(leaders, builder.anchors.tolist(), strict=True))
    links = [Links(np.zeros((0, 2), dtype=np.int32), np.zeros(0), np.zeros(0), np.zeros(0))]
    x, inv_mass = builder.positions(), builder.inv_masses()
    for attachment, own in zip(attachments, ends, strict=True):
        pairs = np.stack([
            start[name] + vertices if name in start else np.array([anchor[name, int(k)] for k in vertices])
            for name, vertices in zip((attachment.a, attachment.b), own, strict=True)
        ], axis=1)
        links.append(_links(attachment, pairs.astype(np.int32), x, inv_mass, h))
    together = Links(*(np.concatenate(column) for column in zip(*map(_columns, links), strict=True)))
    builder.tied, builder.tied_apart = together.pairs.astype(np.int64), together.rest
    pin_of = np.repeat(["", *(one.a if one.is_pin else "" for one in attachments)], [len(own.rest) for own in links])
    return together, {name: np.flatnonzero(pin_of == name) for name in sorted({one.a for one in attachments})}


def _columns(links: Links) -> tuple[np.ndarray, ...]:
    return links.pairs, links.rest, links.stiffness, links.damping


def ends_of(attachment: Attachment, specs: dict[str, Any]) -> list[np.ndarray]:
    """Vertices of both ends, (links,) each; specs: of all systems by name; raises SpecError."""
    traits = [specs[name].traits for name in (attachment.a, attachment.b)]
    for name, own in zip((attachment.a, attachment.b), traits, strict=True):
        if not (own.is_springy or own.is_rigid or own.is_wall or own.steers):
            allowed = "a spring graph, a rigid body, a flock or a collider"
            raise SpecError(name, "attachments", specs[name].kind, allowed)
    if all(own.is_wall for own in traits):
        raise SpecError(attachment.a, "attachments", f"tied to {attachment.b}", "one side that is no collider")
    found = []
    for side in ("a", "b"):
        name = getattr(attachment, side)
        count = len(points(name, "vertices", specs[name].vertices))
        found.append(indices(name, f"{side}_vertices", getattr(attachment, f"{side}_vertices"), 1, count))
    if len(found[0]) != len(found[1]):
        raise SpecError(attachment.b, "b_vertices", f"{len(found[1])} vertices", f"{len(found[0])}, one for each link")
    same = np.flatnonzero(found[0] == found[1]) if attachment.a == attachment.b else ()
    if len(same):
        raise SpecError(
            attachment.a, "attachments", f"vertex {found[0][same[0]]} tied to itself", "two different vertices"
        )
    return found


def _links(attachment: Attachment, pairs: np.ndarray, x: np.ndarray, inv_mass: np.ndarray, h: float | None) -> Links:
    """Links between particles (m, 2) at x (n, 3) [m]; pairs with both ends held are dropped."""
    weight = inv_mass[pairs].sum(axis=1)
    pairs, weight = pairs[weight > 0.0], weight[weight > 0.0]
    rest = lengths(x, pairs)
    if attachment.rest_length is not None:
        rest[:] = attachment.rest_length
    rest[rest < SHORTEST] = 0.0
    if attachment.stiffness:
        stiffness = np.full(len(pairs), float(attachment.stiffness))
    elif h is None:
        allowed = "a stiffness in N/m with the integrator SYMPLECTIC, or any with XPBD"
        raise SpecError(attachment.a, "attachments", f"tied fast to {attachment.b}", allowed)
    else:
        stiffness = FAST / (weight * h * h)
    return Links(pairs, rest, stiffness, np.full(len(pairs), float(attachment.damping)))
