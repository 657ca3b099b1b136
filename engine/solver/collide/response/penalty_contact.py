"""Penalty contacts: springs and dashpots, solved one after another in a fixed order.

With the overlap d of two sides, their separation velocity u, the normal n, stiffness k and damping c of the pair, and W
as in `response.response`, the force f = k d n - c u (Harada, Koshizuka and Kawaguchi 2007) is implicit: taken at the
end of a substep h, after it has changed u by h W f and d by h times that:

    along n   u' - u = h W (k d - c u) / (1 + h W (c + h k)), never attractive
    across    u' - u = -h W c u / (1 + h W c)
"""

from __future__ import annotations

from ....compiler.kernels import kernel
from ..narrow_phase.place import difference
from .response import contact_inv_mass, shift_sides, sides_apart


@kernel
def push_penalty(touching, contact, weight, normal, rest_separation, kind, stiffness, damping, inv_mass, h, x, v):
    """Apply penalty forces to overlapping pairs, and remove all pairs that have a stiffness from the contacts.

    Args:
        touching: in and out bool; contact, weight, normal, rest_separation: see `narrow_phase.contacts`.
        kind: (n,) of each particle's body; stiffness [N/m], damping [N s/m]: (kinds, kinds); h: the substep [s].
        x: in and out (n, 3), predicted positions [m]; v: in and out (n, 3) [m/s].
    """
    for m in range(touching.shape[0]):
        if not touching[m]:
            continue
        k = stiffness[kind[contact[m, 0]], kind[contact[m, 3]]]
        if k == 0.0:
            continue
        touching[m] = False
        depth = rest_separation[m] - sides_apart(m, contact, weight, normal, x)
        total_inv_mass = contact_inv_mass(m, contact, weight, inv_mass)
        if depth <= 0.0 or total_inv_mass <= 0.0:
            continue
        c = damping[kind[contact[m, 0]], kind[contact[m, 3]]]
        along = sides_apart(m, contact, weight, normal, v)
        gain = max(0.0, h * total_inv_mass * (k * depth - c * along) / (1.0 + h * total_inv_mass * (c + h * k)))
        slowed = h * total_inv_mass * c / (1.0 + h * total_inv_mass * c)
        ux, uy, uz = difference(m, contact, weight, v)
        gain += slowed * along
        dx = gain * normal[m, 0] - slowed * ux
        dy = gain * normal[m, 1] - slowed * uy
        dz = gain * normal[m, 2] - slowed * uz
        shift_sides(m, contact, weight, inv_mass, total_inv_mass, dx, dy, dz, v)
        shift_sides(m, contact, weight, inv_mass, total_inv_mass, h * dx, h * dy, h * dz, x)
