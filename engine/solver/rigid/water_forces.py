"""Water forces on rigid bodies: those of `forces.wet` at the vertices of their meshes, body by body.

    F = sum over vertices of -rho g n lift - rho drag A max(|u|, CREEP) u / 2,   T = sum of r x F

with u the velocity of a vertex relative to the water. Water that moves with a body adds to its mass, as for soft bodies
(`forces.added_mass`), but not to its inertia. The lift is integrated with the linear coordinate of a vertex, so the
torque is exact too: a body rights itself about its metacentre. One thread sums the triangles of a body, in order.
"""

from __future__ import annotations

import math

from ...compiler.kernels import parallel_kernel, part_of_kernel, prange
from ..forces.buoyancy import CREEP
from ..forces.waves import stream_at, stream_change_at, wave_at
from ..forces.wet import wet_weights
from .motion import angular_velocity

# Largest fraction of a velocity, or of a rate of rotation, that linear drag may remove in a substep.
MOST_BRAKE = 0.5


@parallel_kernel
def push_wet_bodies(meshes, height, x, waves, bodies, density, gravity, drag, flow, h):
    """Add the force, the torque and the added mass of water to every body.

    Args:
        meshes: `rigid.columns.WetMeshes`; height: of the surface without waves [m]; x: (n, 3) [m].
        waves: see `forces.waves.wave_at`.
        bodies: `rigid.columns.BodyColumns`; `mass`, `velocity`, `spread_force` and `spread_torque` are in and out.
        density: [kg/m³]; gravity, flow: three numbers, acceleration [m/s²] and velocity of the water [m/s].
        drag: coefficient; h: the substep [s].
    """
    triangle_start = meshes.start
    triangles = meshes.triangles
    is_lid = meshes.is_lid
    follows = meshes.follows
    added = meshes.added
    was_added = meshes.was_added
    position = bodies.position
    rotation = bodies.rotation
    mass = bodies.mass
    inertia = bodies.inertia
    velocity = bodies.velocity
    angular_momentum = bodies.angular_momentum
    force = bodies.spread_force
    torque = bodies.spread_torque
    ux, uy, uz = flow
    gx, gy, gz = gravity
    g = math.sqrt(gx * gx + gy * gy + gz * gz)
    for b in prange(mass.shape[0]):
        wx, wy, wz = angular_velocity(
            rotation, inertia, b, angular_momentum[b, 0], angular_momentum[b, 1], angular_momentum[b, 2]
        )
        dx = 0.0
        dy = 0.0
        dz = 0.0
        ax = 0.0
        ay = 0.0
        az = 0.0
        brake = 0.0
        angular_brake = 0.0
        area = 0.0
        sx = 0.0
        sy = 0.0
        sz = 0.0
        cx = 0.0
        cy = 0.0
        cz = 0.0
        for t in range(triangle_start[b], triangle_start[b + 1]):
            nx, ny, nz, la, lb, lc, wa, wb, wc = _wet_triangle(x, waves, triangles, t, height)
            for k in range(3):
                wet = wa if k == 0 else (wb if k == 1 else wc)
                if wet <= 0.0:
                    continue
                area += wet
                i = triangles[t, k]
                ox, oy, oz = stream_at(waves, i)
                sx += wet * ox
                sy += wet * oy
                sz += wet * oz
                qx, qy, qz = stream_change_at(waves, i)
                cx += wet * qx
                cy += wet * qy
                cz += wet * qz
                rx = x[i, 0] - position[b, 0]
                ry = x[i, 1] - position[b, 1]
                rz = x[i, 2] - position[b, 2]
                up = -density * g * (la if k == 0 else (lb if k == 1 else lc))
                fx = up * nx
                fy = up * ny
                fz = up * nz
                force[b, 0] += fx
                force[b, 1] += fy
                force[b, 2] += fz
                torque[b, 0] += ry * fz - rz * fy
                torque[b, 1] += rz * fx - rx * fz
                torque[b, 2] += rx * fy - ry * fx
                if is_lid[t]:
                    continue
                vx = velocity[b, 0] + wy * rz - wz * ry - (ux + ox)
                vy = velocity[b, 1] + wz * rx - wx * rz - (uy + oy)
                vz = velocity[b, 2] + wx * ry - wy * rx - (uz + oz)
                c = 0.5 * density * drag * wet * max(math.sqrt(vx * vx + vy * vy + vz * vz), CREEP)
                brake += c
                angular_brake += c * (rx * rx + ry * ry + rz * rz)
                dx -= c * vx
                dy -= c * vy
                dz -= c * vz
                ax -= c * (ry * vz - rz * vy)
                ay -= c * (rz * vx - rx * vz)
                az -= c * (rx * vy - ry * vx)
        added_mass = density * follows[b] * area
        kept = 1.0
        if added_mass > 0.0:
            own_mass = mass[b] - added[b]
            after = mass[b] + added_mass
            kept = min((own_mass + max(added[b], was_added[b])) / after, 1.0)
            mass[b] = after
            added[b] += added_mass
            sx, sy, sz = ux + sx / area, uy + sy / area, uz + sz / area
            velocity[b, 0] = sx + kept * (velocity[b, 0] - sx)
            velocity[b, 1] = sy + kept * (velocity[b, 1] - sy)
            velocity[b, 2] = sz + kept * (velocity[b, 2] - sz)
            # The added mass has no weight, as water is weightless in water, and accelerates with the waves.
            force[b, 0] += added_mass * (cx / (area * h) - gx)
            force[b, 1] += added_mass * (cy / (area * h) - gy)
            force[b, 2] += added_mass * (cz / (area * h) - gz)
        least = min(inertia[b, 0], inertia[b, 1], inertia[b, 2])
        part = min(1.0, MOST_BRAKE / max(h * brake / mass[b], 1e-300))
        force[b, 0] += kept * part * dx
        force[b, 1] += kept * part * dy
        force[b, 2] += kept * part * dz
        part = min(1.0, MOST_BRAKE / max(h * angular_brake / least, 1e-300))
        torque[b, 0] += part * ax
        torque[b, 1] += part * ay
        torque[b, 2] += part * az


@part_of_kernel
def _wet_triangle(x, waves, triangles, t, height):
    """Normal of triangle t, with length twice its area; lift of its corners, see `wet.wet_weights`; wet areas [m²]."""
    a = triangles[t, 0]
    b = triangles[t, 1]
    c = triangles[t, 2]
    da = height + wave_at(waves, a) - x[a, 2]
    db = height + wave_at(waves, b) - x[b, 2]
    dc = height + wave_at(waves, c) - x[c, 2]
    nx, ny, nz = 0.0, 0.0, 0.0
    la, lb, lc, wa, wb, wc = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if da > 0.0 or db > 0.0 or dc > 0.0:
        ex = x[b, 0] - x[a, 0]
        ey = x[b, 1] - x[a, 1]
        ez = x[b, 2] - x[a, 2]
        fx = x[c, 0] - x[a, 0]
        fy = x[c, 1] - x[a, 1]
        fz = x[c, 2] - x[a, 2]
        nx = ey * fz - ez * fy
        ny = ez * fx - ex * fz
        nz = ex * fy - ey * fx
        la, lb, lc, wa, wb, wc = wet_weights(da, db, dc, 0.5)
        twice = math.sqrt(nx * nx + ny * ny + nz * nz)
        wa *= twice
        wb *= twice
        wc *= twice
    return nx, ny, nz, la, lb, lc, wa, wb, wc
