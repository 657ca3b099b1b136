"""The side of a sheet on which a particle is that starts a substep in the sheet, or almost in it.

A sheet has no inside: it keeps a particle on the side on which the particle was. So does a soft body for another one. A
crate that stands exactly on a floor was on neither side, and rounding, or a contact solved to a part of a millimetre,
put it on the wrong one: it fell halfway through. So a particle of a closed body that starts in the plane is on the side
from which its faces face the sheet; for a soft body, which may be crumpled, the middle of the body must be there too. A
particle that starts a little beyond an immovable sheet, up to the contact distance and its slack, changes to that side
if both agree; in the first frame also one of a rigid body, and one before a rigid body. Later, around a fold of a soft
sheet or a dent of a rigid body, both are no witnesses: a vertex 4 mm over a fold passed it freely. Otherwise a particle
that starts in the plane is outside a closed body, and on the upper side of another sheet, or on the side that an
upright triangle faces.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel
from .nearest import span_normal
from .sweep import volume_at

# A particle starts in a sheet if it is nearer than this fraction of the distance that the contact keeps.
EXACT = 1e-6
# Cosine of the angle from which two directions decide.
LEANS = 0.1
# The middle of a body is the mean of so many of its particles.
SAMPLES = 8


@kernel
def grazed_side(i, t, before, keep, ways, surfaces):
    """Side of the sheet of triangle t for particle i: the sign of the result; 0 if `before` tells the side.

    The size of the result is the volume, see `sweep.volume_at`, by which the particle may still be beyond when the
    substep ends: no more than when it begins.

    Args: before: the volume at the start; keep: distance that the contact keeps [m]; ways, surfaces: see `columns`.
    """
    x0 = ways.x0
    a = surfaces.corner[t, 0]
    b = surfaces.corner[t, 1]
    c = surfaces.corner[t, 2]
    nx, ny, nz = span_normal(x0, a, b, c)
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    exact = EXACT * keep * size
    beyond = exact
    is_held = ways.inv_mass[a] == 0.0 and ways.inv_mass[b] == 0.0 and ways.inv_mass[c] == 0.0
    if (is_held or ways.inv_mass[i] == 0.0) and (ways.begins or _stands(a, ways)):
        beyond = (keep + (ways.slack[i] if is_held else 0.0)) * size
    if size <= 1e-150 or abs(before) > beyond:
        return 0.0
    if ways.body[i] == ways.body[a]:
        return exact if before == 0.0 else 0.0
    is_exact = abs(before) <= exact
    if surfaces.fan_start.shape[0] > 0:
        faced = _faced_side(i, nx, ny, nz, size, x0, surfaces)
        agrees = faced != 0.0 and faced * _middle_above(ways.body[i], a, b, c, x0, surfaces) > 0.0
        # Faces of a crumpled soft body may be turned inside out; those of a rigid body never are.
        if is_exact and (agrees or (faced != 0.0 and ways.inv_mass[i] == 0.0)):
            return faced * exact
        if agrees and faced * before < 0.0:
            return faced * abs(before)
    if not is_exact:
        return 0.0
    rises = nx * ways.up[0] + ny * ways.up[1] + nz * ways.up[2]
    return -exact if rises < -LEANS * size and not surfaces.closed[t] else exact


@kernel
def _stands(i, ways):
    """Whether a particle belongs to something immovable: those of rigid bodies have no inverse mass either."""
    return ways.inv_mass[i] == 0.0 and ways.slack[i] == 0.0


@kernel
def _faced_side(i, nx, ny, nz, size, x0, surfaces):
    """Side of a plane with normal n, of length `size`, on which the faces at particle i face it; 0 for none."""
    corner = surfaces.corner
    mx = 0.0
    my = 0.0
    mz = 0.0
    for place in range(surfaces.fan_start[i], surfaces.fan_start[i + 1]):
        t = surfaces.fan[place]
        fx, fy, fz = span_normal(x0, corner[t, 0], corner[t, 1], corner[t, 2])
        mx += fx
        my += fy
        mz += fz
    along = nx * mx + ny * my + nz * mz
    if abs(along) <= LEANS * size * math.sqrt(mx * mx + my * my + mz * mz):
        return 0.0
    return -1.0 if along > 0.0 else 1.0


@kernel
def _middle_above(body, a, b, c, x0, surfaces):
    """Volume, see `sweep.volume_at`, of the middle of a body over triangle a, b, c [m³]."""
    above = 0.0
    for k in range(SAMPLES):
        above += volume_at(x0, a, b, c, surfaces.sample[body, k])
    return above / SAMPLES
