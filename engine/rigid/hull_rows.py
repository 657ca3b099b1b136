"""Contacts of convex rigid bodies as rows of the table of all contacts, and what those bore that were there before."""

from __future__ import annotations

import math

import numpy as np

from ..jit import kernel, parallel_kernel, prange
from .motion import axes_of, turn_rate

# Points this near to where one was in the substep before are the same, as a share of the smaller body.
SAME = 0.1


@parallel_kernel
def list_hulls(
    start, other, found, normals, points, radius, reach, position_before, position, rotation_before, rotation, inertia,
    velocity, spin, particle, kind, friction, restitution, first_before, other_before, on_before, impulse_before,
    slot_of, contact, share, normal, gap, approach, sides, rub, bounces, spring, given, spot, first, on,
):
    """Writes what was found to the table of contacts; impulses of the substep before are those to begin with.

    Args:
        start ... points: see `find_touching`; particle: (b,) one of each body.
        kind: (b,) place of each body in the tables friction, restitution; first_before: (b + 1,) ranges of
            other_before (m,), the second bodies, on_before (m, 3) on the first ones [m], impulse_before (m, 3) [N s].

    Outputs: slot_of ... given: see `contact.list_rigid`, shares are nought; spot: (m, 9), see `holds.BodyHolds`;
    first, on: as above, of these.
    """
    m = 0
    for a in range(particle.shape[0]):
        first[a] = m
        for pair in range(start[a], start[a + 1]):
            m += found[pair]
    first[particle.shape[0]] = m
    for a in prange(particle.shape[0]):
        _list_body(
            np.int64(a), start, other, found, normals, points, radius, reach, position_before, position,
            rotation_before, rotation, inertia, velocity, spin, particle, kind, friction, restitution, first_before,
            other_before, on_before, impulse_before, slot_of, contact, share, normal, gap, approach, sides,
            rub, bounces, spring, given, spot, first, on,
        )


@kernel
def _list_body(
    a, start, other, found, normals, points, radius, reach, position_before, position, rotation_before, rotation,
    inertia, velocity, spin, particle, kind, friction, restitution, first_before, other_before, on_before,
    impulse_before, slot_of, contact, share, normal, gap, approach, sides, rub, bounces, spring, given, spot, first,
    on,
):
    """What was found of pairs of body a, see `list_hulls`."""
    m = first[a]
    wx, wy, wz = turn_rate(rotation, inertia, a, spin[a, 0], spin[a, 1], spin[a, 2])
    for pair in range(start[a], start[a + 1]):
        b = other[pair]
        begun = m
        ux, uy, uz = turn_rate(rotation, inertia, b, spin[b, 0], spin[b, 1], spin[b, 2])
        for k in range(found[pair]):
            slot_of[m] = -1
            contact[m, 0] = particle[a]
            for e in range(4):
                share[m, e] = 0.0
                if e > 0:
                    contact[m, e] = particle[b]
            for e in range(3):
                normal[m, e] = normals[pair, e]
                on[m, e] = points[pair, k, e]
            gap[m] = radius[a] + radius[b]
            sides[m, 0] = a
            sides[m, 1] = b
            rub[m] = friction[kind[a], kind[b]]
            bounces[m] = restitution[kind[a], kind[b]]
            spring[m, 0] = 0.0
            spring[m, 1] = 0.0
            for e in range(3):
                spot[m, 6 + e] = (position[a, e] - position_before[a, e]) - (position[b, e] - position_before[b, e])
            for side in range(2):
                body = a if side == 0 else b
                sign = 1.0 if side == 0 else -1.0
                x0, y0, z0 = _out_of(points, pair, k, 3 * side, rotation_before, body)
                x1, y1, z1 = _out_of(points, pair, k, 3 * side, rotation, body)
                spot[m, 3 * side] = x0
                spot[m, 3 * side + 1] = y0
                spot[m, 3 * side + 2] = z0
                spot[m, 6] += sign * (x1 - x0)
                spot[m, 7] += sign * (y1 - y0)
                spot[m, 8] += sign * (z1 - z0)
            approach[m] = _approach(m, a, b, normal, spot, velocity, wx, wy, wz, ux, uy, uz)
            _begin_with(
                m, a, b, begun, SAME * min(reach[a], reach[b]), first_before, other_before, on_before,
                impulse_before, normal, rub, on, given,
            )
            m += 1


@kernel
def _out_of(point, pair, k, first, rotation, body):
    """A point that a body sees, as a lever in the world: R p."""
    a, d, e, f, g, i, j, r, s = axes_of(rotation, body)
    px = point[pair, k, first]
    py = point[pair, k, first + 1]
    pz = point[pair, k, first + 2]
    return a * px + d * py + e * pz, f * px + g * py + i * pz, j * px + r * py + s * pz


@kernel
def _approach(m, a, b, normal, spot, velocity, wx, wy, wz, ux, uy, uz):
    """How fast the sides of a contact, turning by w and u, part along its normal before it acts [m/s]."""
    dx = velocity[a, 0] + wy * spot[m, 2] - wz * spot[m, 1]
    dy = velocity[a, 1] + wz * spot[m, 0] - wx * spot[m, 2]
    dz = velocity[a, 2] + wx * spot[m, 1] - wy * spot[m, 0]
    dx -= velocity[b, 0] + uy * spot[m, 5] - uz * spot[m, 4]
    dy -= velocity[b, 1] + uz * spot[m, 3] - ux * spot[m, 5]
    dz -= velocity[b, 2] + ux * spot[m, 4] - uy * spot[m, 3]
    return normal[m, 0] * dx + normal[m, 1] * dy + normal[m, 2] * dz


@kernel
def _begin_with(
    m, a, b, begun, near, first_before, other_before, on_before, impulse_before, normal, rub, on, given,
):
    """Give a point again what the nearest of the same two bodies bore in the substep before, within Coulomb's cone."""
    best = -1
    least = near * near
    for row in range(first_before[a], first_before[a + 1]):
        if other_before[row] != b:
            continue
        far = 0.0
        for k in range(3):
            far += (on_before[row, k] - on[m, k]) ** 2
        if far < least and not _is_nearer_to_others(row, far, begun, m, on_before, on):
            least = far
            best = row
    for k in range(4):
        given[m, k] = 0.0
    if best < 0:
        return
    along = 0.0
    for k in range(3):
        along += normal[m, k] * impulse_before[best, k]
    if along <= 0.0:
        return
    given[m, 0] = along
    square = 0.0
    for k in range(3):
        given[m, 1 + k] = impulse_before[best, k] - along * normal[m, k]
        square += given[m, 1 + k] * given[m, 1 + k]
    most = rub[m] * along
    if square > most * most:
        for k in range(3):
            given[m, 1 + k] *= most / math.sqrt(square)


@kernel
def _is_nearer_to_others(row, far, begun, m, on_before, on):
    """Whether one of the contacts begun : m of the same bodies is nearer, or as near, to where one was before."""
    for other in range(begun, m):
        apart = 0.0
        for k in range(3):
            apart += (on_before[row, k] - on[other, k]) ** 2
        if apart <= far:
            return True
    return False
