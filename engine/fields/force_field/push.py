"""Sums of all force fields at all particles.

A particle's sum over fields is (a, c, d, B, w): acceleration, damping rate and damping rate over speed, magnetic field
and wind. `give` applies it to velocities. w is the fraction `wind_factor` of the acceleration, for particles on a face
on which the air acts: `fields.air` applies it.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from .hold import NEAR, STIFF
from .laws.falloff import falloff, offset
from .laws.law import brake, magnetic, static_force
from .laws.nearest import nearest_on_surface
from .laws.noise import random_noise
from .laws.plain import add_plain, is_plain
from .laws.rows import DRAG, HARMONIC, POINTS, SURFACE, TEXTURE
from .laws.scratch import (
    AX,
    AY,
    AZ,
    BLOCK,
    BX,
    CODES,
    COLUMNS,
    DOUBLES,
    GROUP,
    ON_FACE,
    RATE,
    RATE_BY_SPEED,
    SHARPNESS,
    SINGLES,
    TOTALS,
    WX,
    FieldScratch,
    X,
    Y,
    Z,
)
from .laws.texture import texture_force

NOUGHT, ONE = np.float32(0.0), np.float32(1.0)
# Lower bound of distances [m].
FLOOR = 1e-12


@part_of_kernel
def _add_field(row, sources, at, size, on_face, weight, chance, place, singles, k):
    """Add one field, acting from one place, to a particle's sums in lane k of `singles`.

    Args: at: the particle's position; weight: includes the fraction that colliders let through; chance: two random
        numbers; place: point and normal of a surface or vertex.
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
    singles[k + SHARPNESS] = max(singles[k + SHARPNESS], np.float32(row.sharp / max(distance, FLOOR)))
    strength = row.strength + row.noise * chance[0]
    damping = row.damping
    if row.law == HARMONIC or row.law == DRAG:
        damping += row.noise * chance[1]
    amplitude = strength * left
    if row.law == TEXTURE:
        a = texture_force(row, sources.samples, amplitude, n, o)
    elif row.law == DRAG:
        a = (0.0, 0.0, 0.0)
    else:
        a = static_force(row, sources, strength, left, n, p, o, size)
    wind_fraction = row.wind if on_face else 0.0
    rest = 1.0 - wind_fraction
    for axis in range(3):
        singles[k + AX + BLOCK * axis] += np.float32(rest * a[axis])
        singles[k + WX + BLOCK * axis] += np.float32(wind_fraction * a[axis])
    if row.law != TEXTURE:
        rate, rate_by_speed = brake(row, strength, damping, left)
        singles[k + RATE] += np.float32(rest * rate)
        singles[k + RATE_BY_SPEED] += np.float32(rest * rate_by_speed)
        b = magnetic(row, rest * amplitude, n, p)
        for axis in range(3):
            singles[k + BX + BLOCK * axis] += np.float32(b[axis])


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
def _add_one(row, mesh, sources, moving, m, weight, salt, moment, scratch, k):
    """Add a field to the sums of moving particle m, in lane k of a `FieldScratch`."""
    i, number = moving.ids[m], moving.number[m]
    chance = (0.0, 0.0)
    if row.noise > 0.0:
        chance = (
            random_noise(row.seed, salt, moment.frame, number),
            random_noise(row.seed + 128, salt, moment.frame, number),
        )
    if row.screen >= 0:
        weight *= sources.screens[m, row.screen]
    at = (scratch.doubles[k + X], scratch.doubles[k + Y], scratch.doubles[k + Z])
    first, stop = _places(row, number)
    for p in range(first, stop):
        place = _place(row, mesh, at, moving.v, i, p, moment.ahead)
        _add_field(row, sources, at, moving.size[i], moving.on_face[m], weight, chance, place, scratch.singles, k)


@part_of_kernel
def _collect(doubles, singles):
    """Add the sums of some fields to the totals, and clear them."""
    for k in range(COLUMNS * BLOCK):
        doubles[k + TOTALS] += singles[k + AX]
        singles[k + AX] = NOUGHT


@part_of_kernel
def _fill(moving, first, count, lead, scratch):
    """Write the predicted positions of a block's particles. Lanes beyond the last particle repeat it."""
    doubles, singles, start = scratch.doubles, scratch.singles, moving.ids[first]
    for k in range(count):
        i = start + k
        doubles[k + X] = moving.x[i, 0] + lead * moving.v[i, 0]
        doubles[k + Y] = moving.x[i, 1] + lead * moving.v[i, 1]
        doubles[k + Z] = moving.x[i, 2] + lead * moving.v[i, 2]
        singles[k + ON_FACE] = ONE if moving.on_face[first + k] else NOUGHT
    for k in range(count, BLOCK):
        for axis in range(3):
            doubles[k + X + BLOCK * axis] = doubles[count - 1 + X + BLOCK * axis]
        singles[k + ON_FACE] = NOUGHT


@part_of_kernel
def _begin_sums(base, block, singles):
    """Initialize sums with those of other fields, if there are any, else with 0."""
    for k in range(BLOCK):
        singles[k + SHARPNESS] = NOUGHT
    if base.shape[0] == 0:
        for k in range(COLUMNS * BLOCK):
            singles[k + AX] = NOUGHT
        return
    other = base[block]
    for k in range(COLUMNS * BLOCK):
        singles[k + AX] = other[k]


@kernel
def _is_near(moving, first, count, interval, singles):
    """Whether a particle of a block comes near a singularity of a field; see `hold`."""
    v, start = moving.v, moving.ids[first]
    for k in range(count):
        if singles[k + SHARPNESS] > NOUGHT:
            i = start + k
            ax, ay, az = float(singles[k + AX]), float(singles[k + AY]), float(singles[k + AZ])
            speed = math.sqrt(v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2])
            path = interval * (speed + 0.5 * interval * math.sqrt(ax * ax + ay * ay + az * az))
            if not path * singles[k + SHARPNESS] < NEAR:
                return True
    return False


@kernel
def _add_all(rows, mesh, sources, moving, bodies, moment, block, scratch):
    """Add all fields to the sums of a block; returns whether one of them is stiff, see `hold`."""
    first, body = moving.first[block], moving.body[block]
    stiff, added = False, 0
    for f in range(rows.shape[0]):
        row, weight = rows[f], bodies.weights[body, f]
        if not weight > 0.0:
            continue
        if added == GROUP:
            _collect(scratch.doubles, scratch.singles)
            added = 0
        added += 1
        stiff = stiff or weight * row.stiff * moment.interval**2 > STIFF * STIFF
        if is_plain(row):
            add_plain(row, weight, sources, scratch)
            continue
        for k in range(moving.stop[block] - first):
            _add_one(row, mesh, sources, moving, first + k, weight, bodies.salt[body], moment, scratch, k)
    return stiff


@kernel
def _evaluate_block(rows, mesh, sources, moving, bodies, moment, block, base, held, scratch):
    """Evaluate a block; returns whether it is evaluated in every substep."""
    first, singles, totals = moving.first[block], scratch.singles, scratch.doubles
    count = moving.stop[block] - first
    _fill(moving, first, count, moment.lead, scratch)
    _begin_sums(base, block, singles)
    many = rows.shape[0] > GROUP
    if many:
        for k in range(COLUMNS * BLOCK):
            totals[k + TOTALS] = 0.0
    near = _add_all(rows, mesh, sources, moving, bodies, moment, block, scratch)
    if many:
        for k in range(COLUMNS * BLOCK):
            singles[k + AX] = np.float32(totals[k + TOTALS] + singles[k + AX])
    own = held[block]
    for k in range(COLUMNS * BLOCK):
        own[k] = singles[k + AX]
    return near or _is_near(moving, first, count, moment.interval, singles)


@kernel
def _evaluate_task(rows, mesh, sources, moving, bodies, moment, task, base, held, scratch):
    blocks, tasks = moving.first.shape[0], scratch.doubles.shape[0] // DOUBLES
    own = FieldScratch(
        scratch.doubles[task * DOUBLES : (task + 1) * DOUBLES], scratch.singles[task * SINGLES : (task + 1) * SINGLES],
        scratch.codes[task * CODES : (task + 1) * CODES],
    )
    near = moving.near
    for block in range(blocks * task // tasks, blocks * (task + 1) // tasks):
        if moment.is_due or near[block]:
            is_near = _evaluate_block(rows, mesh, sources, moving, bodies, moment, block, base, held, own)
            if moment.is_due:
                near[block] = is_near


@parallel_kernel
def evaluate(rows, mesh, sources, moving, bodies, moment, base, held, scratch):
    """Sums of some fields into `held`: for all particles if `moment.is_due`, else for those of blocks in `moving.near`.

    Args:
        rows: (f,) ROW; mesh: `Meshes` of all; moment: a `Moment`; scratch: a `FieldScratch` of all tasks.
        base: (blocks, COLUMNS * BLOCK) float32 sums of other fields to add, or no rows; held: out, likewise.
    """
    for task in prange(scratch.doubles.shape[0] // DOUBLES):
        _evaluate_task(rows, mesh, sources, moving, bodies, moment, task, base, held, scratch)
