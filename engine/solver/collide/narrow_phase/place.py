"""Point and separation of a contact."""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, part_of_kernel

# In self-contact the rest separation is at most this fraction of the distance of the two points at rest.
OWN_FRACTION = 0.8
# Pairs whose boxes are further apart than this fraction of the rest separation cannot pass through, tolerance included.
PASSAGE_MARGIN = 0.1
# A pair that might pass through if both sides deviated by this fraction of their slack is tested again after the solve.
# So is every pair of a particle that deviates further.
DISPLACED_FRACTION = 0.25
# A pair that comes within the rest separation plus this fraction of the slack of both sides gets a contact: springs may
# move it that far in the substep.
REACH = 0.5
# Fine edges of two soft bodies, see `bends.are_fine`, keep this fraction of the rest separation, and have a smaller
# reach. Contacts of vertices and faces keep such bodies apart; edges only act on surfaces compressed to less than their
# bulge. At the full distance each edge of two touching surfaces had contacts with several others: four times as many
# contacts as vertices have.
FINE_EDGES, FINE_EDGE_REACH = 0.5, 0.125
# Pieces of a body that was cut up begin in contact, where rounding decides the side. One may end a substep this deep in
# another, as a fraction of the thickness, before the last check moves it back; contacts push it out from there.
SHALLOW = 0.05
# Margin for rounding in tests that reject distant pairs.
ROUNDING_MARGIN = 1.0 + 1e-6


@kernel
def write_separation(slot, direction, own, fraction, motion, found):
    """Write normal and rest separation of a contact whose particles and weights are known.

    Args: direction: unit vector from the second side to the first; own: whether a body touches itself; fraction: of
        the rest separation that is kept; motion, found: see `contacts.find_face_contacts`.
    """
    contact, weight, normal = found.contact, found.weight, found.normal
    normal[slot, 0], normal[slot, 1], normal[slot, 2] = direction
    keep = 0.0
    for e in range(4):
        keep += fraction * abs(weight[slot, e]) * motion.radius[contact[slot, e]]
    if own:
        keep = min(keep, OWN_FRACTION * size(slot, contact, weight, motion.rest))
    found.rest_separation[slot] = keep


@kernel
def difference(slot, contact, weight, values):
    """Difference between the sides of a contact."""
    dx = 0.0
    dy = 0.0
    dz = 0.0
    for e in range(4):
        i = contact[slot, e]
        dx += weight[slot, e] * values[i, 0]
        dy += weight[slot, e] * values[i, 1]
        dz += weight[slot, e] * values[i, 2]
    return dx, dy, dz


@kernel
def size(slot, contact, weight, values):
    """Length of the difference between the sides of a contact."""
    dx, dy, dz = difference(slot, contact, weight, values)
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel
def between(slot, contact, weight, values):
    """Unit vector and length of the difference between the sides of a contact."""
    dx, dy, dz = difference(slot, contact, weight, values)
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    scale = 1.0 / max(distance, 1e-300)
    return scale * dx, scale * dy, scale * dz, distance


@part_of_kernel
def spread_of(one, other):
    """Sum of the slacks of two sides [m]; a side without slack counts as much as the other."""
    return max(one, other) + (min(one, other) if min(one, other) > 0.0 else max(one, other))
