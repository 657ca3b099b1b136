"""Contacts of a fluid's particles with bodies that answer, see `exchange`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel
from ..density import WAY, from_wall

# Contacts are listed up to so many clearances from a wall.
LISTED = 4.0
BENDS, STANDS = -1, -2
# A particle between a body and a wall that stands counts as so many; their normals are opposite from this cosine on.
HELD, OPPOSITE = 1000.0, 0.9


class Solve(NamedTuple):
    """What the impulses of contacts are found with, see `exchange`; nothing reads it after a step.

    Attributes:
        need: (c,) change of relative velocity [m/s]; took: (c,) that the particle has had; impulse: (c,) [kg m/s].
        first: (c,) int64, the first contact of the same particle; kick: (c, 3) there, what the impulses of all of them
            give the particle [m/s]; lack: (c,) how much nearer than allowed it would be without them, over h [m/s].
        gain, ahead: (c,) changes of impulses of corners [kg m/s].
        held: (c,) bool, whether a wall that stands holds the particle, see `squeeze`.
        slack: (c,) how fast a whole body may come to the particle and not push it more [m/s]; case: (c,) int64, which
            part of the law holds, see `wholes`; matrix: (b, 6, 7) equations of whole bodies;
            way: (b, 6) that their velocities go in a step of Newton's method; slope: (b,) along it.
    """

    need: np.ndarray
    took: np.ndarray
    impulse: np.ndarray
    first: np.ndarray
    kick: np.ndarray
    lack: np.ndarray
    gain: np.ndarray
    ahead: np.ndarray
    held: np.ndarray
    slack: np.ndarray
    case: np.ndarray
    matrix: np.ndarray
    way: np.ndarray
    slope: np.ndarray


class Contacts(NamedTuple):
    """Contacts of particles with bodies that answer.

    Attributes:
        close_row, close_wall: (c,) int64, each wall of bodies that answer, contact or not: sorted particle, wall.
        row, wall: (c,) int64, sorted particle and its wall; mass: (c,) of the particle [kg]; arm: (c, 6) n and r x n.
        gap: (c,) between the particle and what bends after the step, less the clearance [m].
        away: (c,) of the particle from what bends after the step, but for what that is pushed by in it [m].
        solve: room for `exchange`.
    """

    close_row: np.ndarray
    close_wall: np.ndarray
    row: np.ndarray
    wall: np.ndarray
    mass: np.ndarray
    arm: np.ndarray
    gap: np.ndarray
    away: np.ndarray
    solve: Solve


def contacts_of(capacity: int, wholes: int) -> Contacts:
    """Room for contacts."""
    solve = Solve(
        *(np.zeros(capacity) for _ in range(3)), np.zeros(capacity, np.int64), np.zeros((capacity, 3)),
        *(np.zeros(capacity) for _ in range(3)), np.zeros(capacity, np.bool_), np.zeros(capacity),
        np.zeros(capacity, np.int64), np.zeros((wholes, 6, 7)), np.zeros((wholes, 6)), np.zeros(wholes),
    )
    return Contacts(
        *(np.zeros(capacity, np.int64) for _ in range(4)), np.zeros(capacity), np.zeros((capacity, 6)),
        *(np.zeros(capacity) for _ in range(2)), solve,
    )


@kernel
def list_contacts(rows, speeds, origin, sizes, lightness, table, met, out):
    """List the contacts of particles, and their walls of bodies that answer; beside what bends, all walls.

    Returns how many contacts and how many of these walls there are; what has no room is left out.

    Args:
        rows: (p, 4) near the origin (3,), where particles are now; speeds: (p, 4) [m/s].
        sizes: see `exchange.share_pushes`.
        table: a `WallTable` with what walls pushed by [m]; met: `MetColumns`; out: `Contacts`.
    """
    found = close = 0
    for task in range(table.found.shape[0]):
        at = table.begin[task]
        while at < table.begin[task] + table.found[task]:
            # Most walls stand.
            if met.answers[table.triangle[at]] == STANDS:
                at += 1
                continue
            i = table.owner[at]
            found, close = list_contacts_of(i, found, close, rows, speeds, origin, sizes, lightness, table, met, out)
            at = table.stop[i]
    return found, close


@kernel
def list_contacts_of(i, found, close, rows, speeds, origin, sizes, lightness, table, met, out):
    """List the contacts of particle i, see `list_contacts`; found, close: what is listed already."""
    h, clearance, unit, _limit, rigid = sizes
    first, bends = found, False
    for w in range(table.first[i], table.stop[i]):
        bends |= met.answers[table.triangle[w]] == BENDS
    for w in range(table.first[i], table.stop[i]):
        whole = met.answers[table.triangle[w]]
        if whole == STANDS and not bends:
            continue
        if close < out.row.shape[0]:
            out.close_row[close], out.close_wall[close] = i, w
        close += 1
        took = 0.0
        for axis in range(3):
            took += table.plane[w, axis] * table.push[w, axis]
        room = from_wall(rows, i, table.plane, w) - clearance
        if took <= 0.0 and room > LISTED * clearance:
            continue
        if found < out.row.shape[0]:
            out.row[found], out.wall[found], out.mass[found] = i, w, unit / lightness[i]
            out.solve.took[found] = took / h
            out.solve.need[found] = took / h if took > 0.0 else -room / h
            out.solve.lack[found], out.solve.first[found] = -room / h, first
            leaves = speed_off(i, w, h, speeds, table) if took > 0.0 else 0.0
            out.solve.slack[found] = max(min(leaves, room / h), 0.0)
            out.solve.held[found] = False
            if 0 <= whole < rigid:
                squeeze(found, i, w, rows, h, clearance, table, met, out)
            set_arm(found, i, w, whole, rows, origin, table, met, out)
        found += 1
    if found <= out.row.shape[0]:
        add_pushes(first, found, out)
    return found, close


@kernel
def squeeze(c, i, w, rows, h, clearance, table, met, out):
    """A particle between a rigid body's wall w and one that stands, closer than twice the clearance, stops the body.

    What stands bears what the particle is pressed by, so it counts as HELD times as heavy. What is so near already is
    not set apart: the particle may leave along the walls, as the fluid presses it.
    """
    for other in range(table.first[i], table.stop[i]):
        if met.answers[table.triangle[other]] != STANDS or not is_opposite(w, other, table):
            continue
        closes = 0.0
        for axis in range(3):
            closes += table.plane[w, axis] * table.plane[w, WAY + axis]
            closes += table.plane[other, axis] * table.plane[other, WAY + axis]
        gap = from_wall(rows, i, table.plane, w) + from_wall(rows, i, table.plane, other)
        tight = 2.0 * clearance - gap
        if tight <= 0.0:
            continue
        if not out.solve.held[c]:
            out.solve.held[c] = True
            out.mass[c] *= HELD
            out.solve.need[c] = out.solve.slack[c] = 0.0
        out.solve.need[c] = max(out.solve.need[c], min(tight, closes) / h)


@kernel
def is_opposite(w, other, table):
    """Whether two walls face each other."""
    against = 0.0
    for axis in range(3):
        against -= table.plane[w, axis] * table.plane[other, axis]
    return against > OPPOSITE


@kernel
def speed_off(i, w, h, speeds, table):
    """How fast particle i leaves its wall w [m/s]."""
    total = 0.0
    for axis in range(3):
        total += table.plane[w, axis] * (speeds[i, axis] - table.plane[w, WAY + axis] / h)
    return total


@kernel
def add_pushes(first, stop, out):
    """Add what the walls of a particle have pushed it by, along each of them, to `lack`; its contacts: first : stop."""
    for c in range(first, stop):
        for other in range(first, stop):
            for axis in range(3):
                out.solve.lack[c] += out.solve.took[other] * out.arm[other, axis] * out.arm[c, axis]
        out.solve.kick[c] = 0.0


@kernel
def set_arm(c, i, w, whole, rows, origin, table, met, out):
    """Direction of a contact, and its moment about the centre of a whole body."""
    nx, ny, nz = table.plane[w, 0], table.plane[w, 1], table.plane[w, 2]
    rx = ry = rz = 0.0
    if whole >= 0:
        rx = rows[i, 0] + origin[0] - met.centre[whole, 0]
        ry = rows[i, 1] + origin[1] - met.centre[whole, 1]
        rz = rows[i, 2] + origin[2] - met.centre[whole, 2]
    arm = out.arm[c]
    arm[0], arm[1], arm[2] = nx, ny, nz
    arm[3], arm[4], arm[5] = ry * nz - rz * ny, rz * nx - rx * nz, rx * ny - ry * nx
    out.solve.impulse[c], out.solve.case[c] = 0.0, 0
