"""Sums of all force fields at all particles.

A particle's sum over fields is (a, c, d, B, w): acceleration, damping rate and damping rate over speed, magnetic field
and wind. `give` applies it to velocities. w is the part `wind_factor` of the acceleration, for particles on a face that
feels the air: `fields.air` applies it.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from .hold import NEAR, STIFF
from .laws.falloff import falloff, offset
from .laws.law import brake, magnetic, static_force
from .laws.nearest import nearest_on_surface
from .laws.noise import gust
from .laws.plain import add_plain, is_plain
from .laws.room import (
    AX,
    AY,
    AZ,
    BLOCK,
    BX,
    CODES,
    COLUMNS,
    GROUP,
    ON_FACE,
    PLACE,
    RATE,
    RATE_BY_SPEED,
    ROOM,
    SHARPNESS,
    TOTALS,
    WX,
    BlockRoom,
    X,
    Y,
    Z,
)
from .laws.rows import DRAG, HARMONIC, POINTS, SURFACE, TEXTURE
from .laws.texture import texture_force

NOUGHT, ONE = np.float32(0.0), np.float32(1.0)
# Distances below this count as this [m].
FLOOR = 1e-12


@part_of_kernel
def _add_field(row, sources, at, size, on_face, weight, chance, place, room, k):
    """Add one field, acting from one place, to a particle's sums at k of `room`.

    Args: at: the particle's place; weight: what colliders let through included; chance: two random numbers;
        place: point and normal of a surface or vertex.
    """
    o = (at[0] - row.origin[0], at[1] - row.origin[1], at[2] - row.origin[2])
    if row.form == SURFACE or row.form == POINTS:
        n = (place[3], place[4], place[5])
        p = (at[0] - place[0], at[1] - place[1], at[2] - place[2])
    else:
        n = (row.axis[0], row.axis[1], row.axis[2])
        p = offset(row, o[0], o[1], o[2])
    distance = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    left = weight * falloff(row, n[0], n[1], n[2], distance, o[0], o[1], o[2])
    if not left > 0.0:
        return
    room[k + SHARPNESS] = max(room[k + SHARPNESS], np.float32(row.sharp / max(distance, FLOOR)))
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
        a = static_force(row, sources, strength, left, n, p, o, size)
    wind_share = row.wind if on_face else 0.0
    rest = 1.0 - wind_share
    for axis in range(3):
        room[k + AX + BLOCK * axis] += np.float32(rest * a[axis])
        room[k + WX + BLOCK * axis] += np.float32(wind_share * a[axis])
    if row.law != TEXTURE:
        rate, rate_by_speed = brake(row, strength, damping, left)
        room[k + RATE] += np.float32(rest * rate)
        room[k + RATE_BY_SPEED] += np.float32(rest * rate_by_speed)
        b = magnetic(row, rest * whole, n, p)
        for axis in range(3):
            room[k + BX + BLOCK * axis] += np.float32(b[axis])


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
def _place(row, mesh, at, v, i, k, ahead):
    """Place k of a field for particle i, and the normal there."""
    if row.form == SURFACE:
        return nearest_on_surface(
            row, mesh, at[0] + ahead * v[i, 0], at[1] + ahead * v[i, 1], at[2] + ahead * v[i, 2]
        )
    if row.form == POINTS:
        return (
            mesh.vertices[k, 0], mesh.vertices[k, 1], mesh.vertices[k, 2],
            mesh.normals[k, 0], mesh.normals[k, 1], mesh.normals[k, 2],
        )
    return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@part_of_kernel
def _add_one(row, mesh, sources, moving, m, weight, salt, moment, room, k):
    """Add a field to the sums of moving particle m, at k of a `BlockRoom`."""
    i, number = moving.ids[m], moving.number[m]
    chance = (0.0, 0.0)
    if row.noise > 0.0:
        chance = (gust(row.seed, salt, moment.frame, number), gust(row.seed + 128, salt, moment.frame, number))
    if row.screen >= 0:
        weight *= sources.screens[m, row.screen]
    at = (room.place[k + X], room.place[k + Y], room.place[k + Z])
    first, stop = _places(row, number)
    for p in range(first, stop):
        place = _place(row, mesh, at, moving.v, i, p, moment.ahead)
        _add_field(row, sources, at, moving.size[i], moving.on_face[m], weight, chance, place, room.room, k)


@part_of_kernel
def _collect(place, room):
    """Add the sums of some fields to the totals, and clear them."""
    for k in range(COLUMNS * BLOCK):
        place[k + TOTALS] += room[k + AX]
        room[k + AX] = NOUGHT


@part_of_kernel
def _fill(moving, first, count, lead, room):
    """Write where a block's particles will be. Lanes beyond the last particle repeat it."""
    place, numbers, start = room.place, room.room, moving.ids[first]
    for k in range(count):
        i = start + k
        place[k + X] = moving.x[i, 0] + lead * moving.v[i, 0]
        place[k + Y] = moving.x[i, 1] + lead * moving.v[i, 1]
        place[k + Z] = moving.x[i, 2] + lead * moving.v[i, 2]
        numbers[k + ON_FACE] = ONE if moving.on_face[first + k] else NOUGHT
    for k in range(count, BLOCK):
        for axis in range(3):
            place[k + X + BLOCK * axis] = place[count - 1 + X + BLOCK * axis]
        numbers[k + ON_FACE] = NOUGHT


@part_of_kernel
def _begin_sums(base, block, room):
    """Sums begin with those of other fields, where there are any."""
    for k in range(BLOCK):
        room[k + SHARPNESS] = NOUGHT
    if base.shape[0] == 0:
        for k in range(COLUMNS * BLOCK):
            room[k + AX] = NOUGHT
        return
    other = base[block]
    for k in range(COLUMNS * BLOCK):
        room[k + AX] = other[k]


@kernel
def _is_near(moving, first, count, interval, room):
    """Whether a particle of a block comes near a place where a field is singular; see `hold`."""
    v, start = moving.v, moving.ids[first]
    for k in range(count):
        if room[k + SHARPNESS] > NOUGHT:
            i = start + k
            ax, ay, az = float(room[k + AX]), float(room[k + AY]), float(room[k + AZ])
            speed = math.sqrt(v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2])
            path = interval * (speed + 0.5 * interval * math.sqrt(ax * ax + ay * ay + az * az))
            if not path * room[k + SHARPNESS] < NEAR:
                return True
    return False


@kernel
def _add_all(rows, mesh, sources, moving, bodies, moment, block, room):
    """Add all fields to the sums of a block; returns whether one of them is stiff, see `hold`."""
    first, body = moving.first[block], moving.body[block]
    stiff, added = False, 0
    for f in range(rows.shape[0]):
        row, weight = rows[f], bodies.weights[body, f]
        if not weight > 0.0:
            continue
        if added == GROUP:
            _collect(room.place, room.room)
            added = 0
        added += 1
        stiff = stiff or weight * row.stiff * moment.interval**2 > STIFF * STIFF
        if is_plain(row):
            add_plain(row, weight, sources, room)
            continue
        for k in range(moving.stop[block] - first):
            _add_one(row, mesh, sources, moving, first + k, weight, bodies.salt[body], moment, room, k)
    return stiff


@kernel
def _evaluate_block(rows, mesh, sources, moving, bodies, moment, block, base, held, room):
    """Evaluate a block; returns whether it is evaluated in every substep."""
    first, numbers, totals = moving.first[block], room.room, room.place
    count = moving.stop[block] - first
    _fill(moving, first, count, moment.lead, room)
    _begin_sums(base, block, numbers)
    many = rows.shape[0] > GROUP
    if many:
        for k in range(COLUMNS * BLOCK):
            totals[k + TOTALS] = 0.0
    near = _add_all(rows, mesh, sources, moving, bodies, moment, block, room)
    if many:
        for k in range(COLUMNS * BLOCK):
            numbers[k + AX] = np.float32(totals[k + TOTALS] + numbers[k + AX])
    own = held[block]
    for k in range(COLUMNS * BLOCK):
        own[k] = numbers[k + AX]
    return near or _is_near(moving, first, count, moment.interval, numbers)


@kernel
def _evaluate_share(rows, mesh, sources, moving, bodies, moment, task, base, held, room):
    blocks, tasks = moving.first.shape[0], room.place.shape[0] // PLACE
    own = BlockRoom(
        room.place[task * PLACE : (task + 1) * PLACE], room.room[task * ROOM : (task + 1) * ROOM],
        room.codes[task * CODES : (task + 1) * CODES],
    )
    near = moving.near
    for block in range(blocks * task // tasks, blocks * (task + 1) // tasks):
        if moment.is_due or near[block]:
            is_near = _evaluate_block(rows, mesh, sources, moving, bodies, moment, block, base, held, own)
            if moment.is_due:
                near[block] = is_near


@parallel_kernel
def evaluate(rows, mesh, sources, moving, bodies, moment, base, held, room):
    """Sums of some fields for all particles into `held`, or if none is due for those of blocks in `moving.near`.

    Args:
        rows: (f,) ROW; mesh: `Meshes` of all; moment: a `Moment`; room: a `BlockRoom` of all tasks.
        base: (blocks, COLUMNS * BLOCK) float32 sums of other fields to add, or no rows; held: out, likewise.
    """
    for task in prange(room.place.shape[0] // PLACE):
        _evaluate_share(rows, mesh, sources, moving, bodies, moment, task, base, held, room)
