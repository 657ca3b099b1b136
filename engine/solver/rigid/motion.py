"""Free motion of rigid bodies, and the positions of their particles.

With the rotation R(q) of the principal axes and the angular momentum L, omega = R I^-1 R^T L. A substep rotates by the
omega at its midpoint, found by fixed-point iteration (implicit midpoint rule on the rotation group):

    q_half = exp(h omega(q_half) / 2) q,   q' = exp(h omega(q_half)) q

The rule is time-reversible, so energy oscillates slightly but does not drift, and L is conserved exactly.
"""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange

# Largest number of fixed-point iterations; each reduces the error of h omega by about two digits.
MOST_ITERATIONS = 5
# Square of the relative change of omega that counts as rounding error.
ROUNDING = 1e-29
# Square of half an angle up to which a rotation is computed by series: the next term is below 1e-16.
SERIES = 0.04


@kernel
def axes_of(q, b):
    """Rotation matrix of quaternion q[b], row by row."""
    w = q[b, 0]
    x = q[b, 1]
    y = q[b, 2]
    z = q[b, 3]
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )


@kernel
def angular_velocity(q, inertia, b, lx, ly, lz):
    """R I^-1 R^T (lx, ly, lz): the angular velocity of an angular momentum."""
    a, d, e, f, g, i, j, k, m = axes_of(q, b)
    px = (a * lx + f * ly + j * lz) / inertia[b, 0]
    py = (d * lx + g * ly + k * lz) / inertia[b, 1]
    pz = (e * lx + i * ly + m * lz) / inertia[b, 2]
    return a * px + d * py + e * pz, f * px + g * py + i * pz, j * px + k * py + m * pz


@part_of_kernel
def _sinc_and_cosine(square):
    """sin(x) / x and cos(x) of a small angle from x², by series that are exact to rounding up to SERIES."""
    x = square
    sinc = 1.0 - x / 6.0 * (1.0 - x / 20.0 * (1.0 - x / 42.0 * (1.0 - x / 72.0 * (1.0 - x / 110.0))))
    cosine = 1.0 - x / 2.0 * (1.0 - x / 12.0 * (1.0 - x / 30.0 * (1.0 - x / 56.0 * (1.0 - x / 90.0))))
    return sinc, cosine


@kernel
def _rotated(q0, b, wx, wy, wz, h, q):
    """q[b] = exp(h (wx, wy, wz)) q0[b], normalized."""
    square = 0.25 * h * h * (wx * wx + wy * wy + wz * wz)
    if square > SERIES:
        half = math.sqrt(square)
        sinc = math.sin(half) / half
        cw = math.cos(half)
    else:
        sinc, cw = _sinc_and_cosine(square)
    scale = 0.5 * h * sinc
    cx = scale * wx
    cy = scale * wy
    cz = scale * wz
    w = cw * q0[b, 0] - cx * q0[b, 1] - cy * q0[b, 2] - cz * q0[b, 3]
    x = cw * q0[b, 1] + cx * q0[b, 0] + cy * q0[b, 3] - cz * q0[b, 2]
    y = cw * q0[b, 2] - cx * q0[b, 3] + cy * q0[b, 0] + cz * q0[b, 1]
    z = cw * q0[b, 3] + cx * q0[b, 2] - cy * q0[b, 1] + cz * q0[b, 0]
    one = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    q[b, 0] = one * w
    q[b, 1] = one * x
    q[b, 2] = one * y
    q[b, 3] = one * z


@kernel
def advance_pose(b, h, inertia, position_before, rotation_before, velocity, angular_momentum, position, rotation):
    """Advance the pose of body b by h [s] from its pose before."""
    for k in range(3):
        position[b, k] = position_before[b, k] + h * velocity[b, k]
    for k in range(4):
        rotation[b, k] = rotation_before[b, k]
    is_round = inertia[b, 0] == inertia[b, 1] == inertia[b, 2]
    wx = 0.0
    wy = 0.0
    wz = 0.0
    for iteration in range(MOST_ITERATIONS):
        ux, uy, uz = wx, wy, wz
        wx, wy, wz = angular_velocity(
            rotation, inertia, b, angular_momentum[b, 0], angular_momentum[b, 1], angular_momentum[b, 2]
        )
        change = (wx - ux) ** 2 + (wy - uy) ** 2 + (wz - uz) ** 2
        # Converged. The angular velocity of cubes and balls does not depend on the pose.
        if is_round or iteration == MOST_ITERATIONS - 1 or change <= ROUNDING * (wx * wx + wy * wy + wz * wz):
            break
        _rotated(rotation_before, b, wx, wy, wz, 0.5 * h, rotation)
    _rotated(rotation_before, b, wx, wy, wz, h, rotation)


@kernel
def rotate_by(rotation, b, wx, wy, wz):
    """Rotate body b by axis times angle [rad]."""
    _rotated(rotation, b, wx, wy, wz, 1.0, rotation)


@kernel
def shift_between(position, rotation, other_position, other_rotation, shift):
    """Displacement and small rotation of bodies from one pose to another: out shift (b, 6) [m, rad]."""
    for b in range(position.shape[0]):
        w, x, y, z = rotation[b, 0], rotation[b, 1], rotation[b, 2], rotation[b, 3]
        v, p, q, r = other_rotation[b, 0], other_rotation[b, 1], other_rotation[b, 2], other_rotation[b, 3]
        for k in range(3):
            shift[b, k] = other_position[b, k] - position[b, k]
        shift[b, 3] = 2.0 * (y * r - z * q + (w * p - v * x))
        shift[b, 4] = 2.0 * (z * p - x * r + (w * q - v * y))
        shift[b, 5] = 2.0 * (x * q - y * p + (w * r - v * z))


@parallel_kernel
def predict_bodies(h, gravity, bodies, first, start, stop, local, x, v):
    """v += h (g + force / mass), L += h torque, and the resulting poses; stores the old poses in `..._before`.

    Args: h: the substep [s]; gravity: three numbers [m/s²]; bodies: `rigid.columns.BodyColumns`, in and out; all
    others: of the particles, see `place_particles` and `give_velocities`.
    """
    mass = bodies.mass
    inertia = bodies.inertia
    force = bodies.force
    torque = bodies.torque
    spread_force = bodies.spread_force
    spread_torque = bodies.spread_torque
    position = bodies.position
    rotation = bodies.rotation
    velocity = bodies.velocity
    angular_momentum = bodies.angular_momentum
    position_before = bodies.position_before
    rotation_before = bodies.rotation_before
    gx, gy, gz = gravity
    for b in prange(mass.shape[0]):
        velocity[b, 0] += h * (gx + (force[b, 0] + spread_force[b, 0]) / mass[b])
        velocity[b, 1] += h * (gy + (force[b, 1] + spread_force[b, 1]) / mass[b])
        velocity[b, 2] += h * (gz + (force[b, 2] + spread_force[b, 2]) / mass[b])
        for k in range(3):
            angular_momentum[b, k] += h * (torque[b, k] + spread_torque[b, k])
            position_before[b, k] = position[b, k]
        for k in range(4):
            rotation_before[b, k] = rotation[b, k]
        advance_pose(b, h, inertia, position_before, rotation_before, velocity, angular_momentum, position, rotation)
        place_body(b, first, start, stop, local, position, rotation, x)
        _give_velocity(b, start, stop, inertia, position, rotation, velocity, angular_momentum, x, v)


@kernel
def advance_poses(h, inertia, position_before, rotation_before, velocity, angular_momentum, position, rotation):
    """`advance_pose` for every body."""
    for b in range(inertia.shape[0]):
        advance_pose(b, h, inertia, position_before, rotation_before, velocity, angular_momentum, position, rotation)


@kernel
def place_body(b, first, start, stop, local, position, rotation, x):
    """`place_particles` for body b."""
    a, d, e, f, g, i, j, k, m = axes_of(rotation, b)
    for p in range(start[b], stop[b]):
        lx = local[p - first, 0]
        ly = local[p - first, 1]
        lz = local[p - first, 2]
        x[p, 0] = position[b, 0] + (a * lx + d * ly + e * lz)
        x[p, 1] = position[b, 1] + (f * lx + g * ly + i * lz)
        x[p, 2] = position[b, 2] + (j * lx + k * ly + m * lz)


@parallel_kernel
def place_particles(first, start, stop, local, position, rotation, x):
    """x = position + R local for the particles of every body; first: the particle of row 0 of `local`."""
    for b in prange(start.shape[0]):
        place_body(b, first, start, stop, local, position, rotation, x)


@parallel_kernel
def show_meshes(mesh, start, stop, first, inertia, position, rotation, velocity, angular_momentum, x, v):
    """Positions and velocities of all mesh vertices: out x, v (n, 3) [m, m/s]; those of body b begin at row first[b].

    Args: mesh, start, stop: see `bodies.RigidBodies`.
    """
    for b in prange(start.shape[0]):
        a, d, e, f, g, i, j, k, m = axes_of(rotation, b)
        wx, wy, wz = angular_velocity(
            rotation, inertia, b, angular_momentum[b, 0], angular_momentum[b, 1], angular_momentum[b, 2]
        )
        for row in range(start[b], stop[b]):
            lx = mesh[row, 0]
            ly = mesh[row, 1]
            lz = mesh[row, 2]
            rx = a * lx + d * ly + e * lz
            ry = f * lx + g * ly + i * lz
            rz = j * lx + k * ly + m * lz
            p = first[b] + row - start[b]
            x[p, 0] = position[b, 0] + rx
            x[p, 1] = position[b, 1] + ry
            x[p, 2] = position[b, 2] + rz
            v[p, 0] = velocity[b, 0] + wy * rz - wz * ry
            v[p, 1] = velocity[b, 1] + wz * rx - wx * rz
            v[p, 2] = velocity[b, 2] + wx * ry - wy * rx


@parallel_kernel
def place_some(chosen, first, start, stop, local, position, rotation, x):
    """`place_particles` for chosen bodies."""
    for place in prange(chosen.shape[0]):
        place_body(chosen[place], first, start, stop, local, position, rotation, x)


@parallel_kernel
def give_velocities(start, stop, inertia, position, rotation, velocity, angular_momentum, x, v):
    """v = velocity + omega x r for the particles of every body, (n, 3) [m/s]."""
    for b in prange(start.shape[0]):
        _give_velocity(b, start, stop, inertia, position, rotation, velocity, angular_momentum, x, v)


@kernel
def _give_velocity(b, start, stop, inertia, position, rotation, velocity, angular_momentum, x, v):
    wx, wy, wz = angular_velocity(
        rotation, inertia, b, angular_momentum[b, 0], angular_momentum[b, 1], angular_momentum[b, 2]
    )
    for p in range(start[b], stop[b]):
        rx = x[p, 0] - position[b, 0]
        ry = x[p, 1] - position[b, 1]
        rz = x[p, 2] - position[b, 2]
        v[p, 0] = velocity[b, 0] + wy * rz - wz * ry
        v[p, 1] = velocity[b, 1] + wz * rx - wx * rz
        v[p, 2] = velocity[b, 2] + wx * ry - wy * rx
