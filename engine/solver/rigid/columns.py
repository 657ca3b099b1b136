"""Arrays of rigid bodies, grouped by subject; kernels take each group as one argument."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np


class BodyColumns(NamedTuple):
    """State of all rigid bodies, see `bodies.RigidBodies`.

    Attributes:
        mass: (b,) [kg]; inertia: (b, 3), about the principal axes [kg m²].
        position: (b, 3) of centres [m]; rotation: (b, 4), quaternions (w, x, y, z) of the principal axes.
        velocity: (b, 3) [m/s]; angular_momentum: (b, 3), along the world's axes [kg m²/s].
        position_before, rotation_before: at the start of the running substep.
        force: (b, 3) [N]; torque: (b, 3), about the centre [N m]; both act as an impulse at the start of the substep.
        spread_force, spread_torque: likewise, of water; applied gradually over the inner steps, as gravity is.
        reach: (b,), distance of the furthest particle from the centre [m].
    """

    mass: np.ndarray
    inertia: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    velocity: np.ndarray
    angular_momentum: np.ndarray
    position_before: np.ndarray
    rotation_before: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    spread_force: np.ndarray
    spread_torque: np.ndarray
    reach: np.ndarray


class RoundColumns(NamedTuple):
    """Round bodies, see `bodies.RigidBodies`.

    Attributes:
        start: (b,), first particle of each body; first: (b,), its index in `rows`, or -1 for a body that is not round.
        rows: (r, ...), see `contact.roundness`.
    """

    start: np.ndarray
    first: np.ndarray
    rows: np.ndarray


class ParticleOwners(NamedTuple):
    """Owner and inverse mass of particles.

    Attributes:
        body: (n,), body of each particle; inv_mass: (n,) [1/kg].
        kind: (bodies,), kind of each body; rigid: (bodies,) int32, rigid body of each, or -1.
    """

    body: np.ndarray
    inv_mass: np.ndarray
    kind: np.ndarray
    rigid: np.ndarray


class WetMeshes(NamedTuple):
    """Surfaces of rigid bodies in water, see `water_forces`.

    Attributes:
        start: (b + 1,) ranges of triangles; triangles: (t, 3) int32 particles; is_lid: (t,) bool, lids have no drag.
        follows: (b,), volume of water that moves with each square metre of wet surface [m].
        added: (b,) in and out, added mass of each body [kg]; was_added: (b,), the same in the last substep.
    """

    start: np.ndarray
    triangles: np.ndarray
    is_lid: np.ndarray
    follows: np.ndarray
    added: np.ndarray
    was_added: np.ndarray


class PairTables(NamedTuple):
    """Contact coefficients for each pair of kinds, (kinds, kinds) each.

    Attributes:
        friction, restitution: coefficients; stiffness [N/m], damping [N s/m]: of penalty contacts, else zero.
    """

    friction: np.ndarray
    restitution: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray


class InnerContacts(NamedTuple):
    """Contacts of rigid bodies in inner steps, (m, ...) each, see `contact.inner.hold`.

    Attributes:
        rows, parts: (m, 4) rows of the particles and their weights; the spare row and weight 0 for other particles.
        creep: (m, 3), predicted relative displacement in an inner step by particles that have no rows [m].
        separation: (m,), distance by which the sides may approach until the substep ends, including displacements of
            rows that have since been reset to zero [m]; infinite for penalty contacts and soft particles without rows.
        lever_a, lever_b: (m, 3), from the centres [m]; start_lever_a, start_lever_b: (m, 3), from the centres at the
            start of the substep to the points where displacements of rows were last reset [m].
        island: (m,) int64, island of each contact, -1 for one without soft bodies; is_last: (m,) bool, whether it comes
            after the others of its island.
        of_contacts, contact: the contacts of each island, see `constraints.islands.Listed`.
    """

    rows: np.ndarray
    parts: np.ndarray
    creep: np.ndarray
    separation: np.ndarray
    lever_a: np.ndarray
    lever_b: np.ndarray
    start_lever_a: np.ndarray
    start_lever_b: np.ndarray
    island: np.ndarray
    is_last: np.ndarray
    of_contacts: np.ndarray
    contact: np.ndarray


class InnerBodies(NamedTuple):
    """State of rigid bodies in inner steps, (b, ...) each.

    Attributes:
        steps: (b,) int64, inner steps; mass: (b,) [kg]; body_inv_mass: (b,), its inverse [1/kg].
        inverse: (b, 6), inverse inertias, see `sides` [1/(kg m²)].
        velocity: (b, 3), predicted [m/s]; dv_per_step: (b, 6), velocity change by forces in an inner step [m/s, rad/s].
        rate: (b, 6), velocity beyond the predicted one [m/s, rad/s]; step_displacement: scratch (b, 6), displacement in
            this step beyond the predicted one [m, rad]; displacement: (b, 6), its sum over this substep.
        centre_displacement: (b, 3), displacement of the centre in the substep before this step [m].
        gave: (b, GAVE), sums of impulses from soft particles, see `contact.inner.bodies`.
        step_impulses: (b, 9), scratch: impulses of this step from soft particles [N s], their moments about the centre
            [N m s], and impulses of all other contacts [N s].
        of_bodies, body: the bodies of each island with soft bodies, see `constraints.islands.Listed`.
    """

    steps: np.ndarray
    mass: np.ndarray
    body_inv_mass: np.ndarray
    inverse: np.ndarray
    velocity: np.ndarray
    dv_per_step: np.ndarray
    rate: np.ndarray
    step_displacement: np.ndarray
    displacement: np.ndarray
    centre_displacement: np.ndarray
    impulse_sums: np.ndarray
    step_impulses: np.ndarray
    of_bodies: np.ndarray
    body: np.ndarray


class RigidContactColumns(NamedTuple):
    """Contacts of rigid bodies in the running substep, (m, ...) each; arrays may have spare capacity.

    Attributes:
        slot: index among the pairs of the search, -1 for hulls; contact: (m, 4) particles, weight: (m, 4) signed,
            normal: (m, 3), rest_separation [m], approach [m/s]: see `solver.contact_buffer.ContactBuffer`.
        selected: scratch, list of contacts; sides: (m, 2) int32, rigid bodies of the two sides, or -1.
        soft: bool, whether inner steps apply the contact to soft particles.
        friction, bounces: coefficients of friction and restitution; spring: (m, 2), stiffness [N/m] and damping
            [N s/m] of penalty contacts, zero for all others.
        impulse: (m, 4), normal impulse and friction vector, see `contact.impulses` [N s].
        lever_a, lever_b: (m, 3), from the centres to the contact [m]; base: (m, 3), target, compliance: (m, 2),
            total_inv_mass: (m, 2), overlap, effective_mass: (m, 2), normal_response: (m, 4): see `contact.prepare`.
        extra_impulse: additional impulse along the normal, of restitution; or the displacement by recovery times mass
            [kg m]; normal_impulse: sum over the inner steps [N s].
        anchors: (m, 12) of contacts without weights: points of both sides, relative to the centre of a body and
            absolute on a wall, predicted relative displacement in the substep [m], and velocity of a moving wall [m/s].
    """

    slot: np.ndarray
    contact: np.ndarray
    selected: np.ndarray
    sides: np.ndarray
    soft: np.ndarray
    weight: np.ndarray
    normal: np.ndarray
    rest_separation: np.ndarray
    approach: np.ndarray
    friction: np.ndarray
    bounces: np.ndarray
    spring: np.ndarray
    impulse: np.ndarray
    lever_a: np.ndarray
    lever_b: np.ndarray
    base: np.ndarray
    target: np.ndarray
    compliance: np.ndarray
    total_inv_mass: np.ndarray
    overlap: np.ndarray
    effective_mass: np.ndarray
    extra_impulse: np.ndarray
    normal_impulse: np.ndarray
    anchors: np.ndarray
    normal_response: np.ndarray


# Numbers per contact in each column that is not one-dimensional, and types other than float64.
_WIDTHS = {
    "contact": 4, "sides": 2, "weight": 4, "normal": 3, "spring": 2, "impulse": 4, "lever_a": 3, "lever_b": 3,
    "base": 3, "compliance": 2, "total_inv_mass": 2, "effective_mass": 2, "anchors": 12, "normal_response": 4,
}
_TYPES = {"slot": np.int64, "contact": np.int64, "selected": np.int64, "sides": np.int32, "soft": bool}


def rigid_contact_columns(capacity: int) -> RigidContactColumns:
    """Zeroed columns with capacity for so many contacts."""
    return RigidContactColumns(*(
        np.zeros((capacity, _WIDTHS[name]) if name in _WIDTHS else capacity, dtype=_TYPES.get(name, np.float64))
        for name in RigidContactColumns._fields
    ))


@dataclass
class RigidContactBuffer:
    """Contacts of rigid bodies in the running substep: `count` of them, in columns that may have spare capacity."""

    columns: RigidContactColumns = field(default_factory=lambda: rigid_contact_columns(0))
    count: int = 0
