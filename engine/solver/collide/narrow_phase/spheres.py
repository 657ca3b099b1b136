"""Spheres that replace groups of vertices: their positions, contacts, and the return of displacements to the vertices.

    centre      c = sum m x / sum m over the vertices of the group
    response    moves c by d; every free vertex moves by d (sum m) / (sum m of free vertices)

so the free vertices translate together. Linear momentum is conserved, and angular momentum as far as the displacement
is along the line of centres.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, parallel_kernel, prange

# Spheres count as near within this fraction beyond the rest separation; springs may still bring them together.
NEAR = 0.05


@parallel_kernel
def gather_groups(start, members, mass, particle, h, x, x_prev, v, centre, centre_prev):
    """Write centres of mass of groups as positions of their proxy particles, and v = (x - x_prev) / h.

    Args:
        start, members: compressed lists of vertices; mass: (n,) [kg]; particle: (g,) proxy of each group.
        x, x_prev: (n, 3) [m], v: (n, 3) [m/s]; in for vertices, out for proxies.
        centre, centre_prev: out (g, 3), the same positions.
    """
    for g in prange(particle.shape[0]):
        o = members[start[g]]
        total = 0.0
        sx = 0.0
        sy = 0.0
        sz = 0.0
        px = 0.0
        py = 0.0
        pz = 0.0
        # Sum relative to the first vertex, to keep precision far from the origin.
        ox = x[o, 0]
        oy = x[o, 1]
        oz = x[o, 2]
        for e in range(start[g], start[g + 1]):
            i = members[e]
            m = mass[i]
            total += m
            sx += m * (x[i, 0] - ox)
            sy += m * (x[i, 1] - oy)
            sz += m * (x[i, 2] - oz)
            px += m * (x_prev[i, 0] - ox)
            py += m * (x_prev[i, 1] - oy)
            pz += m * (x_prev[i, 2] - oz)
        p = particle[g]
        x[p, 0] = ox + sx / total
        x[p, 1] = oy + sy / total
        x[p, 2] = oz + sz / total
        x_prev[p, 0] = ox + px / total
        x_prev[p, 1] = oy + py / total
        x_prev[p, 2] = oz + pz / total
        for k in range(3):
            v[p, k] = (x[p, k] - x_prev[p, k]) / h
            centre[g, k] = x[p, k]
            centre_prev[g, k] = x_prev[p, k]


@parallel_kernel
def apply_moves(start, members, inv_mass, particle, part, before, values):
    """Move the free vertices of a group with its proxy particle; held vertices stay.

    Args:
        part: (g,) mass of all vertices over that of the free ones; before: (g, 3), old values of the proxies.
        values: (n, 3) in and out.
    """
    for g in prange(particle.shape[0]):
        p = particle[g]
        dx = part[g] * (values[p, 0] - before[g, 0])
        dy = part[g] * (values[p, 1] - before[g, 1])
        dz = part[g] * (values[p, 2] - before[g, 2])
        if dx == 0.0 and dy == 0.0 and dz == 0.0:
            continue
        for e in range(start[g], start[g + 1]):
            i = members[e]
            if inv_mass[i] > 0.0:
                values[i, 0] += dx
                values[i, 1] += dy
                values[i, 2] += dz


@kernel
def box_spheres(first, stop, radius, x_prev, x, box):
    """Boxes around the motion of each body's spheres, out (bodies, 6): low, high; particles first : stop."""
    for b in range(first.shape[0]):
        for k in range(3):
            low = math.inf
            high = -math.inf
            for p in range(first[b], stop[b]):
                wide = (1.0 + NEAR) * radius[p]
                low = min(low, min(x[p, k], x_prev[p, k]) - wide)
                high = max(high, max(x[p, k], x_prev[p, k]) + wide)
            box[b, k] = low
            box[b, 3 + k] = high


@kernel
def _apart(box, a, b):
    for k in range(3):
        if box[a, k] > box[b, 3 + k] or box[b, k] > box[a, 3 + k]:
            return True
    return False


@kernel
def find_sphere_contacts(first, stop, meets, box, radius, motion, kind, pair_friction, count, buffer):
    """Append pairs of spheres that touch, or nearly do, after the first `count`; returns the number including them.

    Pairs beyond the capacity are counted and not written.

    Args:
        first, stop: (bodies,) particles of each; meets: (bodies, bodies); box: see `box_spheres`.
        motion: x_prev, x and v, (n, 3) each: start and predicted positions [m], and velocities [m/s].
        kind: (n,) of each particle's body; pair_friction: (kinds, kinds); buffer: out, `contact_buffer.BufferColumns`.
    """
    x_prev, x, v = motion
    contact, weight, normal, rest_separation = buffer.contact, buffer.weight, buffer.normal, buffer.rest_separation
    capacity = rest_separation.shape[0]
    for a in range(first.shape[0]):
        for b in range(a + 1, first.shape[0]):
            if not meets[a, b] or _apart(box, a, b):
                continue
            for p in range(first[a], stop[a]):
                wide = (1.0 + NEAR) * radius[p]
                misses = False
                for k in range(3):
                    misses |= max(x[p, k], x_prev[p, k]) + wide < box[b, k]
                    misses |= min(x[p, k], x_prev[p, k]) - wide > box[b, 3 + k]
                if misses:
                    continue
                for q in range(first[b], stop[b]):
                    dx = x[p, 0] - x[q, 0]
                    dy = x[p, 1] - x[q, 1]
                    dz = x[p, 2] - x[q, 2]
                    keep = radius[p] + radius[q]
                    reach = (1.0 + NEAR) * keep
                    square = dx * dx + dy * dy + dz * dz
                    if square > reach * reach:
                        continue
                    if count < capacity:
                        distance = math.sqrt(square)
                        if distance < 1e-9 * keep:
                            # Coincident centres have no direction; take +z.
                            dx = 0.0
                            dy = 0.0
                            dz = 1.0
                            distance = 1.0
                        dx /= distance
                        dy /= distance
                        dz /= distance
                        contact[count, 0] = p
                        weight[count, 0] = 1.0
                        for e in range(1, 4):
                            contact[count, e] = q
                            weight[count, e] = -1.0 if e == 1 else 0.0
                        normal[count, 0] = dx
                        normal[count, 1] = dy
                        normal[count, 2] = dz
                        rest_separation[count] = keep
                        buffer.friction[count] = pair_friction[kind[p], kind[q]]
                        buffer.approach[count] = (
                            dx * (v[p, 0] - v[q, 0]) + dy * (v[p, 1] - v[q, 1]) + dz * (v[p, 2] - v[q, 2])
                        )
                        buffer.held[count] = 0.0
                    count += 1
    return count
