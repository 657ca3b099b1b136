"""Absorption of fields by colliders between the field and a particle.

A ray goes from each particle to the place from which the field acts. Each collider that it crosses lets the fraction
1 - absorption through. Triangles are in clusters with boxes, like those of fields; a ray tests only clusters whose box
it crosses.
"""

from __future__ import annotations

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from .laws.falloff import offset
from .laws.nearest import nearest_on_surface
from .laws.rows import SURFACE
from .laws.scratch import BLOCK

# A crossing this close to either end, as a fraction of the ray, belongs to the surface of the end itself.
NEAREST = 1e-4


@part_of_kernel
def _span(place, direction, low, high, first, last):
    """The part of first : last in which place + t direction lies between low and high."""
    if abs(direction) < 1e-300:
        return (first, last) if low <= place <= high else (1.0, 0.0)
    one, two = (low - place) / direction, (high - place) / direction
    return max(first, min(one, two)), min(last, max(one, two))


@kernel
def _crosses_box(mesh, cluster, x, y, z, dx, dy, dz):
    low, high = mesh.low, mesh.high
    first, last = _span(x, dx, low[cluster, 0], high[cluster, 0], 0.0, 1.0)
    first, last = _span(y, dy, low[cluster, 1], high[cluster, 1], first, last)
    first, last = _span(z, dz, low[cluster, 2], high[cluster, 2], first, last)
    return first <= last


@kernel
def _crosses_triangle(mesh, triangle, x, y, z, dx, dy, dz):
    """Whether the ray crosses a triangle between its ends (Möller and Trumbore 1997)."""
    a, b, c = mesh.triangles[triangle, 0], mesh.triangles[triangle, 1], mesh.triangles[triangle, 2]
    at = mesh.vertices
    ux, uy, uz = at[b, 0] - at[a, 0], at[b, 1] - at[a, 1], at[b, 2] - at[a, 2]
    wx, wy, wz = at[c, 0] - at[a, 0], at[c, 1] - at[a, 1], at[c, 2] - at[a, 2]
    px, py, pz = dy * wz - dz * wy, dz * wx - dx * wz, dx * wy - dy * wx
    volume = ux * px + uy * py + uz * pz
    if volume == 0.0:
        return False
    sx, sy, sz = x - at[a, 0], y - at[a, 1], z - at[a, 2]
    s = (sx * px + sy * py + sz * pz) / volume
    qx, qy, qz = sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux
    t = (dx * qx + dy * qy + dz * qz) / volume
    along = (wx * qx + wy * qy + wz * qz) / volume
    return s >= 0.0 and t >= 0.0 and s + t <= 1.0 and NEAREST < along < 1.0 - NEAREST


@kernel
def _transmission(mesh, collider_cluster, absorption, x, y, z, dx, dy, dz):
    """Product of 1 - absorption over the colliders that a ray crosses."""
    left = 1.0
    for collider in range(absorption.shape[0]):
        crossed = False
        for cluster in range(collider_cluster[collider], collider_cluster[collider + 1]):
            if crossed or not _crosses_box(mesh, cluster, x, y, z, dx, dy, dz):
                continue
            for triangle in range(mesh.start[cluster], mesh.start[cluster + 1]):
                if _crosses_triangle(mesh, triangle, x, y, z, dx, dy, dz):
                    crossed = True
                    break
        if crossed:
            left *= min(max(1.0 - absorption[collider], 0.0), 1.0)
    return left


@kernel
def _screen_block(rows, field_mesh, moving, mesh, collider_cluster, absorption, block, screens):
    for m in range(block * BLOCK, min((block + 1) * BLOCK, moving.ids.shape[0])):
        i = moving.ids[m]
        x, y, z = moving.x[i, 0], moving.x[i, 1], moving.x[i, 2]
        for f in range(rows.shape[0]):
            row = rows[f]
            if row.screen < 0:
                continue
            if row.form == SURFACE:
                lx, ly, lz, _nx, _ny, _nz = nearest_on_surface(row, field_mesh, x, y, z)
                dx, dy, dz = lx - x, ly - y, lz - z
            else:
                px, py, pz = offset(row, x - row.origin[0], y - row.origin[1], z - row.origin[2])
                dx, dy, dz = -px, -py, -pz
            screens[m, row.screen] = _transmission(mesh, collider_cluster, absorption, x, y, z, dx, dy, dz)


@parallel_kernel
def screen_fields(rows, field_mesh, moving, mesh, collider_cluster, absorption, blocks, screens):
    """Fraction of the screened fields that colliders let through, into screens (m, screened fields).

    Args:
        mesh: `Meshes` of all colliders; collider_cluster: (colliders + 1,) ranges of their clusters.
        absorption: (colliders,) fraction that each absorbs.
    """
    for block in prange(blocks):
        _screen_block(rows, field_mesh, moving, mesh, collider_cluster, absorption, block, screens)
