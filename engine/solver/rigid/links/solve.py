"""Solver for links of rigid bodies: joints, springs and rods, all of a substep together.

With the masses and inertias M, the Jacobian J of all rows at the start of the substep, and the rows' values g(q) at its
end, it finds impulses p so that

    v' = v + M^-1 J^T p,   q' = q + h v',   g(q') = 0               SHAKE (Ryckaert et al. 1977): conserves linear and
                                                                    angular momentum, and energy without drift
    g' + p / G + B g = 0                                            for a spring k with a parallel dashpot c

by Newton's method with the matrix h J M^-1 J^T + 1 / G of the start, factored once (`profile`). The force of a spring
is a weighted mean over the substep, k (theta g' + (1 - theta) g), which damps as a dashpot theta k h would. Theta is
(omega h)²: almost zero for slow oscillations, and 1 for springs too stiff for the substep; or larger, as the damping
requires. The scheme is stable at any stiffness from theta = 1/2 on, below that for (omega h)² (1 - 2 theta) < 4.

Errors from before the substep, caused by contacts of the previous one, are removed without changing velocities.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel
from ...collide.response.response import RECOVERY_SPEED
from ..motion import advance_pose, rotate_by
from ..sides import apply_inverse_inertia, invert_inertia
from .frames import body_frames, face_frames
from .link_rows import DISTANCE, compute_jacobian, compute_residuals, link_points
from .matrix import assemble, soften
from .profile import factor, solve_by

# Newton iterations at most; iterations stop at an error below the first value plus the second times the largest
# coordinate of a centre.
MOST_ITERATIONS = 12
TOLERANCE = 1e-13
RELATIVE_TOLERANCE = 4e-16
# Errors at the start of a substep above this are more than rounding [m or rad].
ROUNDING_ERROR = 1e-9
# Fraction of the first error. If an iteration does not reduce a larger error, half of the last step is undone; below
# this only rounding remains, and iterations end.
ROUNDING_FRACTION = 1e-4
# Added to the diagonal entry of a row that must get no impulse.
BLOCKED_DIAGONAL = 1e30


@kernel
def _apply_impulses(bodies, table, work, sign, mass, velocity, angular_momentum):
    """Apply the impulses sign * step (r,) to the momenta."""
    frame = table.frame
    row_link = table.row_link
    linear = work.linear
    angular = work.angular
    step = work.step
    for r in range(step.shape[0]):
        m = row_link[r]
        for side in range(2):
            b = frame[m, side]
            if b >= bodies:
                continue
            p = sign * step[r] if side == 0 else -sign * step[r]
            for k in range(3):
                velocity[b, k] += p * linear[r, k] / mass[b]
                angular_momentum[b, k] += p * angular[r, side, k]


@kernel
def _update_residuals(bodies, table, position, rotation, x, work):
    """Update the frames and the values of the rows."""
    face_frames(bodies, table.faces, x, work.at, work.axes)
    body_frames(table.linked, position, rotation, work.at, work.axes)
    compute_residuals(
        table.kind, table.frame, table.local, table.turned, table.rest, table.row_start, work.at, work.axes,
        work.residual,
    )


@kernel
def _correct_positions(h, bodies, table, work, mass, position, rotation):
    """Move bodies so that rigid rows become 0; returns whether any error was more than rounding.

    Out: `work.weighted_shift`, displacement times mass [kg m].
    """
    linked = table.linked
    frame = table.frame
    row_link = table.row_link
    stiffness = table.stiffness
    start = table.start
    first = table.first
    linear = work.linear
    angular = work.angular
    inverse = work.inverse
    a = work.matrix
    pivot = work.pivot
    step = work.step
    residual = work.residual
    weighted_shift = work.weighted_shift
    worst = 0.0
    for r in range(residual.shape[0]):
        if stiffness[row_link[r]] == 0.0:
            worst = max(worst, abs(residual[r]))
    if not worst > ROUNDING_ERROR:
        return False
    assemble(bodies, table, work, mass)
    fraction = min(1.0, RECOVERY_SPEED * h / worst)
    for r in range(residual.shape[0]):
        step[r] = -fraction * residual[r]
        if stiffness[row_link[r]] > 0.0:
            step[r] = 0.0
            a[start[r + 1] - 1] += BLOCKED_DIAGONAL
    factor(start, first, a, pivot)
    solve_by(start, first, a, pivot, step)
    for place in range(linked.shape[0]):
        b = linked[place]
        tx = 0.0
        ty = 0.0
        tz = 0.0
        for r in range(residual.shape[0]):
            for side in range(2):
                if frame[row_link[r], side] != b:
                    continue
                p = step[r] if side == 0 else -step[r]
                for k in range(3):
                    weighted_shift[b, k] += p * linear[r, k]
                tx += p * angular[r, side, 0]
                ty += p * angular[r, side, 1]
                tz += p * angular[r, side, 2]
        for k in range(3):
            position[b, k] += weighted_shift[b, k] / mass[b]
        wx, wy, wz = apply_inverse_inertia(inverse, b, tx, ty, tz)
        rotate_by(rotation, b, wx, wy, wz)
    return True


@kernel
def _compensate_angular_momentum(bodies, table, work, velocity, angular_momentum):
    """Compensate the angular momentum lost by displacing bodies, and by impulses at two points."""
    kind = table.kind
    frame = table.frame
    local = table.local
    row_start = table.row_start
    linked = table.linked
    at = work.at
    axes = work.axes
    impulse = work.impulse
    weighted_shift = work.weighted_shift
    for m in range(kind.shape[0]):
        a = frame[m, 0]
        b = frame[m, 1]
        if kind[m] == DISTANCE or a >= bodies or b >= bodies:
            continue
        px, py, pz = link_points(m, 0, frame, local, at, axes)
        qx, qy, qz = link_points(m, 1, frame, local, at, axes)
        jx = 0.5 * impulse[row_start[m]]
        jy = 0.5 * impulse[row_start[m] + 1]
        jz = 0.5 * impulse[row_start[m] + 2]
        for side in range(2):
            f = frame[m, side]
            angular_momentum[f, 0] -= (py - qy) * jz - (pz - qz) * jy
            angular_momentum[f, 1] -= (pz - qz) * jx - (px - qx) * jz
            angular_momentum[f, 2] -= (px - qx) * jy - (py - qy) * jx
    for place in range(linked.shape[0]):
        f = linked[place]
        angular_momentum[f, 0] -= weighted_shift[f, 1] * velocity[f, 2] - weighted_shift[f, 2] * velocity[f, 1]
        angular_momentum[f, 1] -= weighted_shift[f, 2] * velocity[f, 0] - weighted_shift[f, 0] * velocity[f, 2]
        angular_momentum[f, 2] -= weighted_shift[f, 0] * velocity[f, 1] - weighted_shift[f, 1] * velocity[f, 0]


@kernel
def solve_links(h, table, work, x_prev, x, bodies):
    """Solve all links in a substep h [s]; returns whether the start poses of bodies changed.

    Args:
        table: `table.LinkTable`; work: `table.LinkWork`.
        x_prev, x: (n, 3), particles of meshes at the start and at the end of the substep [m].
        bodies: `rigid.columns.BodyColumns`, poses and momenta in and out.
    """
    linked = table.linked
    faces = table.faces
    kind = table.kind
    frame = table.frame
    local = table.local
    turned = table.turned
    row_start = table.row_start
    start = table.start
    first = table.first
    at = work.at
    axes = work.axes
    linear = work.linear
    angular = work.angular
    a = work.matrix
    pivot = work.pivot
    residual = work.residual
    offset = work.offset
    compliance = work.compliance
    start_factor = work.start_factor
    step = work.step
    impulse = work.impulse
    weighted_shift = work.weighted_shift
    inverse = work.inverse
    mass = bodies.mass
    inertia = bodies.inertia
    position = bodies.position
    rotation = bodies.rotation
    velocity = bodies.velocity
    angular_momentum = bodies.angular_momentum
    position_before = bodies.position_before
    rotation_before = bodies.rotation_before
    count = mass.shape[0]
    weighted_shift[:] = 0.0
    _update_residuals(count, table, position_before, rotation_before, x_prev, work)
    compute_jacobian(kind, frame, local, turned, row_start, at, axes, linear, angular)
    invert_inertia(rotation_before, inertia, inverse)
    start_moved = _correct_positions(h, count, table, work, mass, position_before, rotation_before)
    if start_moved:
        _update_residuals(count, table, position_before, rotation_before, x_prev, work)
        compute_jacobian(kind, frame, local, turned, row_start, at, axes, linear, angular)
        invert_inertia(rotation_before, inertia, inverse)
    assemble(count, table, work, mass)
    soften(h, table, work)
    factor(start, first, a, pivot)
    for r in range(residual.shape[0]):
        # A spring starts at its current value. The remaining error of a rigid row must not create velocity.
        offset[r] = start_factor[r] * residual[r] if compliance[r] > 0.0 else (
            -residual[r] if abs(residual[r]) > ROUNDING_ERROR else 0.0
        )
        impulse[r] = 0.0
    far = 0.0
    for place in range(linked.shape[0]):
        for k in range(3):
            far = max(far, abs(position_before[linked[place], k]))
    best = math.inf
    first_worst = 0.0
    for iteration in range(MOST_ITERATIONS):
        for place in range(linked.shape[0]):
            advance_pose(
                linked[place], h, inertia, position_before, rotation_before, velocity, angular_momentum, position,
                rotation
            )
        _update_residuals(count, table, position, rotation, x, work)
        worst = 0.0
        for r in range(residual.shape[0]):
            residual[r] += compliance[r] * impulse[r] + offset[r]
            worst = max(worst, abs(residual[r]))
        if worst <= TOLERANCE + RELATIVE_TOLERANCE * far or iteration == MOST_ITERATIONS - 1:
            break
        if iteration == 0:
            first_worst = worst
        if worst < best:
            best = worst
            for r in range(residual.shape[0]):
                step[r] = -residual[r] / h
            solve_by(start, first, a, pivot, step)
            sign = 1.0
        else:
            # The step overshot: undo half of it. Where only rounding remains, undo all of it.
            sign = -1.0
            for r in range(residual.shape[0]):
                step[r] *= 0.5 if best > ROUNDING_FRACTION * first_worst else 1.0
        _apply_impulses(count, table, work, sign, mass, velocity, angular_momentum)
        for r in range(residual.shape[0]):
            impulse[r] += sign * step[r]
        if sign < 0.0 and not best > ROUNDING_FRACTION * first_worst:
            for place in range(linked.shape[0]):
                advance_pose(
                    linked[place], h, inertia, position_before, rotation_before, velocity, angular_momentum, position,
                    rotation
                )
            break
    face_frames(count, faces, x_prev, at, axes)
    body_frames(linked, position_before, rotation_before, at, axes)
    _compensate_angular_momentum(count, table, work, velocity, angular_momentum)
    return start_moved
