"""Selects contacts of rigid bodies and prepares their solution."""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ...collide.narrow_phase.nearest import face_normal
from ...collide.response.effective_mass_limits import least_weight
from ...collide.response.response import sides_apart
from ..motion import shift_between
from ..sides import (
    body_velocities,
    contact_points,
    invert_inertia,
    point_velocity,
    set_levers,
    start_points,
    tangents_of,
    velocity_response,
)

# A contact beyond the rim of a face keeps the face's normal down to this cosine between face normal and contact normal.
RIM_COSINE = 0.5

# Fraction of the rest separation by which hard sides may overlap. Correcting the last micrometre in every substep would
# keep resting bodies in motion. Soft sides yield without a tolerance.
HARD_TOLERANCE = 0.5
# Fraction of it by which soft particles may overlap, or approach in a substep, without correction at its end: inner
# steps stop them. They end with speeds of that size, because the momenta of pieces are conserved.
SOFT_TOLERANCE = 2e-4
# Value in the column `effective_mass` of contacts whose W is not computed yet.
NOT_COMPUTED = -1.0


@kernel
def _face_aligned_normal(slot, contact, body, x, normal):
    """Normal of a contact; for a vertex and a triangle, the normal of the triangle.

    Beyond a rim the normal tilts by an angle that depends on the last micrometre. Boxes stacked rim on rim would then
    push each other sideways.
    """
    nx = normal[slot, 0]
    ny = normal[slot, 1]
    nz = normal[slot, 2]
    if body[contact[slot, 0]] == body[contact[slot, 1]]:
        return nx, ny, nz
    fx, fy, fz = face_normal(x, contact[slot, 1], contact[slot, 2], contact[slot, 3])
    along = nx * fx + ny * fy + nz * fz
    if abs(along) < RIM_COSINE:
        return nx, ny, nz
    side = 1.0 if along > 0.0 else -1.0
    return side * fx, side * fy, side * fz


@kernel
def list_rigid(only_hard, enclosed, found, owners, tables, x, slot_impulse, count, contacts):
    """Move contacts of rigid bodies from the list of all to `contacts`, from `count` on; returns the new count.

    Args:
        only_hard: whether contacts with soft particles stay on the list, and those of rigid vertices inside solids are
            dropped; enclosed: (n,) bool, particles of solids.
        found: `narrow_phase.columns.FoundContacts`; touching: in and out.
        owners, tables: `columns.ParticleOwners` and `columns.PairTables`.
        x: (n, 3) [m]; slot_impulse: (slots, 3) impulses of the previous substep [N s].
        contacts: `columns.RigidContactColumns`, out: slot, contact ... spring, and impulse, the warm start of normal
            impulse and friction. The part of soft particles in `normal_response` is zero until a contact is prepared.
    """
    touching, contact, weight, normal = found.touching, found.contact, found.weight, found.normal
    body, kind, of_body, inv_mass = owners.body, owners.kind, owners.rigid, owners.inv_mass
    friction, spring, impulse = contacts.friction, contacts.spring, contacts.impulse
    for slot in range(touching.shape[0]):
        if not touching[slot]:
            continue
        first = body[contact[slot, 0]]
        second = body[contact[slot, 3]]
        if of_body[first] < 0 and of_body[second] < 0:
            continue
        soft = inv_mass[contact[slot, 0]] > 0.0 or inv_mass[contact[slot, 3]] > 0.0
        for e in range(1, 3):
            soft |= inv_mass[contact[slot, e]] > 0.0
        if only_hard and soft:
            continue
        # A vertex of a rigid body that entered another one comes out again without help.
        if only_hard and enclosed[contact[slot, 3]] and first != body[contact[slot, 1]]:
            touching[slot] = False
            continue
        touching[slot] = False
        contacts.slot[count] = slot
        for e in range(4):
            contacts.contact[count, e] = contact[slot, e]
            contacts.weight[count, e] = weight[slot, e]
        contacts.rest_separation[count] = found.rest_separation[slot]
        contacts.approach[count] = found.approach[slot]
        contacts.sides[count, 0] = of_body[first]
        contacts.sides[count, 1] = of_body[second]
        contacts.normal_response[count, 3] = 0.0
        friction[count] = tables.friction[kind[first], kind[second]]
        spring[count, 0] = tables.stiffness[kind[first], kind[second]]
        contacts.bounces[count] = tables.restitution[kind[first], kind[second]] if spring[count, 0] == 0.0 else 0.0
        spring[count, 1] = tables.damping[kind[first], kind[second]]
        nx, ny, nz = _face_aligned_normal(slot, contact, body, x, normal)
        contacts.normal[count, 0] = nx
        contacts.normal[count, 1] = ny
        contacts.normal[count, 2] = nz
        along = nx * slot_impulse[slot, 0] + ny * slot_impulse[slot, 1] + nz * slot_impulse[slot, 2]
        impulse[count, 0] = 0.0
        for k in range(3):
            impulse[count, 1 + k] = 0.0
        # No warm start for soft bodies, which solve their own part, or for late contacts, which add to known impulses.
        if along > 0.0 and not soft and not only_hard:
            impulse[count, 0] = along
            square = 0.0
            for k in range(3):
                impulse[count, 1 + k] = slot_impulse[slot, k] - along * contacts.normal[count, k]
                square += impulse[count, 1 + k] * impulse[count, 1 + k]
            most = friction[count] * along
            if square > most * most and spring[count, 0] == 0.0:
                for k in range(3):
                    impulse[count, 1 + k] *= most / math.sqrt(square)
        count += 1
    return count


@kernel
def begin_solve(bodies, began, body_inv_mass, inverse, rates, start_shift, change, velocity, angular_momentum):
    """Store the state of the bodies before their contacts, for the first solve of a substep.

    Args:
        bodies: `columns.BodyColumns`; began: positions (b, 3) [m] and rotations (b, 4) at the first contact search.
        body_inv_mass, inverse, rates, start_shift: out, see `prepare_rigid` and `finish.undo_overlap`.
        change: (b, 6), out: zero; velocity, angular_momentum: out (b, 3) each [m/s], [kg m²/s].
    """
    invert_inertia(bodies.rotation_before, bodies.inertia, inverse)
    body_velocities(bodies.velocity, bodies.angular_momentum, inverse, rates)
    shift_between(began[0], began[1], bodies.position_before, bodies.rotation_before, start_shift)
    for b in range(body_inv_mass.shape[0]):
        body_inv_mass[b] = 1.0 / bodies.mass[b]
        for k in range(3):
            velocity[b, k] = bodies.velocity[b, k]
            angular_momentum[b, k] = bodies.angular_momentum[b, k]
        for k in range(6):
            change[b, k] = 0.0


@parallel_kernel
def prepare_rigid(first, count, contacts, body, inv_mass, body_inv_mass, inverse, centre, places, h, rates):
    """Compute the constants of the solution of contacts from `first` on.

    Args:
        contacts: `columns.RigidContactColumns`, see `list_rigid`.
        body_inv_mass, inverse: of rigid bodies, see `sides`; centre: (b, 3) at the start of the substep [m].
        places: x, x_prev and where particles were when the substep began, (n, 3) each [m]; h: the substep [s].
        rates: (b, 6) velocities of bodies before contacts, see `sides.point_velocity`.

    Outputs in `contacts`, (m, 3) or (m,):
        lever_a, lever_b: from the centres at the start, to end positions of soft particles in inner steps [m].
        base: separation velocity of all but soft particles [m/s].
        target: least n . u [m/s]; compliance: (m, 2), of springs, along and across the normal [1/kg], the second
            negative for Coulomb friction; total_inv_mass: (m, 2) W along and across [1/kg].
        effective_mass: (m, 2) inverse of total_inv_mass plus compliance [kg]; toward: (m, 4) the vector W n, and the
            part of soft particles in n . W n [1/kg]; overlap: penetration at the start, of which a fraction is removed
            [m].

    Inner steps have stopped soft particles, so `weigh` computes W only for those of their contacts that get an impulse.
    """
    for m in prange(first, count):
        _prepare(m, contacts, body, inv_mass, body_inv_mass, inverse, centre, places, h, rates)


@kernel
def _prepare(m, contacts, body, inv_mass, body_inv_mass, inverse, centre, places, h, rates):
    """Prepare one contact, see `prepare_rigid`."""
    x, x_prev, began = places
    contact, weight, normal, sides = contacts.contact, contacts.weight, contacts.normal, contacts.sides
    rest_separation, spring, anchors = contacts.rest_separation, contacts.spring, contacts.anchors
    lever_a, lever_b, base, target = contacts.lever_a, contacts.lever_b, contacts.base, contacts.target
    compliance, total_inv_mass, effective_mass = contacts.compliance, contacts.total_inv_mass, contacts.effective_mass
    normal_response, overlap = contacts.normal_response, contacts.overlap
    a = sides[m, 0]
    b = sides[m, 1]
    owner = body[contact[m, 0]]
    # Contacts of hulls have no weights.
    is_hull = weight[m, 0] == 0.0 and weight[m, 1] == 0.0
    soft = 0.0
    most = 0.0
    for e in range(0 if is_hull else 4):
        part = weight[m, e] * inv_mass[contact[m, e]]
        soft += weight[m, e] * part
        most = max(most, abs(part))
    soft = least_weight(soft, most)
    for k in range(3):
        base[m, k] = anchors[m, 9 + k] if is_hull else 0.0
    if not is_hull and (a < 0 or b < 0):
        for e in range(4):
            i = contact[m, e]
            if inv_mass[i] == 0.0 and (a if body[i] == owner else b) < 0:
                for k in range(3):
                    base[m, k] += weight[m, e] * (x[i, k] - x_prev[i, k]) / h
    at = start_points(m, sides, contact, weight, anchors, body, owner, centre, x_prev)
    apart = -rest_separation[m]
    apart += normal[m, 0] * (at[0] - at[3])
    apart += normal[m, 1] * (at[1] - at[4])
    apart += normal[m, 2] * (at[2] - at[5])
    # Impulses do not change the end positions of soft particles in inner steps, so they act there. This conserves the
    # sum of x cross m v.
    if contacts.soft[m]:
        at = contact_points(m, contact, weight, body, owner, x)
    set_levers(m, sides, centre, at, soft > 0.0, lever_a, lever_b)
    for side in range(2):
        lever = lever_a if side == 0 else lever_b
        vx, vy, vz = point_velocity(m, sides[m, side], 1.0 if side == 0 else -1.0, lever, rates)
        base[m, 0] += vx
        base[m, 1] += vy
        base[m, 2] += vz
    normal_response[m, 3] = soft
    k = spring[m, 0]
    c = spring[m, 1]
    if k > 0.0:
        target[m] = -k * apart / (h * k + c)
        compliance[m, 0] = 1.0 / (h * (h * k + c))
        compliance[m, 1] = 1.0 / max(h * c, 1e-300)
        overlap[m] = 0.0
    else:
        target[m] = -max(apart, 0.0) / h
        compliance[m, 0] = 0.0
        compliance[m, 1] = -1.0
        if contacts.soft[m]:
            # Inner steps set x_prev to x - h v, where a vertex that oscillates in them never was.
            overlap[m] = rest_separation[m] - sides_apart(m, contact, weight, normal, began)
            if overlap[m] < SOFT_TOLERANCE * rest_separation[m]:
                overlap[m] = 0.0
        else:
            overlap[m] = max(-apart - (HARD_TOLERANCE * rest_separation[m] if soft == 0.0 else 0.0), 0.0)
    effective_mass[m, 0] = NOT_COMPUTED
    if soft > 0.0:
        total_inv_mass[m, 0] = soft
    else:
        weigh(m, contacts, body_inv_mass, inverse)


@part_of_kernel
def weigh(m, contacts, body_inv_mass, inverse):
    """Compute total_inv_mass, effective_mass and W n of a contact, unless they are known; see `prepare_rigid`."""
    normal, sides, lever_a, lever_b = contacts.normal, contacts.sides, contacts.lever_a, contacts.lever_b
    compliance, total_inv_mass, effective_mass, normal_response = (
        contacts.compliance, contacts.total_inv_mass, contacts.effective_mass, contacts.normal_response
    )
    if effective_mass[m, 0] >= 0.0:
        return
    a = sides[m, 0]
    b = sides[m, 1]
    soft = normal_response[m, 3]
    nx = normal[m, 0]
    ny = normal[m, 1]
    nz = normal[m, 2]
    tx, ty, tz = velocity_response(m, a, lever_a, body_inv_mass, inverse, nx, ny, nz)
    ux, uy, uz = velocity_response(m, b, lever_b, body_inv_mass, inverse, nx, ny, nz)
    tx += ux
    ty += uy
    tz += uz
    total_inv_mass[m, 0] = soft + nx * tx + ny * ty + nz * tz
    normal_response[m, 0] = soft * nx + tx
    normal_response[m, 1] = soft * ny + ty
    normal_response[m, 2] = soft * nz + tz
    # Two tangents, and the larger eigenvalue of W in their plane.
    px, py, pz, qx, qy, qz = tangents_of(nx, ny, nz)
    tx, ty, tz = velocity_response(m, a, lever_a, body_inv_mass, inverse, px, py, pz)
    ux, uy, uz = velocity_response(m, b, lever_b, body_inv_mass, inverse, px, py, pz)
    tx += ux
    ty += uy
    tz += uz
    pp = px * tx + py * ty + pz * tz
    pq = qx * tx + qy * ty + qz * tz
    tx, ty, tz = velocity_response(m, a, lever_a, body_inv_mass, inverse, qx, qy, qz)
    ux, uy, uz = velocity_response(m, b, lever_b, body_inv_mass, inverse, qx, qy, qz)
    qq = qx * (tx + ux) + qy * (ty + uy) + qz * (tz + uz)
    half = 0.5 * (pp - qq)
    total_inv_mass[m, 1] = soft + 0.5 * (pp + qq) + math.sqrt(half * half + pq * pq)
    effective_mass[m, 0] = 1.0 / (total_inv_mass[m, 0] + compliance[m, 0]) if total_inv_mass[m, 0] > 0.0 else 0.0
    effective_mass[m, 1] = (
        1.0 / (total_inv_mass[m, 1] + max(compliance[m, 1], 0.0)) if total_inv_mass[m, 0] > 0.0 else 0.0
    )
