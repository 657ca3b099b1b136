"""What water does to one triangle: hydrostatic pressure integrated exactly over its wet part, and the area it wets.

F = -integral of rho g depth n dA (Archimedes). Depth is linear over a triangle, so on any sub-triangle of area A
with corner depths d_s the share that goes to corner k, weighted by its linear coordinate N_k, is

    integral of depth N_k dA = A / 12 (sum d_s  sum N_s + sum d_s N_s)

A triangle that crosses the surface is clipped there into one or two wet sub-triangles. With A = alpha |n| and the
normal n = (b - a) x (c - a), the force is that times n, and no root is taken.
"""

from __future__ import annotations

from ...compiler.kernels import part_of_kernel


@part_of_kernel
def wet_shares(da, db, dc, alpha):
    """Lift and wet area of each corner, over |n|: (lift_a, lift_b, lift_c) [m] and (wet_a, wet_b, wet_c).

    Args: da, db, dc: depths of the corners [m], one of them above nought; alpha: area over |n|, 1/2 for all of it.
    """
    if da >= 0.0 and db >= 0.0 and dc >= 0.0:
        lift = alpha / 12.0
        wet = alpha / 3.0
        total = da + db + dc
        return lift * (total + da), lift * (total + db), lift * (total + dc), wet, wet, wet
    # Turned so that the corner alone on its side of the surface comes first.
    if (da > 0.0) == (db > 0.0):
        l2, l0, l1, w2, w0, w1 = _clipped(dc, da, db, alpha)
    elif (da > 0.0) == (dc > 0.0):
        l1, l2, l0, w1, w2, w0 = _clipped(db, dc, da, alpha)
    else:
        l0, l1, l2, w0, w1, w2 = _clipped(da, db, dc, alpha)
    return l0, l1, l2, w0, w1, w2


@part_of_kernel
def _clipped(d0, d1, d2, alpha):
    """As `wet_shares`, of a triangle whose first corner is alone on its side of the surface.

    The surface cuts the sides at s of the way from corner 0 to 1, and at u of that to 2: at the linear coordinates
    (1 - s, s, 0) and (1 - u, 0, u).
    """
    s = d0 / (d0 - d1)
    u = d0 / (d0 - d2)
    if d0 > 0.0:
        part = alpha * s * u
        lift = part / 12.0 * d0
        wet = part / 3.0
        return lift * (4.0 - s - u), lift * s, lift * u, wet * (3.0 - s - u), wet * s, wet * u
    # From the cut of the first side: to both wet corners, then to the second of them and the other cut.
    first = alpha * (1.0 - s)
    second = alpha * s * (1.0 - u)
    lift = first / 12.0
    more = second / 12.0 * d2
    total = d1 + d2
    return (
        lift * total * (1.0 - s) + more * (2.0 - s - u),
        lift * (total * (1.0 + s) + d1) + more * s,
        lift * (total + d2) + more * (2.0 + u),
        first / 3.0 * (1.0 - s) + second / 3.0 * (2.0 - s - u),
        first / 3.0 * (1.0 + s) + second / 3.0 * s,
        first / 3.0 + second / 3.0 * (1.0 + u),
    )
