"""Rigid bodies before and after the inner steps of a substep, see `contact.inner_contact`."""

from __future__ import annotations

from ....compiler.kernels import kernel
from ..motion import go_on_all, turn_by
from ..sides import invert_inertia, turned_by
from .inner_contact import GAVE


@kernel
def begin_bodies(h, gravity, rigid, of_body, steps, bodies):
    """Spread the velocity change by gravity and water in a substep h [s] over the inner steps, as for springs.

    Args:
        gravity: (3,) [m/s²]; rigid: `columns.BodyColumns`; of_body: (b,) island of each body, or -1.
        steps: (islands,) inner steps of each; bodies: `columns.InnerBodies`, out: all but the lists of islands.
    """
    invert_inertia(rigid.rotation_before, rigid.inertia, bodies.inverse)
    torque, kick = rigid.spread_torque, bodies.kick
    for b in range(of_body.shape[0]):
        bodies.steps[b] = steps[of_body[b]] if of_body[b] >= 0 else 1
        bodies.light[b] = 1.0 / rigid.mass[b]
        wx, wy, wz = turned_by(bodies.inverse, b, h * torque[b, 0], h * torque[b, 1], h * torque[b, 2])
        kick[b, 3] = wx
        kick[b, 4] = wy
        kick[b, 5] = wz
        for k in range(3):
            kick[b, k] = h * (gravity[k] + rigid.spread_force[b, k] / rigid.mass[b])
            bodies.went[b, k] = 0.0
        for k in range(6):
            bodies.rate[b, k] = -kick[b, k]
            kick[b, k] /= bodies.steps[b]
        for k in range(GAVE):
            bodies.gave[b, k] = 0.0


@kernel
def end_body_holds(h, gravity, rigid, bodies, borne):
    """Add the impulses of soft particles to bodies, and shift start positions to match the end positions reached.

    An impulse J with delay t leaves a body short by t J / m at the end; forces of the substep have a mean delay of half
    the substep, less half an inner step. Shifting the start position by s removes s x m v from the sum of x x m v; the
    angular momentum compensates it. On the way, forces leave the centre behind as in `momentum.piece_turns`.

    Args:
        h: the substep [s]; gravity: (3,) [m/s²]; rigid: `columns.BodyColumns`, in and out; bodies:
            `columns.InnerBodies`; kick: out, the velocity change by forces in all of the substep.
        borne: out (b,) what soft particles bore of each body, as a mass [kg].
    """
    gave, kick, mass = bodies.gave, bodies.kick, rigid.mass
    pull = max(h * (gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]), 1e-300)
    for b in range(mass.shape[0]):
        step = h / bodies.steps[b]
        up = 0.0
        for k in range(3):
            up -= gave[b, k] * gravity[k]
        borne[b] = max(up / pull, 0.0)
        for k in range(6):
            kick[b, k] *= bodies.steps[b]
        if gave[b, 0] != 0.0 or gave[b, 1] != 0.0 or gave[b, 2] != 0.0:
            _gain(b, h, step, rigid, gave, kick, bodies.inverse)
    go_on_all(
        h, rigid.inertia, rigid.position_before, rigid.rotation_before, rigid.velocity, rigid.angular_momentum,
        rigid.position, rigid.rotation,
    )


@kernel
def _gain(b, h, step, rigid, gave, kick, inverse):
    """Body b, see `end_body_holds`; step: length of an inner step [s]; kick: in all of the substep."""
    mass, velocity, angular_momentum = rigid.mass, rigid.velocity, rigid.angular_momentum
    missed = 0.5 * (h - step)
    velocity[b, 0] += gave[b, 0] / mass[b]
    velocity[b, 1] += gave[b, 1] / mass[b]
    velocity[b, 2] += gave[b, 2] / mass[b]
    # The sum of impulses times velocity changes, each by the way that the centre is behind.
    late = -(h - 0.5 * step) / h
    bx = late * gave[b, 6] - 0.5 / h * gave[b, 15]
    by = late * gave[b, 7] - 0.5 / h * gave[b, 16]
    bz = late * gave[b, 8] - 0.5 / h * gave[b, 17]
    ax, ay, az = kick[b, 0], kick[b, 1], kick[b, 2]
    vx, vy, vz = velocity[b, 0], velocity[b, 1], velocity[b, 2]
    angular_momentum[b, 0] += gave[b, 3] - (gave[b, 7] * vz - gave[b, 8] * vy) + (ay * bz - az * by)
    angular_momentum[b, 1] += gave[b, 4] - (gave[b, 8] * vx - gave[b, 6] * vz) + (az * bx - ax * bz)
    angular_momentum[b, 2] += gave[b, 5] - (gave[b, 6] * vy - gave[b, 7] * vx) + (ax * by - ay * bx)
    for k in range(3):
        rigid.position_before[b, k] += gave[b, 9 + k] / mass[b] - missed * kick[b, k]
    if gave[b, 12] != 0.0 or gave[b, 13] != 0.0 or gave[b, 14] != 0.0:
        wx, wy, wz = turned_by(inverse, b, gave[b, 12], gave[b, 13], gave[b, 14])
        turn_by(rigid.rotation_before, b, wx, wy, wz)
