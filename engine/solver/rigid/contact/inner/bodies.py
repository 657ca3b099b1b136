"""Motion of rigid bodies in the inner steps of soft ones, and the impulses that they take from contacts."""

from __future__ import annotations

from .....compiler.kernels import kernel, part_of_kernel
from ....constraints.contact.impulses import shift_rows
from ...sides import push_rate, rigid_way

# Columns of a body's impulses from soft particles in a substep: impulse (3), its moment about the centre at the start
# (3), impulse times its delay (3), the same for all contacts (3), for ties alone the moment times its delay (3), and
# impulse times its delay squared (3). A delay is minus the time from the start of the substep.
GAVE = 18


@kernel
def advance_bodies(g, h, bodies):
    """Begin an inner step of h [s]: bodies of island g move on; bodies: `columns.InnerBodies`."""
    kick, rate, way, gone = bodies.kick, bodies.rate, bodies.way, bodies.gone
    for place in range(bodies.of_bodies[g], bodies.of_bodies[g + 1]):
        b = bodies.body[place]
        for k in range(6):
            rate[b, k] += kick[b, k]
            way[b, k] = h * rate[b, k]
            gone[b, k] += way[b, k]
        for k in range(9):
            bodies.now[b, k] = 0.0


@kernel
def settle_bodies(g, late, h, bodies):
    """End an inner step of h [s]; late: minus the time since the substep began [s]; bodies: see `advance_bodies`."""
    velocity, rate, way, went = bodies.velocity, bodies.rate, bodies.way, bodies.went
    for place in range(bodies.of_bodies[g], bodies.of_bodies[g + 1]):
        b = bodies.body[place]
        _note_given(b, late, bodies)
        for k in range(3):
            went[b, k] += h * velocity[b, k] + way[b, k]
        for k in range(6):
            rate[b, k] = way[b, k] / h


@part_of_kernel
def _note_given(b, late, bodies):
    """Add the impulses of an inner step to the record of body b; late: see `settle_bodies`."""
    now, went, gave = bodies.now, bodies.went, bodies.gave
    for k in range(3):
        j = now[b, k]
        gave[b, k] += j
        gave[b, 3 + k] += now[b, 3 + k]
        gave[b, 6 + k] += late * j
        gave[b, 9 + k] += late * (j + now[b, 6 + k])
        gave[b, 15 + k] += late * late * j
    gave[b, 3] += went[b, 1] * now[b, 2] - went[b, 2] * now[b, 1]
    gave[b, 4] += went[b, 2] * now[b, 0] - went[b, 0] * now[b, 2]
    gave[b, 5] += went[b, 0] * now[b, 1] - went[b, 1] * now[b, 0]


@part_of_kernel
def bodies_way(m, contacts, inner, bodies, x, y, z):
    """W (x, y, z) of both rigid sides of contact m: by how much an impulse along that parts their points, per N s."""
    sides, light, inverse = contacts.sides, bodies.light, bodies.inverse
    ax, ay, az = rigid_way(m, sides[m, 0], inner.lever_a, light, inverse, x, y, z)
    bx, by, bz = rigid_way(m, sides[m, 1], inner.lever_b, light, inverse, x, y, z)
    return ax + bx, ay + by, az + bz


@part_of_kernel
def push(m, gives, contacts, inner, bodies, rows, row_block, impulse, left, h):
    """Apply an impulse (jx, jy, jz) [N s] to both sides: displacements of this step [m], and `bodies.now`.

    Args: contacts ... left: see `hold.hold_bodies`; h: length of an inner step [s].
    """
    jx, jy, jz = gives
    sides, lever_a, lever_b, light, inverse = contacts.sides, inner.lever_a, inner.lever_b, bodies.light, bodies.inverse
    now, first = bodies.now, 0 if contacts.soft[m] else 6
    shift_rows(
        rows.at, rows.began, rows.moved, inner.rows, inner.parts, row_block, m, 1.0, (h * jx, h * jy, h * jz), h,
        left * h, impulse,
    )
    for side in range(2):
        b = sides[m, side]
        if b < 0:
            continue
        sign = 1.0 if side == 0 else -1.0
        lever = lever_a if side == 0 else lever_b
        push_rate(m, b, sign, lever, light, inverse, h * jx, h * jy, h * jz, bodies.way)
        push_rate(m, b, sign, lever, light, inverse, h * jx, h * jy, h * jz, bodies.gone)
        now[b, first] += sign * jx
        now[b, first + 1] += sign * jy
        now[b, first + 2] += sign * jz
        if not contacts.soft[m]:
            continue
        now[b, 3] += sign * (lever[m, 1] * jz - lever[m, 2] * jy)
        now[b, 4] += sign * (lever[m, 2] * jx - lever[m, 0] * jz)
        now[b, 5] += sign * (lever[m, 0] * jy - lever[m, 1] * jx)
