"""How long the sums of fields are held: fields vary slowly, so they need not be evaluated in every substep.

The sums of a particle are evaluated once for n substeps, at the predicted position x + (n - 1) h v / 2 in the middle
of them, and with the fields at their positions at that time. The error is of second order in n h. In a harmonic field
the map from (x, v) to their values n substeps later has determinant 1, as for single substeps: with
A = w² (x + s v), v' = v - n h A and x' = x + n h v - h² A n (n + 1) / 2, the determinant is
1 + w² n h (n h - h (n + 1) / 2 - s), and s is chosen so that the bracket is 0. So an orbit gains no energy.

That is valid while a field is nearly linear along the path. Other blocks of particles are evaluated in every substep:
those with a particle whose path within the interval exceeds `NEAR` times its distance to a singularity of a field
(divided by `sharp`, the power of that singularity), and those in a field so stiff that w n h > `STIFF`. Terms with v
always use the current v.
"""

from __future__ import annotations

import math
from typing import Any

from .laws.rows import PLANE, POINT

# The longest interval for which fast and slow fields are held [s].
FAST_INTERVAL, SLOW_INTERVAL = 1.0 / 48.0, 1.0 / 24.0
NEAR = 0.2
STIFF = 0.3


def substeps_held(substeps: int, h: float) -> tuple[int, int]:
    """Substeps for which fast and slow fields are held: few equal intervals a frame, none longer than allowed."""
    fast = -(-substeps // _intervals(substeps * h, FAST_INTERVAL, substeps))
    parts = -(-substeps // fast)
    return fast, fast * -(-parts // _intervals(substeps * h, SLOW_INTERVAL, parts))


def _intervals(frame: float, longest: float, most: int) -> int:
    """The fewest parts of a frame [s] that are not longer than allowed, but no more than `most`."""
    return min(most, math.ceil(frame / longest - 1e-6))


def sharpness(row: Any, law: str) -> float:
    """The power of a field's singularity at |p| = 0, 0 where it has none."""
    if law == "LENNARDJ":
        return 13.0
    if law == "FORCE":
        return 3.0 if row["inverse_square"] else 1.0
    is_sharp = (
        (law == "HARMONIC" and row["length"] != 0.0) or (law == "MAGNET" and row["form"] != PLANE)
        or (law == "VORTEX" and row["form"] == POINT)
    )
    return 1.0 if is_sharp else 0.0


def stiffness(strength: float, law: str) -> float:
    """The largest w² of a field: acceleration over distance [1/s²]."""
    if law == "VORTEX":
        return strength * strength
    return abs(strength) if law in ("HARMONIC", "CHARGE") else 0.0
