"""Where a contact is, and how near its sides are."""

from __future__ import annotations

import math

from ....compiler.kernels import kernel

# A body keeps this share of the distance at rest from itself, where that is less than its thickness.
OWN_SHARE = 0.8
# What meets a triangle or an edge this far beyond its end still meets it, or would slip through between two.
BRIM = 1e-5
# Whose boxes are further apart than this share of what they keep do not go through each other, brim and all.
AROUND = 0.1
# Who is foreseen to be near enough for that if both stray by this share of their slack is looked at again after the
# solve; who strays further as well, and all who are near them.
ASTRAY = 0.25
# Rounding does not make who is so many times further away near.
SURELY = 1.0 + 1e-6


@kernel
def note(slot, direction, own, ways, found):
    """Normal and distance to keep of a contact whose particles and shares are there; `own`: of a body with itself.

    Args: direction: unit vector from the second side to the first; ways, found: see `contacts.find_face_contacts`.
    """
    contact, weight, normal = found.contact, found.weight, found.normal
    normal[slot, 0], normal[slot, 1], normal[slot, 2] = direction
    keep = 0.0
    for e in range(4):
        keep += abs(weight[slot, e]) * ways.radius[contact[slot, e]]
    if own:
        keep = min(keep, OWN_SHARE * size(slot, contact, weight, ways.rest))
    found.rest_separation[slot] = keep


@kernel
def difference(slot, contact, weight, values):
    """What the sides of a contact differ by."""
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
    """Length of what the sides of a contact differ by."""
    dx, dy, dz = difference(slot, contact, weight, values)
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel
def between(slot, contact, weight, values):
    """Unit vector and length of what the sides of a contact differ by."""
    dx, dy, dz = difference(slot, contact, weight, values)
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    scale = 1.0 / max(distance, 1e-300)
    return scale * dx, scale * dy, scale * dz, distance
