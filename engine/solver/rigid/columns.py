"""Arrays of rigid bodies, grouped by subject: what kernels of rigid bodies take as one argument."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class BodyColumns(NamedTuple):
    """State of all rigid bodies, see `bodies.RigidBodies`.

    Attributes:
        mass: (b,) [kg]; inertia: (b, 3), about the principal axes [kg m²].
        position: (b, 3) of centres [m]; rotation: (b, 4), quaternions (w, x, y, z) of the principal axes.
        velocity: (b, 3) [m/s]; angular_momentum: (b, 3), along the world's axes [kg m²/s].
        position_before, rotation_before: at the start of the running substep.
        force: (b, 3) [N]; torque: (b, 3), about the centre [N m].
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
    reach: np.ndarray


class RigidContactColumns(NamedTuple):
    """Contacts of rigid bodies in the running substep, (m, ...) each; arrays may have room for more.

    Attributes:
        slot: place among the pairs of the search, -1 for hulls; contact: (m, 4) particles, weight: (m, 4) signed,
            normal: (m, 3), rest_separation [m], approach [m/s]: see `solver.contact_buffer.ContactBuffer`.
        around: scratch, list of contacts; sides: (m, 2) int32, rigid body of both sides, or -1; soft: bool.
        friction, bounces: coefficients of friction and restitution; spring: (m, 2), stiffness and damping.
        impulse: (m, 4), along the normal and the two or three others, see `contact.impulses` [N s].
        lever_a, lever_b: (m, 3), from the centres to the contact [m]; base: (m, 3), target, give_way: (m, 2),
            total_inv_mass: (m, 2), overlap, firm: (m, 2), toward: (m, 4): see `contact.prepare`.
        more: further impulse along the normal; normal_impulse: what inner steps gave along it [N s].
        anchors: (m, 12), see `solver.contact_buffer.RigidContactBuffer`.
    """

    slot: np.ndarray
    contact: np.ndarray
    around: np.ndarray
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
    give_way: np.ndarray
    total_inv_mass: np.ndarray
    overlap: np.ndarray
    firm: np.ndarray
    more: np.ndarray
    normal_impulse: np.ndarray
    anchors: np.ndarray
    toward: np.ndarray
