"""Effect of a contact on its two sides: a rigid body, particles of soft bodies, or kinematic particles.

A contact has four particles with weights that sum to zero, see `narrow_phase.contacts`: those of side A have positive
weights, those of side B negative ones. An impulse J acts on A, and -J on B. At the lever r from its centre it changes a
rigid body of mass m and inertia I by v += J / m, L += r x J. Along a unit vector n, a unit impulse then changes the
separation velocity by W, with the generalized inverse masses of Müller et al. 2020 and those of particles, w_k,

    W = sum over rigid sides (1 / m + (r x n) . I^-1 (r x n)) + sum over particles weight_k^2 w_k
"""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, part_of_kernel
from .motion import axes_of


@kernel
def invert_inertia(rotation, inertia, inverse):
    """R I^-1 R^T of every body as xx, yy, zz, xy, xz, yz: out inverse (b, 6) [1/(kg m²)]."""
    for b in range(inertia.shape[0]):
        a, d, e, f, g, i, j, k, m = axes_of(rotation, b)
        p = 1.0 / inertia[b, 0]
        q = 1.0 / inertia[b, 1]
        r = 1.0 / inertia[b, 2]
        inverse[b, 0] = p * a * a + q * d * d + r * e * e
        inverse[b, 1] = p * f * f + q * g * g + r * i * i
        inverse[b, 2] = p * j * j + q * k * k + r * m * m
        inverse[b, 3] = p * a * f + q * d * g + r * e * i
        inverse[b, 4] = p * a * j + q * d * k + r * e * m
        inverse[b, 5] = p * f * j + q * g * k + r * i * m


@kernel
def body_velocities(velocity, angular_momentum, inverse, rates):
    """Linear and angular velocities of bodies: out rates (b, 6) [m/s, rad/s]."""
    for b in range(velocity.shape[0]):
        wx, wy, wz = apply_inverse_inertia(
            inverse, b, angular_momentum[b, 0], angular_momentum[b, 1], angular_momentum[b, 2]
        )
        for k in range(3):
            rates[b, k] = velocity[b, k]
        rates[b, 3] = wx
        rates[b, 4] = wy
        rates[b, 5] = wz


@kernel
def apply_inverse_inertia(inverse, b, tx, ty, tz):
    """I^-1 t: the change of angular velocity by an angular impulse t."""
    return (
        inverse[b, 0] * tx + inverse[b, 3] * ty + inverse[b, 4] * tz,
        inverse[b, 3] * tx + inverse[b, 1] * ty + inverse[b, 5] * tz,
        inverse[b, 4] * tx + inverse[b, 5] * ty + inverse[b, 2] * tz,
    )


@kernel
def has_static_side(m, sides, normal_response):
    """Whether a side of contact m is immovable; toward: (m, 4), see `contact.prepare`."""
    return normal_response[m, 3] == 0.0 and (sides[m, 0] < 0 or sides[m, 1] < 0)


@kernel
def rigid_inv_mass(m, b, lever, mass, inverse, nx, ny, nz, ox, oy, oz):
    """n . W o of a rigid side of contact m: velocity along n that a unit impulse along o adds; 0 without a body."""
    if b < 0:
        return 0.0
    px = lever[m, 1] * nz - lever[m, 2] * ny
    py = lever[m, 2] * nx - lever[m, 0] * nz
    pz = lever[m, 0] * ny - lever[m, 1] * nx
    qx = lever[m, 1] * oz - lever[m, 2] * oy
    qy = lever[m, 2] * ox - lever[m, 0] * oz
    qz = lever[m, 0] * oy - lever[m, 1] * ox
    tx, ty, tz = apply_inverse_inertia(inverse, b, qx, qy, qz)
    return (nx * ox + ny * oy + nz * oz) / mass[b] + px * tx + py * ty + pz * tz


@part_of_kernel
def velocity_response(m, b, lever, body_inv_mass, inverse, nx, ny, nz):
    """W n of a rigid side of contact m: velocity that a unit impulse along n adds at its point; 0 without a body.

    Args: body_inv_mass: 1 / mass (b,) [1/kg].
    """
    if b < 0:
        return 0.0, 0.0, 0.0
    rx = lever[m, 0]
    ry = lever[m, 1]
    rz = lever[m, 2]
    wx, wy, wz = apply_inverse_inertia(inverse, b, ry * nz - rz * ny, rz * nx - rx * nz, rx * ny - ry * nx)
    return (
        body_inv_mass[b] * nx + wy * rz - wz * ry,
        body_inv_mass[b] * ny + wz * rx - wx * rz,
        body_inv_mass[b] * nz + wx * ry - wy * rx,
    )


@part_of_kernel
def point_velocity(m, b, sign, lever, change):
    """Velocity change of a rigid side at its contact point; change: (b, 6) of bodies, linear and angular."""
    if b < 0:
        return 0.0, 0.0, 0.0
    return (
        sign * (change[b, 0] + change[b, 4] * lever[m, 2] - change[b, 5] * lever[m, 1]),
        sign * (change[b, 1] + change[b, 5] * lever[m, 0] - change[b, 3] * lever[m, 2]),
        sign * (change[b, 2] + change[b, 3] * lever[m, 1] - change[b, 4] * lever[m, 0]),
    )


@part_of_kernel
def apply_impulse(m, b, sign, lever, body_inv_mass, inverse, jx, jy, jz, change):
    """Add the velocity change of a rigid side by an impulse (jx, jy, jz) [N s] to `change`, see `point_velocity`."""
    if b < 0:
        return
    w = sign * body_inv_mass[b]
    change[b, 0] += w * jx
    change[b, 1] += w * jy
    change[b, 2] += w * jz
    tx = sign * (lever[m, 1] * jz - lever[m, 2] * jy)
    ty = sign * (lever[m, 2] * jx - lever[m, 0] * jz)
    tz = sign * (lever[m, 0] * jy - lever[m, 1] * jx)
    change[b, 3] += inverse[b, 0] * tx + inverse[b, 3] * ty + inverse[b, 4] * tz
    change[b, 4] += inverse[b, 3] * tx + inverse[b, 1] * ty + inverse[b, 5] * tz
    change[b, 5] += inverse[b, 4] * tx + inverse[b, 5] * ty + inverse[b, 2] * tz


@part_of_kernel
def tangents_of(nx, ny, nz):
    """Two unit vectors normal to a third and to each other."""
    if abs(nx) < 0.6:
        px, py, pz = 0.0, nz, -ny
    else:
        px, py, pz = -nz, 0.0, nx
    size = 1.0 / math.sqrt(px * px + py * py + pz * pz)
    px *= size
    py *= size
    pz *= size
    return px, py, pz, ny * pz - nz * py, nz * px - nx * pz, nx * py - ny * px


@kernel
def soft_displacement(m, contact, weight, inv_mass, x, x_prev):
    """Relative displacement of the sides by the soft particles of a contact, from x_prev to x."""
    dx = 0.0
    dy = 0.0
    dz = 0.0
    for e in range(4):
        i = contact[m, e]
        if inv_mass[i] > 0.0:
            dx += weight[m, e] * (x[i, 0] - x_prev[i, 0])
            dy += weight[m, e] * (x[i, 1] - x_prev[i, 1])
            dz += weight[m, e] * (x[i, 2] - x_prev[i, 2])
    return dx, dy, dz


@kernel
def shift_soft(m, contact, weight, inv_mass, dx, dy, dz, x):
    """x_k += weight_k w_k (dx, dy, dz) for the soft particles of a contact."""
    for e in range(4):
        i = contact[m, e]
        part = weight[m, e] * inv_mass[i]
        if part != 0.0:
            x[i, 0] += part * dx
            x[i, 1] += part * dy
            x[i, 2] += part * dz


@part_of_kernel
def start_points(m, sides, contact, weight, anchors, body, owner, centre, x):
    """The contact points of both sides at the start of a substep, see `contact_points`.

    Args: sides, anchors: see `hulls.rows.list_hulls`; contacts without weights use them; centre: (b, 3) [m].
    """
    if weight[m, 0] != 0.0 or weight[m, 1] != 0.0:
        return contact_points(m, contact, weight, body, owner, x)
    a = sides[m, 0]
    b = sides[m, 1]
    ax, ay, az = (centre[a, 0], centre[a, 1], centre[a, 2]) if a >= 0 else (0.0, 0.0, 0.0)
    bx, by, bz = (centre[b, 0], centre[b, 1], centre[b, 2]) if b >= 0 else (0.0, 0.0, 0.0)
    return (
        ax + anchors[m, 0], ay + anchors[m, 1], az + anchors[m, 2],
        bx + anchors[m, 3], by + anchors[m, 4], bz + anchors[m, 5],
    )


@part_of_kernel
def contact_points(m, contact, weight, body, owner, x):
    """The contact points of both sides: of body `owner`, and of the other body; (x, y, z) each."""
    ax = 0.0
    ay = 0.0
    az = 0.0
    bx = 0.0
    by = 0.0
    bz = 0.0
    for e in range(4):
        i = contact[m, e]
        part = weight[m, e]
        if body[i] == owner:
            ax += part * x[i, 0]
            ay += part * x[i, 1]
            az += part * x[i, 2]
        else:
            bx -= part * x[i, 0]
            by -= part * x[i, 1]
            bz -= part * x[i, 2]
    return ax, ay, az, bx, by, bz


@part_of_kernel
def set_levers(m, sides, centre, at, is_soft, lever_a, lever_b):
    """Set the levers of both sides to one point; impulses at two points would rotate the pair.

    Args: at: the points of both sides, see `contact_points`; is_soft: whether both use that of the soft particles.
    """
    ax, ay, az, bx, by, bz = at
    a = sides[m, 0]
    b = sides[m, 1]
    if a >= 0 and b >= 0:
        ax = 0.5 * (ax + bx)
        ay = 0.5 * (ay + by)
        az = 0.5 * (az + bz)
        bx = ax
        by = ay
        bz = az
    elif is_soft and a >= 0:
        ax = bx
        ay = by
        az = bz
    elif is_soft:
        bx = ax
        by = ay
        bz = az
    lever_a[m, 0] = ax - centre[a, 0] if a >= 0 else 0.0
    lever_a[m, 1] = ay - centre[a, 1] if a >= 0 else 0.0
    lever_a[m, 2] = az - centre[a, 2] if a >= 0 else 0.0
    lever_b[m, 0] = bx - centre[b, 0] if b >= 0 else 0.0
    lever_b[m, 1] = by - centre[b, 1] if b >= 0 else 0.0
    lever_b[m, 2] = bz - centre[b, 2] if b >= 0 else 0.0
