"""What rigid bodies were given by soft particles in the inner steps of a substep, see `contact.inner_contact`."""

from __future__ import annotations

from ....compiler.kernels import kernel
from ..motion import turn_by
from ..sides import turned_by


@kernel
def end_body_holds(h, steps, kick, mass, inverse, gave, velocity, angular_momentum, position_before, rotation_before):
    """Add the impulses of soft particles to bodies, and shift start positions to match the end positions reached.

    An impulse J with delay t leaves a body short by t J / m at the end; forces of the substep have a mean delay of half
    the substep, less half an inner step. Shifting the start position by s removes s x m v from the sum of x x m v; the
    angular momentum compensates it. On the way, forces leave the centre behind as in `momentum.piece_turns`.

    Args: h: the substep [s]; steps: (b,) inner steps in it; kick: (b, 6) velocity change by forces in all of it;
    velocity, angular_momentum, position_before: in and out (b, 3).
    """
    for b in range(mass.shape[0]):
        step = h / steps[b]
        missed = 0.5 * (h - step)
        jx = gave[b, 0] / mass[b]
        jy = gave[b, 1] / mass[b]
        jz = gave[b, 2] / mass[b]
        if jx == 0.0 and jy == 0.0 and jz == 0.0:
            continue
        velocity[b, 0] += jx
        velocity[b, 1] += jy
        velocity[b, 2] += jz
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
            position_before[b, k] += gave[b, 9 + k] / mass[b] - missed * kick[b, k]
        if gave[b, 12] != 0.0 or gave[b, 13] != 0.0 or gave[b, 14] != 0.0:
            wx, wy, wz = turned_by(inverse, b, gave[b, 12], gave[b, 13], gave[b, 14])
            turn_by(rotation_before, b, wx, wy, wz)
