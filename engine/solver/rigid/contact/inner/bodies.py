"""Motion of rigid bodies in the inner steps of soft bodies, and the contact impulses on them."""

from __future__ import annotations

from .....compiler.kernels import kernel, part_of_kernel
from ....constraints.contact.impulses import shift_rows
from ...sides import apply_impulse, velocity_response

# Number of sums over a body's impulses from soft particles in a substep: impulse (3), its moment about the centre at
# the start (3), impulse times its delay (3), the same for all contacts (3), for ties alone the moment times its delay
# (3), and impulse times its delay squared (3). A delay is minus the time since the start of the substep.
IMPULSE_SUMS = 18


@kernel
def advance_bodies(g, h, bodies):
    """Begin an inner step of h [s]: move the bodies of island g; bodies: `columns.InnerBodies`."""
    dv_per_step, rate, step_displacement, displacement = (
        bodies.dv_per_step, bodies.rate, bodies.step_displacement, bodies.displacement
    )
    for place in range(bodies.of_bodies[g], bodies.of_bodies[g + 1]):
        b = bodies.body[place]
        for k in range(6):
            rate[b, k] += dv_per_step[b, k]
            step_displacement[b, k] = h * rate[b, k]
            displacement[b, k] += step_displacement[b, k]
        for k in range(9):
            bodies.step_impulses[b, k] = 0.0


@kernel
def end_bodies(g, delay, h, bodies):
    """End an inner step of h [s]; delay: minus the time since the substep began [s]; bodies: see `advance_bodies`."""
    velocity, rate, step_displacement, centre_displacement = (
        bodies.velocity, bodies.rate, bodies.step_displacement, bodies.centre_displacement
    )
    for place in range(bodies.of_bodies[g], bodies.of_bodies[g + 1]):
        b = bodies.body[place]
        _record_impulses(b, delay, bodies)
        for k in range(3):
            centre_displacement[b, k] += h * velocity[b, k] + step_displacement[b, k]
        for k in range(6):
            rate[b, k] = step_displacement[b, k] / h


@part_of_kernel
def _record_impulses(b, delay, bodies):
    """Add the impulses of an inner step to the sums of body b, `impulse_sums`; delay: see `end_bodies`."""
    step_impulses, moved, impulse_sums = bodies.step_impulses, bodies.centre_displacement, bodies.impulse_sums
    for k in range(3):
        j = step_impulses[b, k]
        impulse_sums[b, k] += j
        impulse_sums[b, 3 + k] += step_impulses[b, 3 + k]
        impulse_sums[b, 6 + k] += delay * j
        impulse_sums[b, 9 + k] += delay * (j + step_impulses[b, 6 + k])
        impulse_sums[b, 15 + k] += delay * delay * j
    impulse_sums[b, 3] += moved[b, 1] * step_impulses[b, 2] - moved[b, 2] * step_impulses[b, 1]
    impulse_sums[b, 4] += moved[b, 2] * step_impulses[b, 0] - moved[b, 0] * step_impulses[b, 2]
    impulse_sums[b, 5] += moved[b, 0] * step_impulses[b, 1] - moved[b, 1] * step_impulses[b, 0]


@part_of_kernel
def sides_response(m, contacts, inner, bodies, x, y, z):
    """W (x, y, z) of both rigid sides of contact m: separation velocity of their points by an impulse (x, y, z)."""
    sides, body_inv_mass, inverse = contacts.sides, bodies.body_inv_mass, bodies.inverse
    ax, ay, az = velocity_response(m, sides[m, 0], inner.lever_a, body_inv_mass, inverse, x, y, z)
    bx, by, bz = velocity_response(m, sides[m, 1], inner.lever_b, body_inv_mass, inverse, x, y, z)
    return ax + bx, ay + by, az + bz


@part_of_kernel
def apply_step_impulse(m, step_impulse, contacts, inner, bodies, rows, row_block, impulse, left, h):
    """Apply an impulse to both sides: displacements in this step [m], and `bodies.step_impulses`.

    Args: step_impulse: three numbers [N s]; contacts ... left: see `hold.solve_bodies`; h: length of an inner step [s].
    """
    jx, jy, jz = step_impulse
    sides, lever_a, lever_b, body_inv_mass, inverse = (
        contacts.sides, inner.lever_a, inner.lever_b, bodies.body_inv_mass, bodies.inverse
    )
    step_impulses, first = bodies.step_impulses, 0 if contacts.soft[m] else 6
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
        apply_impulse(m, b, sign, lever, body_inv_mass, inverse, h * jx, h * jy, h * jz, bodies.step_displacement)
        apply_impulse(m, b, sign, lever, body_inv_mass, inverse, h * jx, h * jy, h * jz, bodies.displacement)
        step_impulses[b, first] += sign * jx
        step_impulses[b, first + 1] += sign * jy
        step_impulses[b, first + 2] += sign * jz
        if not contacts.soft[m]:
            continue
        step_impulses[b, 3] += sign * (lever[m, 1] * jz - lever[m, 2] * jy)
        step_impulses[b, 4] += sign * (lever[m, 2] * jx - lever[m, 0] * jz)
        step_impulses[b, 5] += sign * (lever[m, 0] * jy - lever[m, 1] * jx)
