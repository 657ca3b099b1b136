"""Sleep: still bodies keep their poses to the last bit until something acts on them.

The solver's iterations leave residual velocities of some micrometres a second, by which resting bodies would creep. A
body sleeps when it has been slower than SLOW for TIME_TO_SLEEP seconds and touches, directly and through others, only
bodies that sleep as well. It is then reset to its pose at the start of the substep, at rest. Forces and contacts still
act on sleeping bodies. A body that is hit, pulled or loses its support exceeds SLOW and so wakes in that very substep.
"""

from __future__ import annotations

import math

from ...compiler.kernels import kernel
from .sides import apply_inverse_inertia

# Bodies slower than this at their fastest point count as still [m/s]; time that a body must be still to sleep [s].
SLOW = 0.005
TIME_TO_SLEEP = 0.5


@kernel
def note_still(count, contacts, owners, x, x_prev, h, bodies, inverse, touched, still):
    """Update how long each body has been still.

    A body that floats, touches soft or moving particles, or touches nothing, is not still.

    Args:
        contacts: `columns.RigidContactColumns`, the first `count` of them; owners: `columns.ParticleOwners`.
        bodies: `columns.BodyColumns`; inverse: (b, 6), see `sides`; h: the substep [s].
        touched: scratch (b,) bool; still: in and out (b,) [s].
    """
    contact, weight, sides = contacts.contact, contacts.weight, contacts.sides
    body, of_body, inv_mass = owners.body, owners.rigid, owners.inv_mass
    velocity, angular_momentum, reach = bodies.velocity, bodies.angular_momentum, bodies.reach
    force, torque, spread = bodies.force, bodies.torque, bodies.spread_force
    for b in range(still.shape[0]):
        wx, wy, wz = apply_inverse_inertia(
            inverse, b, angular_momentum[b, 0], angular_momentum[b, 1], angular_momentum[b, 2]
        )
        speed = math.sqrt(velocity[b, 0] ** 2 + velocity[b, 1] ** 2 + velocity[b, 2] ** 2)
        speed += reach[b] * math.sqrt(wx * wx + wy * wy + wz * wz)
        has_force = False
        for k in range(3):
            has_force |= force[b, k] != 0.0 or torque[b, k] != 0.0 or spread[b, k] != 0.0
        touched[b] = False
        still[b] = still[b] + h if speed < SLOW and not has_force else 0.0
    for m in range(count):
        is_moving = False
        for e in range(4):
            i = contact[m, e]
            is_moving |= inv_mass[i] > 0.0
            # Hull contacts have no weights.
            if of_body[body[i]] < 0 and (weight[m, e] != 0.0 or weight[m, 0] == 0.0 == weight[m, 1]):
                for k in range(3):
                    is_moving |= x[i, k] != x_prev[i, k]
        for side in range(2):
            b = sides[m, side]
            if b >= 0:
                touched[b] = True
                if is_moving:
                    still[b] = 0.0
    for b in range(still.shape[0]):
        if not touched[b]:
            still[b] = 0.0


@kernel
def fall_asleep(
    count, sides, still, asleep, position_before, rotation_before, position, rotation, velocity, angular_momentum,
):
    """Reset sleeping bodies to their start poses, at rest; returns the number of sleeping bodies.

    Args: still: see `note_still`; asleep: out (b,) bool; position_before, rotation_before: start of the substep.
    """
    found = 0
    for b in range(still.shape[0]):
        asleep[b] = still[b] >= TIME_TO_SLEEP
        found += asleep[b]
    changed = found > 0
    while changed:
        changed = False
        for m in range(count):
            a = sides[m, 0]
            b = sides[m, 1]
            if a >= 0 and b >= 0 and asleep[a] != asleep[b]:
                asleep[a] = False
                asleep[b] = False
                changed = True
    found = 0
    for b in range(still.shape[0]):
        if not asleep[b]:
            continue
        found += 1
        for k in range(3):
            position[b, k] = position_before[b, k]
            velocity[b, k] = 0.0
            angular_momentum[b, k] = 0.0
        for k in range(4):
            rotation[b, k] = rotation_before[b, k]
    return found
