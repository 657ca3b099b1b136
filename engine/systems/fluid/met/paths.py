"""Paths of the bodies coupled to a fluid: their start, their motion in each step, and their impulses in the end."""

from __future__ import annotations

import math

import numpy as np

from ....compiler.kernels import kernel
from ....solver.rigid.motion import angular_velocity, axes_of

# Inertia about an axis is at least this fraction of the mass times 1 m².
LEAST = 1e-12


@kernel
def begin_points(points, body, x, x_prev, h, fall, put, seen, at, speed):
    """Points move from their last positions in the fluid to their predictions; with rigid response, without gravity.

    Args:
        points: (p,) particles; body: (p,) index of the body with rigid response, or less than 0; x, x_prev: (n, 3) [m].
        fall: (3,) h times gravity [m/s]; put: points farther than this from `seen` (p, 3) were placed elsewhere [m].
        at, speed: (p, 3) filled [m], [m/s].
    """
    for p in range(points.shape[0]):
        i, away = points[p], 0.0
        for axis in range(3):
            away = max(away, abs(seen[p, axis] - x_prev[i, axis]))
        for axis in range(3):
            at[p, axis] = x_prev[i, axis] if away > put else seen[p, axis]
            speed[p, axis] = (x[i, axis] - at[p, axis]) / h - (fall[axis] if body[p] >= 0 else 0.0)


@kernel
def begin_rigid(bodies, fall, met):
    """Rigid bodies, the first with rigid response, at the start of a substep; bodies: `BodyColumns`."""
    for b in range(bodies.mass.shape[0]):
        axes = axes_of(bodies.rotation_before, b)
        met.mass[b], met.reach[b], least = bodies.mass[b], bodies.reach[b], np.inf
        for k in range(3):
            met.centre[b, k] = bodies.position_before[b, k]
            met.rate[b, k] = bodies.velocity[b, k] - fall[k]
            least = min(least, bodies.inertia[b, k])
            for n in range(3):
                total = 0.0
                for j in range(3):
                    total += axes[3 * k + j] * bodies.inertia[b, j] * axes[3 * n + j]
                met.inertia[b, k, n] = total
        met.max_inv_mass[b] = 1.0 / bodies.mass[b] + bodies.reach[b] ** 2 / least
        momentum = bodies.angular_momentum[b]
        met.rate[b, 3], met.rate[b, 4], met.rate[b, 5] = angular_velocity(
            bodies.rotation_before, bodies.inertia, b, momentum[0], momentum[1], momentum[2]
        )


@kernel
def begin_soft(b, start, stop, mass, x, v, fall, met):
    """Soft body b, particles start : stop, as a rigid one with the same momentum and angular momentum.

    Args: mass: (n,) [kg]; x: (n, 3) at the start of the substep [m]; v: (n, 3) [m/s].
    """
    centre, rate, inertia, total = met.centre[b], met.rate[b], met.inertia[b], 0.0
    centre[:] = 0.0
    rate[:] = 0.0
    inertia[:] = 0.0
    for i in range(start, stop):
        total += mass[i]
        for k in range(3):
            centre[k] += mass[i] * x[i, k]
            rate[k] += mass[i] * v[i, k]
    for k in range(3):
        centre[k] /= total
    farthest = 0.0
    for i in range(start, stop):
        rx, ry, rz = x[i, 0] - centre[0], x[i, 1] - centre[1], x[i, 2] - centre[2]
        square = rx * rx + ry * ry + rz * rz
        farthest = max(farthest, square)
        px, py, pz = mass[i] * v[i, 0], mass[i] * v[i, 1], mass[i] * v[i, 2]
        rate[3] += ry * pz - rz * py
        rate[4] += rz * px - rx * pz
        rate[5] += rx * py - ry * px
        inertia[0, 0] += mass[i] * (square - rx * rx)
        inertia[1, 1] += mass[i] * (square - ry * ry)
        inertia[2, 2] += mass[i] * (square - rz * rz)
        inertia[0, 1] -= mass[i] * rx * ry
        inertia[0, 2] -= mass[i] * rx * rz
        inertia[1, 2] -= mass[i] * ry * rz
    inertia[1, 0], inertia[2, 0], inertia[2, 1] = inertia[0, 1], inertia[0, 2], inertia[1, 2]
    rate[3], rate[4], rate[5] = angular_velocity_of(inertia, rate[3], rate[4], rate[5])
    for k in range(3):
        rate[k] = rate[k] / total - fall[k]
    met.mass[b], met.reach[b] = total, math.sqrt(farthest)
    met.max_inv_mass[b] = 1.0 / total + farthest / max(smallest_eigenvalue(inertia), LEAST * total)


@kernel
def smallest_eigenvalue(matrix):
    """Smallest eigenvalue of a symmetric (3, 3) matrix.

    Smith 1961, "Eigenvalues of a symmetric 3 x 3 matrix".
    """
    a, b, c = matrix[0, 0], matrix[1, 1], matrix[2, 2]
    d, e, f = matrix[0, 1], matrix[0, 2], matrix[1, 2]
    mean = (a + b + c) / 3.0
    a, b, c = a - mean, b - mean, c - mean
    spread = math.sqrt((a * a + b * b + c * c + 2.0 * (d * d + e * e + f * f)) / 6.0)
    if not spread > 0.0:
        return mean
    half = 0.5 * (a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e)) / spread**3
    angle = math.acos(min(max(half, -1.0), 1.0)) / 3.0
    return mean + 2.0 * spread * math.cos(angle + 2.0 * math.pi / 3.0)


@kernel
def angular_velocity_of(inertia, lx, ly, lz):
    """Angular velocity of an angular momentum (lx, ly, lz), by Cholesky factors; 0 about an axis without inertia."""
    least = LEAST * (inertia[0, 0] + inertia[1, 1] + inertia[2, 2])
    first = inertia[0, 0]
    below, across = (inertia[1, 0] / first, inertia[2, 0] / first) if first > least else (0.0, 0.0)
    second = inertia[1, 1] - below * inertia[1, 0]
    rest = inertia[2, 1] - across * inertia[1, 0]
    beside = rest / second if second > least else 0.0
    third = inertia[2, 2] - across * inertia[2, 0] - beside * rest
    ly -= below * lx
    lz -= across * lx + beside * ly
    wz = lz / third if third > least else 0.0
    wy = ly / second - beside * wz if second > least else 0.0
    wx = lx / first - below * wy - across * wz if first > least else 0.0
    return wx, wy, wz


@kernel
def set_triangles(h, origin, at, met, triangles):
    """Triangles in a step of h [s], relative to the origin (3,); triangles: `wall_table.Triangles`, filled."""
    for t in range(met.corner.shape[0]):
        for n in range(3):
            p = met.corner[t, n]
            for axis in range(3):
                here = at[p, axis] - origin[axis]
                triangles.start[t, n, axis] = here
                triangles.end[t, n, axis] = here + h * met.speed[p, axis]


@kernel
def bound_paths(h, origin, at, speed, box):
    """Box (2, 3) around the paths of all points in h [s], relative to the origin; (inf, -inf) without any [m]."""
    for axis in range(3):
        box[0, axis], box[1, axis] = np.inf, -np.inf
        for p in range(at.shape[0]):
            here = at[p, axis] - origin[axis]
            ahead = here + h * speed[p, axis]
            box[0, axis], box[1, axis] = min(box[0, axis], here, ahead), max(box[1, axis], here, ahead)


@kernel
def advance_bodies(h, body, at, met):
    """End a step of h [s]: apply velocity changes and drag to bodies with rigid response, and advance all points."""
    for b in range(met.mass.shape[0]):
        drag, change = met.drag_impulse[b], met.change[b]
        wx, wy, wz = angular_velocity_of(met.inertia[b], drag[3], drag[4], drag[5])
        for k in range(3):
            change[k] += drag[k] / met.mass[b]
        change[3] += wx
        change[4] += wy
        change[5] += wz
        for k in range(6):
            met.body_impulse[b, k] += drag[k]
            drag[k] = 0.0
    for p in range(at.shape[0]):
        b = body[p]
        if b >= 0:
            change = met.change[b]
            rx, ry, rz = at[p, 0] - met.centre[b, 0], at[p, 1] - met.centre[b, 1], at[p, 2] - met.centre[b, 2]
            met.speed[p, 0] += change[0] + change[4] * rz - change[5] * ry
            met.speed[p, 1] += change[1] + change[5] * rx - change[3] * rz
            met.speed[p, 2] += change[2] + change[3] * ry - change[4] * rx
        for axis in range(3):
            at[p, axis] += h * met.speed[p, axis]
    for b in range(met.mass.shape[0]):
        for k in range(6):
            met.rate[b, k] += met.change[b, k]
        for k in range(3):
            met.centre[b, k] += h * met.rate[b, k]


@kernel
def give_points(points, h, met, x, v):
    """Apply the impulses of the substep of h [s] to particles of deformable bodies: x, v (n, 3) [m], [m/s]."""
    for p in range(points.shape[0]):
        i = points[p]
        for axis in range(3):
            dv = met.inv_mass[p] * met.impulse[p, axis]
            v[i, axis] += dv
            x[i, axis] += h * dv


@kernel
def apply_to_soft(b, start, stop, h, model, x_prev, x, v):
    """Apply the impulses of soft body b in the substep of h [s] to its free particles start : stop.

    Args: model: mass and inverse mass (n,) of particles [kg], [1/kg], and `MetColumns`; x_prev, x, v: (n, 3).
    """
    mass, inverse, met = model
    cx = cy = cz = 0.0
    for i in range(start, stop):
        cx += mass[i] * x_prev[i, 0]
        cy += mass[i] * x_prev[i, 1]
        cz += mass[i] * x_prev[i, 2]
    total, impulse = met.mass[b], met.body_impulse[b]
    cx, cy, cz = cx / total, cy / total, cz / total
    wx, wy, wz = angular_velocity_of(met.inertia[b], impulse[3], impulse[4], impulse[5])
    for i in range(start, stop):
        if inverse[i] > 0.0:
            rx, ry, rz = x_prev[i, 0] - cx, x_prev[i, 1] - cy, x_prev[i, 2] - cz
            dx = impulse[0] / total + wy * rz - wz * ry
            dy = impulse[1] / total + wz * rx - wx * rz
            dz = impulse[2] / total + wx * ry - wy * rx
            v[i, 0] += dx
            v[i, 1] += dy
            v[i, 2] += dz
            x[i, 0] += h * dx
            x[i, 1] += h * dy
            x[i, 2] += h * dz
