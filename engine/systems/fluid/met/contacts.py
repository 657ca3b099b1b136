"""Contacts of a fluid's particles with movable bodies, see `exchange`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel
from ..density import MOTION, from_wall

# Contacts are listed up to so many clearances from a wall.
LISTED = 4.0
# Values of `MetColumns.response` for triangles that respond by their corners, and for triangles that do not respond.
DEFORMABLE, IMMOVABLE = -1, -2
# A particle between a body and an immovable wall gets so many times its mass; from this cosine on their normals are
# opposite.
HELD, OPPOSITE = 1000.0, 0.9


class Solve(NamedTuple):
    """State of the solution for the impulses of contacts, see `exchange`; not read after a step.

    Attributes:
        target_dv: (c,) required change of relative velocity [m/s]; wall_dv: (c,) velocity change that the particle got
            from the wall; impulse: (c,) [kg m/s].
        first: (c,) int64, the first contact of the same particle; dv: (c, 3) there, velocity change of the particle by
            the impulses of all its contacts [m/s]; deficit: (c,) missing separation without them, over h [m/s].
        delta, direction: (c,) change of an impulse in a sweep, and the search direction, for corners [kg m/s].
        held: (c,) bool, whether an immovable wall holds the particle, see `squeeze`.
        speed_margin: (c,) speed at which a rigid body may approach the particle without a larger push [m/s]; case: (c,)
            int64, the branch of F', see `wholes`; matrix: (b, 6, 7) equations of rigid bodies;
            newton_step: (b, 6) change of their velocities in a Newton step; slope: (b,) of the value along it.
    """

    target_dv: np.ndarray
    wall_dv: np.ndarray
    impulse: np.ndarray
    first: np.ndarray
    dv: np.ndarray
    deficit: np.ndarray
    delta: np.ndarray
    direction: np.ndarray
    held: np.ndarray
    speed_margin: np.ndarray
    case: np.ndarray
    matrix: np.ndarray
    newton_step: np.ndarray
    slope: np.ndarray


class Contacts(NamedTuple):
    """Contacts of particles with movable bodies.

    Attributes:
        close_row, close_wall: (c,) int64, each wall of movable bodies, contact or not: sorted particle, wall.
        row, wall: (c,) int64, sorted particle and its wall; mass: (c,) of the particle [kg]; arm: (c, 6) n and r x n.
        separation: (c,) between the particle and a deformable body after the step, less the clearance [m].
        distance: (c,) of the particle from a deformable body after the step, without the body's response in it [m].
        solve: state of the solution.
    """

    close_row: np.ndarray
    close_wall: np.ndarray
    row: np.ndarray
    wall: np.ndarray
    mass: np.ndarray
    arm: np.ndarray
    separation: np.ndarray
    distance: np.ndarray
    solve: Solve


def contacts_of(capacity: int, body_count: int) -> Contacts:
    """Empty buffers for so many contacts."""
    solve = Solve(
        *(np.zeros(capacity) for _ in range(3)), np.zeros(capacity, np.int64), np.zeros((capacity, 3)),
        *(np.zeros(capacity) for _ in range(3)), np.zeros(capacity, np.bool_), np.zeros(capacity),
        np.zeros(capacity, np.int64), np.zeros((body_count, 6, 7)), np.zeros((body_count, 6)), np.zeros(body_count),
    )
    return Contacts(
        *(np.zeros(capacity, np.int64) for _ in range(4)), np.zeros(capacity), np.zeros((capacity, 6)),
        *(np.zeros(capacity) for _ in range(2)), solve,
    )


@kernel
def list_contacts(rows, speeds, origin, sizes, rel_inv_mass, table, met, out):
    """List the contacts of particles, and their walls of movable bodies; all walls of particles at deformable bodies.

    Returns the numbers of contacts and of these walls; those beyond the capacity are not stored.

    Args:
        rows: (p, 4) current positions relative to the origin (3,); speeds: (p, 4) [m/s].
        sizes: see `exchange.exchange_momentum`.
        table: a `WallTable` with displacements by walls [m]; met: `MetColumns`; out: `Contacts`.
    """
    found = close = 0
    for task in range(table.found.shape[0]):
        at = table.begin[task]
        while at < table.begin[task] + table.found[task]:
            # Most walls are immovable.
            if met.response[table.triangle[at]] == IMMOVABLE:
                at += 1
                continue
            i = table.owner[at]
            found, close = list_contacts_of(i, found, close, rows, speeds, origin, sizes, rel_inv_mass, table, met, out)
            at = table.stop[i]
    return found, close


@kernel
def list_contacts_of(i, found, close, rows, speeds, origin, sizes, rel_inv_mass, table, met, out):
    """List the contacts of particle i, see `list_contacts`; found, close: numbers listed already."""
    h, clearance, unit_mass, _limit, rigid = sizes
    first, at_deformable = found, False
    for w in range(table.first[i], table.stop[i]):
        at_deformable |= met.response[table.triangle[w]] == DEFORMABLE
    for w in range(table.first[i], table.stop[i]):
        body = met.response[table.triangle[w]]
        if body == IMMOVABLE and not at_deformable:
            continue
        if close < out.row.shape[0]:
            out.close_row[close], out.close_wall[close] = i, w
        close += 1
        wall_shift = 0.0
        for axis in range(3):
            wall_shift += table.plane[w, axis] * table.displacement[w, axis]
        separation = from_wall(rows, i, table.plane, w) - clearance
        if wall_shift <= 0.0 and separation > LISTED * clearance:
            continue
        if found < out.row.shape[0]:
            out.row[found], out.wall[found], out.mass[found] = i, w, unit_mass / rel_inv_mass[i]
            out.solve.wall_dv[found] = wall_shift / h
            out.solve.target_dv[found] = wall_shift / h if wall_shift > 0.0 else -separation / h
            out.solve.deficit[found], out.solve.first[found] = -separation / h, first
            leaving_speed = leaving_speed_of(i, w, h, speeds, table) if wall_shift > 0.0 else 0.0
            out.solve.speed_margin[found] = max(min(leaving_speed, separation / h), 0.0)
            out.solve.held[found] = False
            if 0 <= body < rigid:
                squeeze(found, i, w, rows, h, clearance, table, met, out)
            set_arm(found, i, w, body, rows, origin, table, met, out)
        found += 1
    if found <= out.row.shape[0]:
        add_wall_dv(first, found, out)
    return found, close


@kernel
def squeeze(c, i, w, rows, h, clearance, table, met, out):
    """Let a particle between a rigid body's wall w and an immovable one, less than two clearances apart, stop the body.

    The immovable wall supports the particle, so the particle gets HELD times its mass. An overlap from before the step
    is not removed: the particle may leave along the walls, as the fluid presses it.
    """
    for other in range(table.first[i], table.stop[i]):
        if met.response[table.triangle[other]] != IMMOVABLE or not is_opposite(w, other, table):
            continue
        closing = 0.0
        for axis in range(3):
            closing += table.plane[w, axis] * table.plane[w, MOTION + axis]
            closing += table.plane[other, axis] * table.plane[other, MOTION + axis]
        apart = from_wall(rows, i, table.plane, w) + from_wall(rows, i, table.plane, other)
        overlap = 2.0 * clearance - apart
        if overlap <= 0.0:
            continue
        if not out.solve.held[c]:
            out.solve.held[c] = True
            out.mass[c] *= HELD
            out.solve.target_dv[c] = out.solve.speed_margin[c] = 0.0
        out.solve.target_dv[c] = max(out.solve.target_dv[c], min(overlap, closing) / h)


@kernel
def is_opposite(w, other, table):
    """Whether two walls face each other."""
    against = 0.0
    for axis in range(3):
        against -= table.plane[w, axis] * table.plane[other, axis]
    return against > OPPOSITE


@kernel
def leaving_speed_of(i, w, h, speeds, table):
    """Speed at which particle i leaves its wall w [m/s]."""
    total = 0.0
    for axis in range(3):
        total += table.plane[w, axis] * (speeds[i, axis] - table.plane[w, MOTION + axis] / h)
    return total


@kernel
def add_wall_dv(first, stop, out):
    """Add the velocity changes by all walls of a particle, along each contact, to `deficit`; contacts: first : stop."""
    for c in range(first, stop):
        for other in range(first, stop):
            for axis in range(3):
                out.solve.deficit[c] += out.solve.wall_dv[other] * out.arm[other, axis] * out.arm[c, axis]
        out.solve.dv[c] = 0.0


@kernel
def set_arm(c, i, w, body, rows, origin, table, met, out):
    """Set the direction of a contact, and its moment about the centre of a rigid body."""
    nx, ny, nz = table.plane[w, 0], table.plane[w, 1], table.plane[w, 2]
    rx = ry = rz = 0.0
    if body >= 0:
        rx = rows[i, 0] + origin[0] - met.centre[body, 0]
        ry = rows[i, 1] + origin[1] - met.centre[body, 1]
        rz = rows[i, 2] + origin[2] - met.centre[body, 2]
    arm = out.arm[c]
    arm[0], arm[1], arm[2] = nx, ny, nz
    arm[3], arm[4], arm[5] = ry * nz - rz * ny, rz * nx - rx * nz, rx * ny - ry * nx
    out.solve.impulse[c], out.solve.case[c] = 0.0, 0
