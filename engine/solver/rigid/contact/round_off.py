"""Moves contacts of round bodies from their flat faces to the arcs through their vertices, see `roundness`."""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, part_of_kernel
from ..motion import angular_velocity, axes_of
from ..sides import contact_points, tangents_of
from .roundness import BULGE, RADII, RIM, SINES

# A vertex normal applies to directions up to this cosine away from it.
WIDEST = 0.5
# A rim counts as a polygon where the contact direction's component in its plane is below the first, and as round above
# the second.
FLAT_ON, EDGE_ON = 0.05, 0.2
# Newton steps for the normal of two round surfaces; factor on arc lengths there; radius of flat directions [m].
ITERATIONS, FREE, STRAIGHT = 3, 4.0, 1e6
# A contact direction beyond this multiple of a vertex's arc length belongs to another vertex.
OWN = 1.25


@kernel
def round_off(first, count, h, rounds, bodies, owners, x_prev, x, v, contacts):
    """Move rigid contacts first : count of round bodies to points on their arcs.

    The rest separation of all these contacts decreases by the bulge. The weights of a contact without soft particles
    become zero, and its points are stored in `anchors`, as for hull contacts.

    Args:
        h: the substep [s]; rounds: `columns.RoundColumns`; bodies: `columns.BodyColumns`.
        owners: `columns.ParticleOwners`; x_prev, x, v: (n, 3) start and predicted positions [m], and velocities [m/s].
        contacts: in and out, `columns.RigidContactColumns`.
    """
    start, round_first, rows = rounds.start, rounds.first, rounds.rows
    position_before, rotation_before = bodies.position_before, bodies.rotation_before
    of_body, body, inv_mass = owners.rigid, owners.body, owners.inv_mass
    contact, weight, normal, sides = contacts.contact, contacts.weight, contacts.normal, contacts.sides
    rest_separation, approach, anchors = contacts.rest_separation, contacts.approach, contacts.anchors
    for m in range(first, count):
        a = sides[m, 0]
        b = sides[m, 1]
        round_a = a >= 0 and round_first[a] >= 0
        round_b = b >= 0 and round_first[b] >= 0
        if not round_a and not round_b:
            continue
        soft = False
        for e in range(4):
            i = contact[m, e]
            soft |= inv_mass[i] > 0.0
            side = of_body[body[i]]
            if side >= 0 and round_first[side] >= 0:
                rest_separation[m] -= abs(weight[m, e]) * rows[round_first[side] + i - start[side], BULGE]
        if soft:
            continue
        owner = body[contact[m, 0]]
        if round_b and owner != body[contact[m, 1]]:
            is_smooth = _interpolate_normal(m, b, rounds, rotation_before, contacts)
            if is_smooth and round_a and _is_surface(round_first[a] + contact[m, 0] - start[a], rows):
                for _iteration in range(ITERATIONS):
                    _align_normals(m, a, b, owner, rounds, rotation_before, body, x_prev, contacts)
        nx = normal[m, 0]
        ny = normal[m, 1]
        nz = normal[m, 2]
        ax, ay, az, beyond_a = _arc_offset(
            m, a, owner, True, OWN, (-nx, -ny, -nz), rounds, rotation_before, body, contacts
        )
        bx, by, bz, beyond_b = _arc_offset(
            m, b, owner, False, OWN, (nx, ny, nz), rounds, rotation_before, body, contacts
        )
        if beyond_a or beyond_b:
            # Other vertices carry this load; this contact becomes a point without thickness.
            rest_separation[m] = ax = ay = az = bx = by = bz = 0.0
        px, py, pz = _rotation_velocity(a, ax, ay, az, bodies)
        qx, qy, qz = _rotation_velocity(b, bx, by, bz, bodies)
        approach[m] = nx * (px - qx) + ny * (py - qy) + nz * (pz - qz)
        at = contact_points(m, contact, weight, body, owner, x_prev)
        for k in range(3):
            rotational = (px - qx, py - qy, pz - qz)[k]
            anchors[m, k] = at[k] + (ax, ay, az)[k] - (position_before[a, k] if a >= 0 else 0.0)
            anchors[m, 3 + k] = at[3 + k] + (bx, by, bz)[k] - (position_before[b, k] if b >= 0 else 0.0)
            anchors[m, 6 + k] = h * rotational
            anchors[m, 9 + k] = 0.0
            for e in range(4):
                i = contact[m, e]
                displacement = weight[m, e] * (x[i, k] - x_prev[i, k])
                approach[m] += normal[m, k] * weight[m, e] * v[i, k]
                anchors[m, 6 + k] += displacement
                if of_body[body[i]] < 0:
                    anchors[m, 9 + k] += displacement / h
        for e in range(4):
            weight[m, e] = 0.0


@part_of_kernel
def _rotation_velocity(b, sx, sy, sz, bodies):
    """Velocity from rotation at the offset (sx, sy, sz) on a body [m/s]."""
    rotation, inertia, angular_momentum = bodies.rotation, bodies.inertia, bodies.angular_momentum
    if b < 0:
        return 0.0, 0.0, 0.0
    wx, wy, wz = angular_velocity(
        rotation, inertia, b, angular_momentum[b, 0], angular_momentum[b, 1], angular_momentum[b, 2]
    )
    return wy * sz - wz * sy, wz * sx - wx * sz, wx * sy - wy * sx


@kernel
def _interpolate_normal(m, b, rounds, rotation, contacts):
    """Set the contact's normal to the interpolated vertex normals over a face of b; returns whether it did.

    Returns False where a vertex is not round, or its normal points too far from the contact's normal.
    """
    start, round_first, rows = rounds.start, rounds.first, rounds.rows
    contact, weight, normal = contacts.contact, contacts.weight, contacts.normal
    a0, d0, e0, f0, g0, i0, j0, k0, m0 = axes_of(rotation, b)
    ox = 0.0
    oy = 0.0
    oz = 0.0
    for e in range(1, 4):
        row = round_first[b] + contact[m, e] - start[b]
        if not _is_surface(row, rows):
            return False
        lx = rows[row, 6]
        ly = rows[row, 7]
        lz = rows[row, 8]
        wx = a0 * lx + d0 * ly + e0 * lz
        wy = f0 * lx + g0 * ly + i0 * lz
        wz = j0 * lx + k0 * ly + m0 * lz
        if wx * normal[m, 0] + wy * normal[m, 1] + wz * normal[m, 2] < WIDEST:
            return False
        ox -= weight[m, e] * wx
        oy -= weight[m, e] * wy
        oz -= weight[m, e] * wz
    size = 1.0 / math.sqrt(ox * ox + oy * oy + oz * oz)
    normal[m, 0] = size * ox
    normal[m, 1] = size * oy
    normal[m, 2] = size * oz
    return True


@part_of_kernel
def _is_surface(row, rows):
    return rows[row, RIM] == 0.0 and rows[row, BULGE] > 0.0


@kernel
def _align_normals(m, a, b, owner, rounds, rotation, body, x, contacts):
    """Rotate the normal of two round surfaces towards their common normal, by one step of Newton's method.

    A rotation d moves the furthest points by -R_a d and R_b d, with the tensors R of radii. At the solution the line
    between the points is parallel to the normal.
    """
    start, round_first, rows = rounds.start, rounds.first, rounds.rows
    contact, weight, normal = contacts.contact, contacts.weight, contacts.normal
    nx = normal[m, 0]
    ny = normal[m, 1]
    nz = normal[m, 2]
    ax, ay, az, _beyond = _arc_offset(
        m, a, owner, True, FREE, (-nx, -ny, -nz), rounds, rotation, body, contacts
    )
    bx, by, bz, _beyond = _arc_offset(m, b, owner, False, FREE, (nx, ny, nz), rounds, rotation, body, contacts)
    dx = ax - bx
    dy = ay - by
    dz = az - bz
    for e in range(4):
        i = contact[m, e]
        dx += weight[m, e] * x[i, 0]
        dy += weight[m, e] * x[i, 1]
        dz += weight[m, e] * x[i, 2]
    px, py, pz, qx, qy, qz = tangents_of(nx, ny, nz)
    along = dx * nx + dy * ny + dz * nz
    pp = along
    pq = 0.0
    qq = along
    for e in range(4):
        side = a if e == 0 else b
        row = round_first[side] + contact[m, e] - start[side]
        a0, d0, e0, f0, g0, i0, j0, k0, m0 = axes_of(rotation, side)
        for direction in range(2):
            lx = rows[row, 3 * direction]
            ly = rows[row, 3 * direction + 1]
            lz = rows[row, 3 * direction + 2]
            wx = a0 * lx + d0 * ly + e0 * lz
            wy = f0 * lx + g0 * ly + i0 * lz
            wz = j0 * lx + k0 * ly + m0 * lz
            radius = rows[row, RADII + direction]
            part = abs(weight[m, e]) * (radius if radius > 0.0 else STRAIGHT)
            p = px * wx + py * wy + pz * wz
            q = qx * wx + qy * wy + qz * wz
            pp += part * p * p
            pq += part * p * q
            qq += part * q * q
    solid = pp * qq - pq * pq
    if pp <= 0.0 or solid <= 0.0:
        return
    one = dx * px + dy * py + dz * pz
    two = dx * qx + dy * qy + dz * qz
    p = (qq * one - pq * two) / solid
    q = (pp * two - pq * one) / solid
    less = min(1.0, WIDEST / max(math.sqrt(p * p + q * q), 1e-300))
    nx += less * (p * px + q * qx)
    ny += less * (p * py + q * qy)
    nz += less * (p * pz + q * qz)
    size = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
    normal[m, 0] = size * nx
    normal[m, 1] = size * ny
    normal[m, 2] = size * nz


@kernel
def _arc_offset(m, b, owner, is_first, reach, direction, rounds, rotation, body, contacts):
    """Offset of a body's contact point from its flat face to the furthest point along n on its arcs [m].

    A single vertex's arc is extended to `reach` times its length; on a face all three extend as far as necessary.

    The last result is whether the point lies beyond the end of a vertex's arc.
    """
    start, round_first, rows = rounds.start, rounds.first, rounds.rows
    contact, weight = contacts.contact, contacts.weight
    nx, ny, nz = direction
    if b < 0 or round_first[b] < 0:
        return 0.0, 0.0, 0.0, False
    a0, d0, e0, f0, g0, i0, j0, k0, m0 = axes_of(rotation, b)
    lx = a0 * nx + f0 * ny + j0 * nz
    ly = d0 * nx + g0 * ny + k0 * nz
    lz = e0 * nx + i0 * ny + m0 * nz
    sx = 0.0
    sy = 0.0
    sz = 0.0
    beyond = False
    for e in range(4):
        i = contact[m, e]
        part = abs(weight[m, e])
        if part == 0.0 or (body[i] == owner) != is_first:
            continue
        row = round_first[b] + i - start[b]
        if rows[row, BULGE] == 0.0:
            continue
        dx, dy, dz, past = _along_arcs(row, rows, reach if part == 1.0 else FREE, lx, ly, lz)
        if part == 1.0:
            beyond = past
        sx += part * dx
        sy += part * dy
        sz += part * dz
    return a0 * sx + d0 * sy + e0 * sz, f0 * sx + g0 * sy + i0 * sz, j0 * sx + k0 * sy + m0 * sz, beyond


@kernel
def _along_arcs(row, rows, reach, lx, ly, lz):
    """Offset from a vertex to the furthest point of its arcs along a direction, in the axes of the body [m]."""
    up = lx * rows[row, 6] + ly * rows[row, 7] + lz * rows[row, 8]
    one = lx * rows[row, 0] + ly * rows[row, 1] + lz * rows[row, 2]
    two = lx * rows[row, 3] + ly * rows[row, 4] + lz * rows[row, 5]
    fraction = 1.0
    if rows[row, RIM] != 0.0:
        across = math.sqrt(up * up + one * one)
        if across < FLAT_ON:
            return 0.0, 0.0, 0.0, False
        fraction = min((across - FLAT_ON) / (EDGE_ON - FLAT_ON), 1.0)
        up /= across
        one /= across
        two = 0.0
    if up < WIDEST:
        return 0.0, 0.0, 0.0, False
    far_one = min(reach * rows[row, SINES], WIDEST)
    far_two = min(reach * rows[row, SINES + 1], WIDEST)
    past = fraction == 1.0 and (far_one > 0.0 and abs(one) > far_one or far_two > 0.0 and abs(two) > far_two)
    one = min(max(one, -far_one), far_one)
    two = min(max(two, -far_two), far_two)
    p = fraction * rows[row, RADII] * one
    q = fraction * rows[row, RADII + 1] * two
    down = (p * one + q * two) / (1.0 + math.sqrt(max(1.0 - one * one - two * two, 0.0)))
    return (
        p * rows[row, 0] + q * rows[row, 3] - down * rows[row, 6],
        p * rows[row, 1] + q * rows[row, 4] - down * rows[row, 7],
        p * rows[row, 2] + q * rows[row, 5] - down * rows[row, 8],
        past,
    )
