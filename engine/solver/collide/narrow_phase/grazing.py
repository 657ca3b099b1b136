"""Side of a sheet for a particle that starts a substep in the sheet, or almost in it.

A sheet has no inside: it keeps a particle on the side on which the particle was. Soft bodies do the same to each other.
A crate that stood exactly on a floor was on neither side, and rounding, or a contact solved to a fraction of a
millimetre, put it on the wrong one: it fell halfway through. So a particle of a closed body that starts in the plane is
on the side from which its faces face the sheet; for a soft body, which may be crumpled, the centre of the body must be
there too. A particle that starts a little beyond an immovable sheet, up to the contact distance and its slack, changes
to that side if both agree. In the first frame so does a particle of a rigid body, and one in front of a rigid body.
Later, around a fold of a soft sheet or a dent of a rigid body, neither criterion is reliable: a vertex 4 mm over a fold
passed it freely. Otherwise a particle that starts in the plane is outside a closed body, and on the upper side of any
other sheet, or on the side that an upright triangle faces.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel
from .nearest import span_normal
from .sweep import volume_at

# A particle starts in a sheet if it is nearer than this fraction of the rest separation.
EXACT = 1e-6
# Two directions decide the side if the cosine of their angle is at least this.
LEAST_COSINE = 0.1
# The centre of a body is the mean of this many of its particles.
SAMPLES = 8


@kernel
def grazed_side(i, t, before, keep, motion, surfaces):
    """Side of the sheet of triangle t for particle i: the sign of the result; 0 if the sign of `before` is the side.

    The size of the result is the volume, see `sweep.volume_at`, by which the particle may still be beyond the sheet
    when the substep ends: no more than when it begins.

    Args: before: the volume at the start; keep: rest separation [m]; motion, surfaces: see `columns`.
    """
    x0 = motion.x0
    a = surfaces.corner[t, 0]
    b = surfaces.corner[t, 1]
    c = surfaces.corner[t, 2]
    nx, ny, nz = span_normal(x0, a, b, c)
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    exact = EXACT * keep * size
    beyond = exact
    is_held = motion.inv_mass[a] == 0.0 and motion.inv_mass[b] == 0.0 and motion.inv_mass[c] == 0.0
    if (is_held or motion.inv_mass[i] == 0.0) and (motion.begins or _is_static(a, motion)):
        beyond = (keep + (motion.slack[i] if is_held else 0.0)) * size
    if size <= 1e-150 or abs(before) > beyond:
        return 0.0
    if motion.body[i] == motion.body[a]:
        return exact if before == 0.0 else 0.0
    is_exact = abs(before) <= exact
    if surfaces.fan_start.shape[0] > 0:
        faced = _faced_side(i, nx, ny, nz, size, x0, surfaces)
        agrees = faced != 0.0 and faced * _middle_above(motion.body[i], a, b, c, x0, surfaces) > 0.0
        # Faces of a crumpled soft body may be inside out; those of a rigid body never are.
        if is_exact and (agrees or (faced != 0.0 and motion.inv_mass[i] == 0.0)):
            return faced * exact
        if agrees and faced * before < 0.0:
            return faced * abs(before)
    if not is_exact:
        return 0.0
    rises = nx * motion.up[0] + ny * motion.up[1] + nz * motion.up[2]
    return -exact if rises < -LEAST_COSINE * size and not surfaces.closed[t] else exact


@kernel
def _is_static(i, motion):
    """Whether a particle is immovable. Particles of rigid bodies have no inverse mass either, but they have slack."""
    return motion.inv_mass[i] == 0.0 and motion.slack[i] == 0.0


@kernel
def _faced_side(i, nx, ny, nz, size, x0, surfaces):
    """Side from which the faces at particle i face a plane with normal n, of length `size`; 0 for none."""
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
    if abs(along) <= LEAST_COSINE * size * math.sqrt(mx * mx + my * my + mz * mz):
        return 0.0
    return -1.0 if along > 0.0 else 1.0


@kernel
def _middle_above(body, a, b, c, x0, surfaces):
    """Volume, see `sweep.volume_at`, of the centre of a body over triangle a, b, c [m³]."""
    above = 0.0
    for k in range(SAMPLES):
        above += volume_at(x0, a, b, c, surfaces.sample[body, k])
    return above / SAMPLES
