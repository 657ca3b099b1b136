"""Kernels of `carried`: what particles load vertices with, and what they get of the motion of these."""

from __future__ import annotations

from ....compiler.kernels import kernel
from ..density import WEIGHT
from .contacts import BENDS


@kernel
def spread(passes, edges, share, values, room):
    """Let `values` (p, k) diffuse along edges (e, 2); room: (p, 4)."""
    columns = values.shape[1]
    for _pass in range(passes):
        for p in range(values.shape[0]):
            for k in range(columns):
                room[p, k] = values[p, k]
        for e in range(edges.shape[0]):
            a, b = edges[e, 0], edges[e, 1]
            for k in range(columns):
                way = share[e] * (room[a, k] - room[b, k])
                values[a, k] -= way
                values[b, k] += way


@kernel
def count_shared(count, close, contacts, table, met, several):
    """Out: several (c,) int64, close contacts with what bends of each contact's particle; 0 for all others."""
    first = 0
    while first < count:
        found, stop = 0, first
        while stop < count and contacts.row[stop] == contacts.row[first]:
            is_close = contacts.away[stop] < close and met.answers[table.triangle[contacts.wall[stop]]] == BENDS
            several[stop] = 1 if is_close else 0
            found += several[stop]
            stop += 1
        for c in range(first, stop):
            several[c] *= found
        first = stop


@kernel
def find_loads(count, close, contacts, several, table, met, corners, mesh, order, v, of_points):
    """Momentum and mass of the particles at each vertex that takes them, spread; returns how many vertices take some.

    Args:
        close: [m]; several: out, see `count_shared`; mesh: see `carried._spreading`; order: (n,) particle of each row.
        v: (n, 3) of particles [m/s].
        of_points: out: takes (p,) bool; carried (p, 4); room (p, 4); the vertices that carry something, (p,) int64.
    """
    takes, carried, room, loaded = of_points
    for p in range(takes.shape[0]):
        is_pushed = met.impulse[p, 0] != 0.0 or met.impulse[p, 1] != 0.0 or met.impulse[p, 2] != 0.0
        takes[p] = corners.carries[p] and (is_pushed or corners.presses[p])
        corners.presses[p] = False
    carried[:] = 0.0
    count_shared(count, close, contacts, table, met, several)
    for c in range(count):
        if several[c] == 0:
            continue
        row, wall = contacts.row[c], contacts.wall[c]
        for n in range(3):
            p = met.corner[table.triangle[wall], n]
            if takes[p]:
                own = table.share[wall, n] * contacts.mass[c] / several[c]
                carried[p, 3] += own
                for axis in range(3):
                    carried[p, axis] += own * v[order[row], axis]
    spread(mesh[0], mesh[1], mesh[2], carried, room)
    found = 0
    for p in range(takes.shape[0]):
        corners.loaded[p] = carried[p, 3] > 0.0
        if corners.loaded[p]:
            loaded[found] = p
            found += 1
    return found


@kernel
def hand_on(count, contacts, several, table, met, mesh, of_points, order, v):
    """Add to the velocities v (n, 3) of particles what the vertices that take them have changed by, spread [m/s].

    Args:
        several: see `count_shared`; mesh: see `carried._spreading`; order: (n,) particle of each row.
        of_points: takes (p,) bool; change (p, 3) [m/s], which is spread then; room (p, 4).
    """
    takes, change, room = of_points
    spread(mesh[0], mesh[1], mesh[2], change, room)
    for c in range(count):
        if several[c] == 0:
            continue
        row, wall = contacts.row[c], contacts.wall[c]
        dx = dy = dz = 0.0
        for n in range(3):
            p = met.corner[table.triangle[wall], n]
            if takes[p]:
                share = table.share[wall, n] / several[c]
                dx += share * change[p, 0]
                dy += share * change[p, 1]
                dz += share * change[p, 2]
        v[order[row], 0] += dx
        v[order[row], 1] += dy
        v[order[row], 2] += dz


@kernel
def follow(count, contacts, several, table, met, takes, change, order, lag):
    """Ways across the surface by which particles follow vertices that have moved by `change`; returns of how many.

    A surface goes with the particles that lie on it as it is, so here no load is spread. One that comes closes the gap
    to a particle first. What is nearly parallel to a nearer wall counts less.

    Args: takes: (p,) bool; change: (p, 3) [m]; order: (n,) particle of each row; lag: out, (c,) particles and their
        ways, (c, 3) [m].
    """
    found, (particles, ways) = 0, lag
    for c in range(count):
        row, wall = contacts.row[c], contacts.wall[c]
        corner, arm, along = met.corner[table.triangle[wall]], contacts.arm[c], 0.0
        if several[c] and (takes[corner[0]] or takes[corner[1]] or takes[corner[2]]):
            for n in range(3):
                for axis in range(3):
                    along += table.share[wall, n] * change[corner[n], axis] * arm[axis]
            if along > 0.0:
                along = max(along - max(contacts.gap[c], 0.0), 0.0)
            # All contacts of a particle follow each other.
            if found == 0 or particles[found - 1] != order[row]:
                particles[found] = order[row]
                ways[found] = 0.0
                found += 1
            for axis in range(3):
                ways[found - 1, axis] += table.plane[wall, WEIGHT] * along * arm[axis]
    return found
