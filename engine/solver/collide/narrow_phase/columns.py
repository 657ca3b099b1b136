"""Arrays of the narrow phase, grouped by subject; kernels take each group as one argument."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class SubstepMotion(NamedTuple):
    """Motion of particles in the running substep, (n, ...) each.

    Attributes:
        x0, x: (n, 3), at the start and the end of the motion [m]; v: (n, 3) [m/s]; rest: (n, 3), as built [m].
        body: (n,), body of each particle; inv_mass: (n,) [1/kg].
        piece: (n,), body of each particle, or its piece of a body that was cut up; pieces collide with each other as
            bodies do.
        enclosed: (n,) bool, whether a particle belongs to a surface that has an inside.
        is_agent: (n,) bool, agents of flocks; they have no surface.
        inside: (n,) bool, for held and rigid particles and for agents: whether they lie within a soft body.
        tangled: sorted keys (k,) int64 of the pairs of soft bodies that intersect, `lower * bodies + higher`.
        bodies: number of bodies; knows_tangled: False while `tangled` is unknown, so that any two may intersect.
        radius: (n,) [m]; slack: (n,), distance by which springs may still move a particle in the substep [m];
            0 for an animated particle, which gets the slack of the other side, see `place.spread_of`.
        up: (3,) unit vector against gravity; zeros without gravity.
        begins: whether this is the first frame, in which bodies may overlap slightly.
    """

    x0: np.ndarray
    x: np.ndarray
    v: np.ndarray
    rest: np.ndarray
    body: np.ndarray
    piece: np.ndarray
    inv_mass: np.ndarray
    enclosed: np.ndarray
    is_agent: np.ndarray
    inside: np.ndarray
    tangled: np.ndarray
    bodies: int
    knows_tangled: bool
    radius: np.ndarray
    slack: np.ndarray
    up: np.ndarray
    begins: bool


class FacesAndEdges(NamedTuple):
    """Triangles and edges of all surfaces, see `elements.Elements`.

    Attributes:
        corner: (t, 3); closed: (t,) bool, of a surface that has an inside.
        edge: (e, 2); edge_face: (e, 2), triangles of each edge, or -1; is_fine: (e,) bool, see `bends.are_fine`.
        fan_start, fan: triangles of closed pieces at each particle i: fan[fan_start[i] : fan_start[i + 1]]; empty where
            all surfaces are closed, or none is.
        sample: (bodies, grazing.SAMPLES) particles of each body, spread over it.
    """

    corner: np.ndarray
    closed: np.ndarray
    edge: np.ndarray
    edge_face: np.ndarray
    is_fine: np.ndarray
    fan_start: np.ndarray
    fan: np.ndarray
    sample: np.ndarray


class NearPairs(NamedTuple):
    """Pairs found near each other by the broad phase.

    Attributes:
        particle: (m,), of each pair of a particle and a body; start, stop: (m,), ranges of `near`.
        near: (k,) triangles.
        edges: (l, 2), near pairs of edges.
    """

    particle: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    near: np.ndarray
    edges: np.ndarray


class FoundContacts(NamedTuple):
    """Contacts that the narrow phase finds; a slot for each possible contact.

    Attributes:
        close: (m + l,) bool, pairs that may pass through each other if both deviate by a fraction of their slack.
        within: (slots,) bool, of the first m: whether the particle lies within the body; found before the solve.
        touching: bool; contact: (., 4) particles; weight: (., 4); normal: (., 3), from the second side to the first.
        rest_separation: distance to keep [m]; approach: relative velocity along the normal [m/s].
    """

    close: np.ndarray
    within: np.ndarray
    touching: np.ndarray
    contact: np.ndarray
    weight: np.ndarray
    normal: np.ndarray
    rest_separation: np.ndarray
    approach: np.ndarray


def found_contacts(slots: int, close: np.ndarray) -> FoundContacts:
    """Empty contacts with capacity for `slots`; close: (m + l,) bool, see `FoundContacts`."""
    within, touching = np.zeros(slots, dtype=bool), np.zeros(slots, dtype=bool)
    return FoundContacts(
        close, within, touching, np.zeros((slots, 4), dtype=np.int64), np.zeros((slots, 4)), np.zeros((slots, 3)),
        np.zeros(slots), np.zeros(slots),
    )
