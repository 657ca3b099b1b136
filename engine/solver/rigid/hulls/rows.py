"""Contacts of convex rigid bodies as rows of the table of all contacts, with warm starts from the last substep."""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, parallel_kernel, prange
from ..motion import angular_velocity, axes_of

# A point nearer than this to a point of the previous substep counts as the same, as a fraction of the smaller body.
SAME = 0.1


@parallel_kernel
def list_hulls(pairs, first_wall, h, points, poses, bodies, surfaces, before, row, contacts, second, on):
    """Write hull contacts to the table of contacts, with the impulses of the previous substep as warm start.

    Args:
        pairs, points, poses, surfaces, before: see `hulls.columns`; first_wall: see `bodies.HullBodies`.
        h: the substep [s]; bodies: `rigid.columns.BodyColumns`.
        row: (pairs + 1,) int64, first row of each pair.
        contacts: `rigid.columns.RigidContactColumns`, out; weights are 0.
        second, on: out, as `other` and `on` of `columns.HullMemory`, of these contacts.
    """
    one = pairs.one
    other = pairs.other
    found = points.found
    normals = points.normal
    point = points.point
    position_before = poses.position_before
    position = poses.position
    rotation_before = poses.rotation_before
    rotation = poses.rotation
    radius = poses.radius
    reach = poses.reach
    inertia = bodies.inertia
    velocity = bodies.velocity
    angular_momentum = bodies.angular_momentum
    particle = surfaces.particle
    kind = surfaces.kind
    friction_table = surfaces.friction
    restitution = surfaces.restitution
    first_before = before.first
    other_before = before.other
    slot = contacts.slot
    contact = contacts.contact
    weight = contacts.weight
    normal = contacts.normal
    rest_separation = contacts.rest_separation
    approach = contacts.approach
    sides = contacts.sides
    friction = contacts.friction
    bounces = contacts.bounces
    spring = contacts.spring
    anchors = contacts.anchors
    for pair in prange(one.shape[0]):
        if found[pair] == 0:
            continue
        a = one[pair]
        b = other[pair]
        begun = row[pair]
        wall = a >= first_wall
        wx, wy, wz = 0.0, 0.0, 0.0
        if not wall:
            wx, wy, wz = angular_velocity(
                rotation, inertia, a, angular_momentum[a, 0], angular_momentum[a, 1], angular_momentum[a, 2]
            )
        ux, uy, uz = angular_velocity(
            rotation, inertia, b, angular_momentum[b, 0], angular_momentum[b, 1], angular_momentum[b, 2]
        )
        # Previous rows of this pair, by binary search: sorted by the second body.
        earlier = first_before[a]
        stop = first_before[a + 1]
        while earlier < stop:
            middle = (earlier + stop) // 2
            if other_before[middle] < b:
                earlier = middle + 1
            else:
                stop = middle
        for side in range(2):
            body = a if side == 0 else b
            sign = 1.0 if side == 0 else -1.0
            travel_x = position[body, 0] - position_before[body, 0]
            travel_y = position[body, 1] - position_before[body, 1]
            travel_z = position[body, 2] - position_before[body, 2]
            a0, d0, e0, f0, g0, i0, j0, r0, s0 = axes_of(rotation_before, body)
            a1, d1, e1, f1, g1, i1, j1, r1, s1 = axes_of(rotation, body)
            first = 3 * side
            for k in range(found[pair]):
                m = begun + k
                px = point[pair, k, first]
                py = point[pair, k, first + 1]
                pz = point[pair, k, first + 2]
                x0 = a0 * px + d0 * py + e0 * pz
                y0 = f0 * px + g0 * py + i0 * pz
                z0 = j0 * px + r0 * py + s0 * pz
                dx = travel_x + ((a1 * px + d1 * py + e1 * pz) - x0)
                dy = travel_y + ((f1 * px + g1 * py + i1 * pz) - y0)
                dz = travel_z + ((j1 * px + r1 * py + s1 * pz) - z0)
                anchors[m, first] = x0
                anchors[m, first + 1] = y0
                anchors[m, first + 2] = z0
                if side == 0:
                    for e in range(6, 9):
                        anchors[m, e] = 0.0
                    # Velocity of the wall at the contact.
                    anchors[m, 9] = dx / h if wall else 0.0
                    anchors[m, 10] = dy / h if wall else 0.0
                    anchors[m, 11] = dz / h if wall else 0.0
                anchors[m, 6] += sign * dx
                anchors[m, 7] += sign * dy
                anchors[m, 8] += sign * dz
        for k in range(found[pair]):
            m = begun + k
            slot[m] = -1
            for e in range(4):
                weight[m, e] = 0.0
                contact[m, e] = particle[a, e] if e < 3 else particle[b, 0]
            for e in range(3):
                normal[m, e] = normals[pair, e]
                on[m, e] = point[pair, k, e]
            second[m] = b
            rest_separation[m] = radius[a] + radius[b]
            sides[m, 0] = -1 if wall else a
            sides[m, 1] = b
            friction[m] = friction_table[kind[a], kind[b]]
            bounces[m] = restitution[kind[a], kind[b]]
            spring[m, 0] = 0.0
            spring[m, 1] = 0.0
            approach[m] = _approach(m, b, normal, anchors, 3, velocity, ux, uy, uz)
            if wall:
                along = normal[m, 0] * anchors[m, 9] + normal[m, 1] * anchors[m, 10] + normal[m, 2] * anchors[m, 11]
                approach[m] = along - approach[m]
                for e in range(3):
                    anchors[m, e] += position_before[a, e]
            else:
                approach[m] = _approach(m, a, normal, anchors, 0, velocity, wx, wy, wz) - approach[m]
            _warm_start(
                m, b, begun, SAME * min(reach[a], reach[b]), earlier, first_before[a + 1], before, contacts, on
            )


@kernel
def to_world_axes(point, pair, k, first, rotation, body):
    """A point in body axes as a lever in world axes: R p."""
    a, d, e, f, g, i, j, r, s = axes_of(rotation, body)
    px = point[pair, k, first]
    py = point[pair, k, first + 1]
    pz = point[pair, k, first + 2]
    return a * px + d * py + e * pz, f * px + g * py + i * pz, j * px + r * py + s * pz


@kernel
def _approach(m, body, normal, anchors, first, velocity, wx, wy, wz):
    """Velocity along the contact normal of a body's contact point; (wx, wy, wz): angular velocity [m/s]."""
    rx = anchors[m, first]
    ry = anchors[m, first + 1]
    rz = anchors[m, first + 2]
    return (
        normal[m, 0] * (velocity[body, 0] + wy * rz - wz * ry)
        + normal[m, 1] * (velocity[body, 1] + wz * rx - wx * rz)
        + normal[m, 2] * (velocity[body, 2] + wx * ry - wy * rx)
    )


@kernel
def _warm_start(m, b, begun, near, earlier, stop, before, contacts, on):
    """Warm start a point from the nearest previous one of the same pair, clamped to the friction cone."""
    other_before = before.other
    on_before = before.on
    impulse_before = before.impulse
    normal = contacts.normal
    friction = contacts.friction
    impulse = contacts.impulse
    best = -1
    least = near * near
    for row in range(earlier, stop):
        if other_before[row] != b:
            break
        far = 0.0
        for k in range(3):
            far += (on_before[row, k] - on[m, k]) ** 2
        if far < least and not _is_nearer_to_others(row, far, begun, m, on_before, on):
            least = far
            best = row
    for k in range(4):
        impulse[m, k] = 0.0
    if best < 0:
        return
    along = 0.0
    for k in range(3):
        along += normal[m, k] * impulse_before[best, k]
    if along <= 0.0:
        return
    impulse[m, 0] = along
    square = 0.0
    for k in range(3):
        impulse[m, 1 + k] = impulse_before[best, k] - along * normal[m, k]
        square += impulse[m, 1 + k] * impulse[m, 1 + k]
    most = friction[m] * along
    if square > most * most:
        for k in range(3):
            impulse[m, 1 + k] *= most / math.sqrt(square)


@kernel
def _is_nearer_to_others(row, far, begun, m, on_before, on):
    """Whether one of the contacts begun : m of the same pair is at most `far` from the previous point in `row`."""
    for other in range(begun, m):
        apart = 0.0
        for k in range(3):
            apart += (on_before[row, k] - on[other, k]) ** 2
        if apart <= far:
            return True
    return False


@kernel
def store_impulses(count, normal, impulse, other, on, other_before, on_before, impulse_before):
    """Store the impulses of the first contacts for the next substep, see `list_hulls` [N s]."""
    for m in range(count):
        other_before[m] = other[m]
        for k in range(3):
            on_before[m, k] = on[m, k]
            impulse_before[m, k] = impulse[m, 0] * normal[m, k] + impulse[m, 1 + k]
