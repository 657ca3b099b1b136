"""Layout of the scratch arrays for a block of particles.

Numbers of a block are stored column by column, so that LLVM vectorizes loops over a block. Sums of up to `GROUP` fields
are in single precision, and are then added to totals in double precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

BLOCK = 64
# Fields whose sums are taken in single precision.
GROUP = 8

# `FieldScratch.doubles`: positions, then totals in the order of the sums.
X, Y, Z, TOTALS = (BLOCK * column for column in range(4))
# Sums: acceleration, damping rate, damping rate over speed, magnetic field, wind, and sharpness: the largest of 1 over
# the distance to a singularity of a field.
SUMS = ("ax", "ay", "az", "rate", "rate_by_speed", "bx", "by", "bz", "wx", "wy", "wz")
COLUMNS = len(SUMS)
DOUBLES = TOTALS + COLUMNS * BLOCK

# `FieldScratch.singles`: sums, whether particles are on faces on which the air acts, offsets from the field, p and
# 1 / |p| of `falloff`, weight times falloff, force of the current field; noise: fractions and fades of coordinates.
(
    AX, AY, AZ, RATE, RATE_BY_SPEED, BX, BY, BZ, WX, WY, WZ, SHARPNESS, ON_FACE, OX, OY, OZ, PX, PY, PZ, NEAR, LEFT,
    FX, FY, FZ, TX, TY, TZ, UX, UY, UZ,
) = (BLOCK * column for column in range(30))
SINGLES = 30 * BLOCK
# `FieldScratch.codes`: cells of noise, and the directions at their corners for each component.
CODES = 6 * BLOCK


class FieldScratch(NamedTuple):
    """Scratch arrays of one task.

    Attributes:
        doubles: (DOUBLES,) float64; singles: (SINGLES,) float32; codes: (CODES,) int32.
    """

    doubles: np.ndarray
    singles: np.ndarray
    codes: np.ndarray


def field_scratch(tasks: int) -> FieldScratch:
    """Scratch arrays of several tasks, one after another."""
    return FieldScratch(
        np.zeros(tasks * DOUBLES), np.zeros(tasks * SINGLES, dtype=np.float32), np.zeros(tasks * CODES, dtype=np.int32)
    )
