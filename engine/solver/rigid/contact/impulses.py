"""Contact impulses of rigid bodies, against each other, soft bodies and kinematic particles.

Each contact gets one impulse a substep: a normal part n lam with lam >= 0 and friction f with |f| <= mu lam. Projected
Gauss-Seidel finds them, alternating the direction of the sweep. The accumulated impulse is clamped, not its last
change. With u the separation velocity and s the separation at the start of the substep,

    n . u >= -max(s, 0) / h                   sides may close their separation, and no more
    f = clamp(f - u_across / W_across)        Coulomb friction
    lam = u_n = 0 ... or, by spring and dashpot (Harada et al. 2007), the force at the end of the substep:
    lam = h (k d - c u_n),  d = -(s + h u_n)

Contacts of soft particles have no warm start, so the force that presses a light body to a wall is not known from the
first sweep on. Where there are soft particles, further sweeps over contacts with walls and with the ground follow, so
that no body is pressed through them.

The iteration is warm started from the impulses of the previous substep, so that resting contacts stay at rest.
Overlap from before is removed by moving bodies without changing their velocities.

A task ends its sweeps when they have converged. At rest, soft contacts need two or three sweeps: inner steps have
stopped the particles already.
"""

from __future__ import annotations

import math
from typing import Any

from ....compiler.kernels import kernel, part_of_kernel, side_by_side
from ..sides import apply_impulse, has_static_side, point_velocity, shift_soft, soft_displacement
from .prepare import SOFT_TOLERANCE, weigh
from .solve_order import STAGES

# Contacts for which another thread pays.
CONTACTS_PER_THREAD = 48
# Sweeps over a task end when none of its contacts changes a velocity by more [m/s].
SETTLED = 2e-6


@kernel
def _begin_impulses(first, count, contacts, inv_mass, bodies, scale, change, soft_x):
    """Warm start: apply the impulses of the last substep to contacts first : count of `columns.RigidContactColumns`."""
    normal, impulse = contacts.normal, contacts.impulse
    body_inv_mass, inverse = bodies
    for m in range(first, count):
        lam = impulse[m, 0]
        if lam > 0.0:
            jx = lam * normal[m, 0] + impulse[m, 1]
            jy = lam * normal[m, 1] + impulse[m, 2]
            jz = lam * normal[m, 2] + impulse[m, 3]
            apply_impulse(m, contacts.sides[m, 0], 1.0, contacts.lever_a, body_inv_mass, inverse, jx, jy, jz, change)
            apply_impulse(m, contacts.sides[m, 1], -1.0, contacts.lever_b, body_inv_mass, inverse, jx, jy, jz, change)
            shift_soft(m, contacts.contact, contacts.weight, inv_mass, scale * jx, scale * jy, scale * jz, soft_x)


@kernel
def solve_impulses(
    iterations, threads, bounds, order, contacts, inv_mass, bodies, places, h, scale, change, angular_momentum
):
    """Run projected Gauss-Seidel sweeps over contacts, alternating backward and forward.

    Args:
        threads: how many to use at most; order: `solve_order.SolveOrder`.
        bounds: the first contact that is solved for the first time, and how many contacts there are.
        contacts: `columns.RigidContactColumns`, see `prepare_rigid`; impulse: in and out.
        bodies: 1 / mass (b,) [1/kg], and inverse inertias, see `sides`.
        places: x, x_prev and soft_x, (n, 3) each [m]; soft_x, in and out, is one of the other two.
        scale: displacement of soft_x for a velocity change of 1 m/s: h for end positions x, -h for start positions
            x_prev.
        change: in and out (b, 6) velocities gained, linear and angular.
        angular_momentum: out (b, 3), gained by all impulses [kg m²/s].
    """
    first, count = bounds
    _begin_impulses(first, count, contacts, inv_mass, bodies, scale, change, places[2])
    lengths = (1.0 / h, scale)
    sweeps = (0, iterations, iterations)
    _solve_stage(0, sweeps, threads, order, contacts, inv_mass, bodies, places, lengths, change)
    for iteration in range(iterations):
        for step in range(1, STAGES):
            stage = step if iteration % 2 == 1 else STAGES - step
            sweeps = (iteration, iteration + 1, 0)
            _solve_stage(stage, sweeps, threads, order, contacts, inv_mass, bodies, places, lengths, change)
    impulse = contacts.impulse
    angular_momentum[:] = 0.0
    for m in range(count):
        if impulse[m, 0] > 0.0:
            friction = (impulse[m, 1], impulse[m, 2], impulse[m, 3])
            add_angular_momentum(m, contacts, impulse[m, 0], friction, angular_momentum)


@kernel
def _solve_stage(stage, sweeps, threads, order, contacts, inv_mass, bodies, places, lengths, change):
    """Sweeps over the contacts of a stage, see `_solve_tasks`."""
    first = order.stage_start[stage]
    stop = order.stage_start[stage + 1]
    if first == stop:
        return
    size = (order.task_start[stop] - order.task_start[first]) * (sweeps[1] - sweeps[0])
    task_stride = min(min(stop - first, 2 * threads), max(size // CONTACTS_PER_THREAD, 1))
    _run_tasks(
        task_stride, (first, stop, task_stride), sweeps, order, contacts, inv_mass, bodies, places, lengths, change
    )


def _solve_tasks(
    own: Any, tasks: Any, sweeps: Any, order: Any, contacts: Any, inv_mass: Any, bodies: Any, places: Any, lengths: Any,
    change: Any,
) -> None:
    """Solve the tasks first + own, first + own + task_stride ... below `stop`, see `solve_impulses`.

    Args: sweeps: first and end of the sweeps over all contacts, and how many follow over contacts with immovable sides.
    """
    first, stop, task_stride = tasks
    begin, end, last = sweeps
    for task in range(first + own, stop, task_stride):
        least, most = order.task_start[task], order.task_start[task + 1]
        for iteration in range(begin, end):
            changed = 0.0
            for place in range(most - least):
                m = order.contact[least + place if iteration % 2 == 1 else most - 1 - place]
                if contacts.effective_mass[m, 0] != 0.0:
                    changed = max(changed, _solve(m, contacts, inv_mass, bodies, places, lengths, change))
            if changed <= SETTLED:
                break
        # Contacts with immovable sides come last in a task.
        held = most
        while held > least and has_static_side(order.contact[held - 1], contacts.sides, contacts.normal_response):
            held -= 1
        is_beside_soft = False
        for place in range(least, held if last > 0 else least):
            is_beside_soft |= contacts.normal_response[order.contact[place], 3] > 0.0
        for iteration in range(last if is_beside_soft else 0):
            changed = 0.0
            for place in range(most - held):
                m = order.contact[held + place if iteration % 2 == 1 else most - 1 - place]
                if contacts.effective_mass[m, 0] != 0.0:
                    changed = max(changed, _solve(m, contacts, inv_mass, bodies, places, lengths, change))
            if changed <= SETTLED:
                break


_run_tasks = side_by_side(_solve_tasks)


@part_of_kernel
def _solve(m, contacts, inv_mass, bodies, places, lengths, change):
    """Solve one contact, see `solve_impulses`; returns by how much it changes the separation velocity [m/s]."""
    contact, weight, normal = contacts.contact, contacts.weight, contacts.normal
    base, normal_response = contacts.base, contacts.normal_response
    impulse, compliance = contacts.impulse, contacts.compliance
    effective_mass, lever_a, lever_b = contacts.effective_mass, contacts.lever_a, contacts.lever_b
    body_inv_mass, inverse = bodies
    x, x_prev, soft_x = places
    per_h, scale = lengths
    nx = normal[m, 0]
    ny = normal[m, 1]
    nz = normal[m, 2]
    a = contacts.sides[m, 0]
    b = contacts.sides[m, 1]
    # Values that do not depend on the previous contact come first.
    ux = base[m, 0]
    uy = base[m, 1]
    uz = base[m, 2]
    if normal_response[m, 3] > 0.0:
        vx, vy, vz = soft_displacement(m, contact, weight, inv_mass, x, x_prev)
        ux += per_h * vx
        uy += per_h * vy
        uz += per_h * vz
    ax, ay, az = point_velocity(m, a, 1.0, lever_a, change)
    bx, by, bz = point_velocity(m, b, -1.0, lever_b, change)
    ux += ax + bx
    uy += ay + by
    uz += az + bz
    along = nx * ux + ny * uy + nz * uz
    before = impulse[m, 0]
    deficit = contacts.target[m] - along - compliance[m, 0] * before
    least = SOFT_TOLERANCE * contacts.rest_separation[m] * per_h if contacts.soft[m] else 0.0
    if before == 0.0 and deficit <= least:
        return 0.0
    weigh(m, contacts, body_inv_mass, inverse)
    lam = max(before + deficit * effective_mass[m, 0], 0.0)
    gain = lam - before
    impulse[m, 0] = lam
    # Effect on the separation velocity: W n times the change of the normal impulse.
    ux += gain * normal_response[m, 0]
    uy += gain * normal_response[m, 1]
    uz += gain * normal_response[m, 2]
    along = nx * ux + ny * uy + nz * uz
    soft = max(compliance[m, 1], 0.0)
    fx = impulse[m, 1] - effective_mass[m, 1] * (ux - along * nx + soft * impulse[m, 1])
    fy = impulse[m, 2] - effective_mass[m, 1] * (uy - along * ny + soft * impulse[m, 2])
    fz = impulse[m, 3] - effective_mass[m, 1] * (uz - along * nz + soft * impulse[m, 3])
    square = fx * fx + fy * fy + fz * fz
    # A dashpot acts as long as there is contact; Coulomb friction is limited by the normal impulse.
    most = contacts.friction[m] * lam if compliance[m, 1] < 0.0 else (math.inf if lam > 0.0 else 0.0)
    if square > most * most:
        part = most / math.sqrt(square)
        fx *= part
        fy *= part
        fz *= part
    jx = fx - impulse[m, 1]
    jy = fy - impulse[m, 2]
    jz = fz - impulse[m, 3]
    changed = max(abs(gain), abs(jx), abs(jy), abs(jz)) * contacts.total_inv_mass[m, 0]
    jx += gain * nx
    jy += gain * ny
    jz += gain * nz
    impulse[m, 1] = fx
    impulse[m, 2] = fy
    impulse[m, 3] = fz
    apply_impulse(m, a, 1.0, lever_a, body_inv_mass, inverse, jx, jy, jz, change)
    apply_impulse(m, b, -1.0, lever_b, body_inv_mass, inverse, jx, jy, jz, change)
    if normal_response[m, 3] > 0.0:
        shift_soft(m, contact, weight, inv_mass, scale * jx, scale * jy, scale * jz, soft_x)
    return changed


@part_of_kernel
def add_angular_momentum(m, contacts, lam, friction, angular_momentum):
    """Add the angular momentum by an impulse, lam along the normal and friction: in and out (b, 3) [kg m²/s]."""
    normal = contacts.normal
    jx = lam * normal[m, 0] + friction[0]
    jy = lam * normal[m, 1] + friction[1]
    jz = lam * normal[m, 2] + friction[2]
    for side in range(2):
        b = contacts.sides[m, side]
        if b < 0:
            continue
        sign = 1.0 if side == 0 else -1.0
        lever = contacts.lever_a if side == 0 else contacts.lever_b
        angular_momentum[b, 0] += sign * (lever[m, 1] * jz - lever[m, 2] * jy)
        angular_momentum[b, 1] += sign * (lever[m, 2] * jx - lever[m, 0] * jz)
        angular_momentum[b, 2] += sign * (lever[m, 0] * jy - lever[m, 1] * jx)


@kernel
def keep_impulses(count, slot_of, normal, impulse, slot_impulse):
    """Store impulses for the next substep's warm start: slot_impulse (slots, 3) [N s], zero without contact."""
    for slot in range(slot_impulse.shape[0]):
        for k in range(3):
            slot_impulse[slot, k] = 0.0
    for m in range(count):
        if slot_of[m] < 0:
            continue
        for k in range(3):
            slot_impulse[slot_of[m], k] += impulse[m, 0] * normal[m, k] + impulse[m, 1 + k]


