"""Kernels of `carried`: the load of particles on vertices, and the transfer of vertex motion to particles."""

from __future__ import annotations

from ....compiler.kernels import kernel
from ..density import WEIGHT
from .contacts import DEFORMABLE


@kernel
def diffuse(passes, edges, fraction, values, scratch):
    """Diffuse `values` (p, k) along edges (e, 2), by a fraction (e,) of each difference; scratch: (p, 4)."""
    columns = values.shape[1]
    for _pass in range(passes):
        for p in range(values.shape[0]):
            for k in range(columns):
                scratch[p, k] = values[p, k]
        for e in range(edges.shape[0]):
            a, b = edges[e, 0], edges[e, 1]
            for k in range(columns):
                flow = fraction[e] * (scratch[a, k] - scratch[b, k])
                values[a, k] -= flow
                values[b, k] += flow


@kernel
def count_shared(count, close, contacts, table, met, contact_count):
    """Out: contact_count (c,) int64.

    For each close contact with a deformable body, the number of such contacts of its particle; 0 for other contacts.
    """
    first = 0
    while first < count:
        found, stop = 0, first
        while stop < count and contacts.row[stop] == contacts.row[first]:
            is_close = (
                contacts.distance[stop] < close and met.response[table.triangle[contacts.wall[stop]]] == DEFORMABLE
            )
            contact_count[stop] = 1 if is_close else 0
            found += contact_count[stop]
            stop += 1
        for c in range(first, stop):
            contact_count[c] *= found
        first = stop


@kernel
def find_loads(count, close, contacts, contact_count, table, met, corners, mesh, order, v, of_points):
    """Momentum and mass of the particles on each vertex that takes them, diffused; returns how many vertices take some.

    Args:
        close: [m]; contact_count: out, see `count_shared`; mesh: see `carried._diffusion`; order: (n,) particle of each
            row. v: (n, 3) of particles [m/s].
        of_points: out: takes (p,) bool; carried (p, 4); scratch (p, 4); the vertices with a load, (p,) int64.
    """
    takes, carried, scratch, loaded = of_points
    for p in range(takes.shape[0]):
        is_pushed = met.impulse[p, 0] != 0.0 or met.impulse[p, 1] != 0.0 or met.impulse[p, 2] != 0.0
        takes[p] = corners.carries[p] and (is_pushed or corners.presses[p])
        corners.presses[p] = False
    carried[:] = 0.0
    count_shared(count, close, contacts, table, met, contact_count)
    for c in range(count):
        if contact_count[c] == 0:
            continue
        row, wall = contacts.row[c], contacts.wall[c]
        for n in range(3):
            p = met.corner[table.triangle[wall], n]
            if takes[p]:
                own = table.barycentric[wall, n] * contacts.mass[c] / contact_count[c]
                carried[p, 3] += own
                for axis in range(3):
                    carried[p, axis] += own * v[order[row], axis]
    diffuse(mesh[0], mesh[1], mesh[2], carried, scratch)
    found = 0
    for p in range(takes.shape[0]):
        corners.loaded[p] = carried[p, 3] > 0.0
        if corners.loaded[p]:
            loaded[found] = p
            found += 1
    return found


@kernel
def transfer_changes(count, contacts, contact_count, table, met, mesh, of_points, order, v):
    """Add the diffused velocity changes of loaded vertices to the velocities v (n, 3) of their particles [m/s].

    Args:
        contact_count: see `count_shared`; mesh: see `carried._diffusion`; order: (n,) particle of each row.
        of_points: takes (p,) bool; change (p, 3) [m/s], which is diffused in place; scratch (p, 4).
    """
    takes, change, scratch = of_points
    diffuse(mesh[0], mesh[1], mesh[2], change, scratch)
    for c in range(count):
        if contact_count[c] == 0:
            continue
        row, wall = contacts.row[c], contacts.wall[c]
        dx = dy = dz = 0.0
        for n in range(3):
            p = met.corner[table.triangle[wall], n]
            if takes[p]:
                weight = table.barycentric[wall, n] / contact_count[c]
                dx += weight * change[p, 0]
                dy += weight * change[p, 1]
                dz += weight * change[p, 2]
        v[order[row], 0] += dx
        v[order[row], 1] += dy
        v[order[row], 2] += dz


@kernel
def follow(count, contacts, contact_count, table, met, takes, change, order, lag):
    """Displacements normal to the surface by which particles follow vertices moved by `change`; returns their number.

    Particles follow the actual surface, so here nothing is diffused. A surface that approaches closes the separation
    from a particle first. A wall nearly parallel to a nearer one counts less.

    Args: takes: (p,) bool; change: (p, 3) [m]; order: (n,) particle of each row; lag: out, (c,) particles and their
        displacements, (c, 3) [m].
    """
    found, (particles, displacements) = 0, lag
    for c in range(count):
        row, wall = contacts.row[c], contacts.wall[c]
        corner, arm, along = met.corner[table.triangle[wall]], contacts.arm[c], 0.0
        if contact_count[c] and (takes[corner[0]] or takes[corner[1]] or takes[corner[2]]):
            for n in range(3):
                for axis in range(3):
                    along += table.barycentric[wall, n] * change[corner[n], axis] * arm[axis]
            if along > 0.0:
                along = max(along - max(contacts.separation[c], 0.0), 0.0)
            # All contacts of a particle are consecutive.
            if found == 0 or particles[found - 1] != order[row]:
                particles[found] = order[row]
                displacements[found] = 0.0
                found += 1
            for axis in range(3):
                displacements[found - 1, axis] += table.plane[wall, WEIGHT] * along * arm[axis]
    return found
