"""Velocity that all force fields give to all particles in a substep.

A particle's sum over fields is (a, c, B, w): acceleration, damping rate, magnetic field and wind. In a substep h its
velocity becomes

    v + h a - min(h c, 1) v,   then rotated about B by the Boris rotation, t = h B / 2:
    v' = v + v x t,  v = v + 2 v' x t / (1 + t²)

so that damping never reverses a velocity and a magnetic field adds no energy. (With one substep a frame the rotation is
v += h v x B instead, the Euler step that Blender's particles take.) w is the part `wind_factor` of a, for particles on
a face that feels the air: `fields.air` applies it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from .give import give_block, turn_into_changes
from .laws.falloff import falloff, offset
from .laws.law import brake, magnetic, static_force
from .laws.nearest import nearest_on_surface
from .laws.noise import gust
from .laws.plain import (
    AX,
    BLOCK,
    BX,
    ON_FACE,
    RATE,
    ROOM,
    SUMS,
    VX,
    WEIGHT,
    WX,
    X,
    add_plain,
    is_plain,
)
from .laws.rows import DRAG, HARMONIC, POINTS, SURFACE, TEXTURE
from .laws.texture import texture_force

# Columns of a sum: acceleration, damping rate, magnetic field, wind.
COLUMNS = 10


class Moving(NamedTuple):
    """Particles that fields act on.

    Attributes:
        x, v: (n, 3) [m], [m/s]; size: (n,) radius [m]; inv_mass: (n,) [1/kg], 0 for those that are not free.
        ids: (m,) moving particles; body: (m,) body of each; number: (m,) index within the body.
        on_face: (m,) whether it belongs to a face that feels the air.
    """

    x: np.ndarray
    v: np.ndarray
    size: np.ndarray
    inv_mass: np.ndarray
    ids: np.ndarray
    body: np.ndarray
    number: np.ndarray
    on_face: np.ndarray


class Bodies(NamedTuple):
    """Response of bodies to fields.

    Attributes:
        weights: (bodies, fields); response: (bodies,) 1, or 1/kg where fields give newtons.
        lift: (bodies, 3) added to gravity [m/s²]; salt: (bodies,) int64, seed of its random numbers.
    """

    weights: np.ndarray
    response: np.ndarray
    lift: np.ndarray
    salt: np.ndarray


class Sources(NamedTuple):
    """Data of the fields.

    Attributes:
        samples: (s, 4) float32 of their textures; permutation, slopes: of turbulence, see `noise.Lattice`.
        screens: (m, screened fields) what colliders let through to each moving particle.
    """

    samples: np.ndarray
    permutation: np.ndarray
    slopes: np.ndarray
    screens: np.ndarray


class Moment(NamedTuple):
    """Time of a field evaluation.

    Attributes:
        h: length of the substep [s]; 0 stores the sums instead.
        ahead: time by which a particle is extrapolated for the nearest point of a surface [s].
        frame: its number, for random numbers.
        turns: whether magnetic fields rotate velocities, and so add no energy; else v += h v x B.
    """

    h: float
    ahead: float
    frame: int
    turns: bool


@part_of_kernel
def _add_field(row, sources, moving, i, weight, chance, place, held_off, wind_share, room, k):
    """Add one field, acting from one place, to a particle's sums at k of a block's scratch array `room`.

    Args: chance: two random numbers; place: point and normal of a surface or vertex; held_off: what colliders let
        through.
    """
    x, y, z = moving.x[i, 0], moving.x[i, 1], moving.x[i, 2]
    o = (x - row.origin[0], y - row.origin[1], z - row.origin[2])
    if row.form == SURFACE or row.form == POINTS:
        n = (place[3], place[4], place[5])
        p = (x - place[0], y - place[1], z - place[2])
    else:
        n = (row.axis[0], row.axis[1], row.axis[2])
        p = offset(row, o[0], o[1], o[2])
    distance = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    left = weight * held_off * falloff(row, n[0], n[1], n[2], distance, o[0], o[1], o[2])
    if not left > 0.0:
        return
    strength = row.strength + row.noise * chance[0]
    damping = row.damping
    if row.law == HARMONIC or row.law == DRAG:
        damping += row.noise * chance[1]
    whole = strength * left
    if row.law == TEXTURE:
        a = texture_force(row, sources.samples, whole, n, o)
    elif row.law == DRAG:
        a = (0.0, 0.0, 0.0)
    else:
        a = static_force(row, sources, strength, left, n, p, o, moving.size[i])
    rest = 1.0 - wind_share
    for axis in range(3):
        room[k + AX + BLOCK * axis] += rest * a[axis]
        room[k + WX + BLOCK * axis] += wind_share * a[axis]
    if row.law != TEXTURE:
        room[k + RATE] += rest * brake(
            row, strength, damping, left, moving.v[i, 0], moving.v[i, 1], moving.v[i, 2]
        )
        b = magnetic(row, rest * whole, n, p)
        for axis in range(3):
            room[k + BX + BLOCK * axis] += b[axis]


@part_of_kernel
def _places(row, number):
    """Range of the places from which a field acts on a particle: vertices of its mesh, or one."""
    if row.form != POINTS:
        return 0, 1
    first, stop = row.first_vertex, row.stop_vertex
    if row.law == HARMONIC:
        first += number % (stop - first)
        stop = first + 1
    return first, stop


@part_of_kernel
def _place(row, mesh, moving, i, k, ahead):
    """Place k of a field for particle i, and the normal there."""
    if row.form == SURFACE:
        return nearest_on_surface(
            row, mesh, moving.x[i, 0] + ahead * moving.v[i, 0], moving.x[i, 1] + ahead * moving.v[i, 1],
            moving.x[i, 2] + ahead * moving.v[i, 2],
        )
    if row.form == POINTS:
        return (
            mesh.vertices[k, 0], mesh.vertices[k, 1], mesh.vertices[k, 2],
            mesh.normals[k, 0], mesh.normals[k, 1], mesh.normals[k, 2],
        )
    return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@part_of_kernel
def _add_one(row, mesh, sources, moving, m, bodies, weight, moment, room, k):
    """Add a field to the sums of moving particle m, at k of `room`."""
    i, body, number = moving.ids[m], moving.body[m], moving.number[m]
    chance = (0.0, 0.0)
    if row.noise > 0.0:
        salt = bodies.salt[body]
        chance = (gust(row.seed, salt, moment.frame, number), gust(row.seed + 128, salt, moment.frame, number))
    held_off = sources.screens[m, row.screen] if row.screen >= 0 else 1.0
    wind_share = row.wind if moving.on_face[m] else 0.0
    first, stop = _places(row, number)
    for p in range(first, stop):
        place = _place(row, mesh, moving, i, p, moment.ahead)
        _add_field(row, sources, moving, i, weight, chance, place, held_off, wind_share, room, k)


@part_of_kernel
def _weigh(weights, f, moving, first, stop, room):
    """Write the weight of field f for each particle of a block; returns whether any is above 0."""
    one = weights[moving.body[first], f]
    if moving.body[stop - 1] == moving.body[first]:
        for k in range(BLOCK):
            room[k + WEIGHT] = one
        return one > 0.0
    most = 0.0
    for m in range(first, stop):
        room[m - first + WEIGHT] = max(weights[moving.body[m], f], 0.0)
        most = max(most, room[m - first + WEIGHT])
    return most > 0.0


@part_of_kernel
def _add_all(rows, mesh, sources, moving, bodies, moment, first, stop, room):
    """Add all fields to the sums of a block."""
    for f in range(rows.shape[0]):
        row = rows[f]
        if is_plain(row):
            if _weigh(bodies.weights, f, moving, first, stop, room):
                add_plain(row, sources, room)
            continue
        for m in range(first, stop):
            weight = bodies.weights[moving.body[m], f]
            if weight > 0.0:
                _add_one(row, mesh, sources, moving, m, bodies, weight, moment, room, m - first)


@part_of_kernel
def _fill_room(moving, first, stop, room):
    """Write positions and velocities of a block's particles; rows beyond the last are left as they are and unused."""
    for m in range(first, stop):
        i, k = moving.ids[m], m - first
        for axis in range(3):
            room[k + X + BLOCK * axis] = moving.x[i, axis]
            room[k + VX + BLOCK * axis] = moving.v[i, axis]
        room[k + ON_FACE] = 1.0 if moving.on_face[m] else 0.0


@kernel
def _act_on_block(rows, mesh, sources, moving, bodies, moment, block, held, room, given):
    first, stop = block * BLOCK, min((block + 1) * BLOCK, moving.ids.shape[0])
    _fill_room(moving, first, stop, room)
    known = held.shape[1] > 0 and moment.h > 0.0
    for column in range(COLUMNS):
        for m in range(first, stop):
            room[SUMS + BLOCK * column + m - first] = held[column, m] if known else 0.0
    _add_all(rows, mesh, sources, moving, bodies, moment, first, stop, room)
    if moment.h > 0.0:
        turn_into_changes(bodies, moving, room, first, stop, moment.h, moment.turns)
        give_block(moving, bodies, room, first, stop, moment.h, given)
        return
    for column in range(COLUMNS):
        for m in range(first, stop):
            held[column, m] = room[SUMS + BLOCK * column + m - first]


@kernel
def _act_on_share(rows, mesh, sources, moving, bodies, moment, task, held, room, given):
    blocks = (moving.ids.shape[0] + BLOCK - 1) // BLOCK
    tasks = room.shape[0] // ROOM
    own = room[task * ROOM : (task + 1) * ROOM]
    for block in range(blocks * task // tasks, blocks * (task + 1) // tasks):
        _act_on_block(rows, mesh, sources, moving, bodies, moment, block, held, own, given)


@parallel_kernel
def act_on_all(rows, mesh, sources, moving, bodies, moment, held, room, given):
    """Apply all fields for a substep: free particles change their velocity.

    With h = 0 the sums go into `held` instead, and are added to those of other fields until the next such call.

    Args:
        rows: (f,) ROW; mesh: `Meshes` of all; moment: a `Moment`.
        held: (COLUMNS, m) float32, or (COLUMNS, 0) for none; room: (tasks * ROOM,) scratch of each task.
        given: out (m, 6), the change of velocity of particles that are not free, and the wind at faces [m/s].
    """
    for task in prange(room.shape[0] // ROOM):
        _act_on_share(rows, mesh, sources, moving, bodies, moment, task, held, room, given)
