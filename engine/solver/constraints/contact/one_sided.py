"""A contact in inner steps in which only one row moves, as on a collider; see `contacts`."""

from __future__ import annotations

from ....compiler.kernels import part_of_kernel
from ...collide.response.effective_mass_limits import least_weight, within_reach
from .impulses import friction_fraction, push_row


@part_of_kernel
def hold_one(m, moving, contacts, done, steps, h):
    """As `contacts.hold_apart` for a single pair m, reading each value once.

    Returns the kinetic energy removed [J], and impulse and moment, see `impulses.push_row`.
    """
    moved, reached, began = moving.moved, moving.reached, moving.began
    rows, sides, planes, creep = contacts.rows, contacts.sides, contacts.planes, contacts.creep
    r = rows[m, 0]
    part = sides[m, 0]
    nx = planes[m, 0]
    ny = planes[m, 1]
    nz = planes[m, 2]
    mx = float(moved[r, 0])
    my = float(moved[r, 1])
    mz = float(moved[r, 2])
    cx = creep[m, 0]
    cy = creep[m, 1]
    cz = creep[m, 2]
    away = nx * (part * mx + done * cx) + ny * (part * my + done * cy) + nz * (part * mz + done * cz)
    depth = -(contacts.separation[m] + away)
    w = float(moved[r, 3])
    if not depth > 0.0 or part == 0.0 or not w > 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    bx = float(began[r, 0])
    by = float(began[r, 1])
    bz = float(began[r, 2])
    # Displacement of the row, and relative displacement including the other side.
    vx = part * (mx - bx)
    vy = part * (my - by)
    vz = part * (mz - bz)
    ux = vx + cx
    uy = vy + cy
    uz = vz + cz
    along = nx * ux + ny * uy + nz * uz
    inv_mass_sum = part * part * w
    total_inv_mass = least_weight(inv_mass_sum, abs(part) * w)
    correction = min(depth, max(-along, 0.0))
    correction = within_reach(correction, along, nx * vx + ny * vy + nz * vz, total_inv_mass, inv_mass_sum)
    if correction <= 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    contacts.held[m] += correction * steps
    approach = nx * (part * (float(reached[r, 0]) - bx) + cx)
    approach += ny * (part * (float(reached[r, 1]) - by) + cy)
    approach += nz * (part * (float(reached[r, 2]) - bz) + cz)
    approach = min(max(approach, along), 0.0)
    stop = min(correction, -approach)
    ux -= along * nx
    uy -= along * ny
    uz -= along * nz
    friction = friction_fraction(planes[m, 3] * correction, ux * ux + uy * uy + uz * uz)
    displacement = (correction * nx - friction * ux, correction * ny - friction * uy, correction * nz - friction * uz)
    jx, jy, jz, tx, ty, tz = push_row(moving.at, began, moved, r, part, w, total_inv_mass, displacement, h)
    return -stop * (2.0 * approach + stop) / (2.0 * total_inv_mass * h * h), jx, jy, jz, tx, ty, tz
