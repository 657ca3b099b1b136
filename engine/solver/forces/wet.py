"""Water on one triangle: the exact integral of hydrostatic pressure over its wet part, and the wet area.

F = -integral of rho g depth n dA (Archimedes). Depth is linear over a triangle. On a sub-triangle of area A with corner
depths d_s, the part that corner k receives, weighted by its linear coordinate N_k, is

    integral of depth N_k dA = A / 12 (sum d_s  sum N_s + sum d_s N_s)

A triangle that crosses the water surface is clipped into one or two wet sub-triangles. With A = alpha |n| and the
normal n = (b - a) x (c - a), the force is that factor times n, which needs no square root.
"""

from __future__ import annotations

from ...compiler.kernels import part_of_kernel


@part_of_kernel
def wet_weights(da, db, dc, alpha):
    """Lift and wet area of each corner, divided by |n|: (lift_a, lift_b, lift_c) [m] and (wet_a, wet_b, wet_c).

    Args: da, db, dc: depths of the corners [m], at least one above 0; alpha: area / |n|, 1/2 for the whole triangle.
    """
    if da >= 0.0 and db >= 0.0 and dc >= 0.0:
        lift = alpha / 12.0
        wet = alpha / 3.0
        total = da + db + dc
        return lift * (total + da), lift * (total + db), lift * (total + dc), wet, wet, wet
    # Rotate the corners so that the one that is alone on its side of the water surface comes first.
    if (da > 0.0) == (db > 0.0):
        l2, l0, l1, w2, w0, w1 = _clipped(dc, da, db, alpha)
    elif (da > 0.0) == (dc > 0.0):
        l1, l2, l0, w1, w2, w0 = _clipped(db, dc, da, alpha)
    else:
        l0, l1, l2, w0, w1, w2 = _clipped(da, db, dc, alpha)
    return l0, l1, l2, w0, w1, w2


@part_of_kernel
def _clipped(d0, d1, d2, alpha):
    """As `wet_weights`, for a triangle whose first corner is alone on its side of the water surface.

    The water surface cuts the edges 0-1 and 0-2 at the fractions s and u, that is at the linear coordinates
    (1 - s, s, 0) and (1 - u, 0, u).
    """
    s = d0 / (d0 - d1)
    u = d0 / (d0 - d2)
    if d0 > 0.0:
        part = alpha * s * u
        lift = part / 12.0 * d0
        wet = part / 3.0
        return lift * (4.0 - s - u), lift * s, lift * u, wet * (3.0 - s - u), wet * s, wet * u
    # Two wet triangles: (cut of edge 0-1, corner 1, corner 2), then (cut of edge 0-1, corner 2, cut of edge 0-2).
    first = alpha * (1.0 - s)
    second = alpha * s * (1.0 - u)
    lift = first / 12.0
    second_lift = second / 12.0 * d2
    total = d1 + d2
    return (
        lift * total * (1.0 - s) + second_lift * (2.0 - s - u),
        lift * (total * (1.0 + s) + d1) + second_lift * s,
        lift * (total + d2) + second_lift * (2.0 + u),
        first / 3.0 * (1.0 - s) + second / 3.0 * (2.0 - s - u),
        first / 3.0 * (1.0 + s) + second / 3.0 * s,
        first / 3.0 + second / 3.0 * (1.0 + u),
    )
