"""Constants of a fluid's smoothing kernel, and the contribution of a wall to its density.

The kernel is that of `vector.fluid`. A wall is a half space full of fluid at rest: at a distance d from a particle,
with T = 1 - d / support, it adds to the relative density

    cap(d) = 21 (T^6 / 6 - 3 T^7 / 14 + T^8 / 14)        d cap / dd = -21 / support (T^5 - 3 T^6 / 2 + 4 T^7 / 7)

which is a half at the wall itself. Compare Bender et al. 2019, "Volume maps", whose map of a plane this is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import part_of_kernel

# Particles keep this fraction of the spacing from walls; pressure keeps them at about a half.
CLEARANCE = 0.25
# Support over spacing: 33 neighbours in the bulk.
SUPPORT = 2.0
# The kernel sum of a lattice of particles is 1.034 of its density; particles that come to rest after flowing are packed
# more loosely. With the kernel scaled by this factor, a column at rest is as high as its volume over its area.
REST = 0.95
# Jacobi relaxation: the fraction of a constraint's own correction that each particle makes. The largest eigenvalue of
# the simultaneous corrections is between 2.7 (lattice) and 3.4 (disordered); beyond 2 over it they overshoot.
RELAXATION = 0.45
# Largest density error that a particle corrects at once: overlapping particles separate slowly.
MOST_ERROR = 0.5
# Limit of the total pressure [support²], which moves a particle by 0.16 supports; and of the pressure by which a
# particle corrects its own density.
MOST_PRESSURE, MOST_OWN = 0.065, 0.04
# Pressure over support that moves a particle by one metre [m].
OWN_PRESSURE = 0.4
# Below this distance the drag of a wall grows no further [support].
NEAREST_GRIP = 0.1
# The strength of surface tension, A density support² / gamma, see `tension`.
PER_PULL = 20.0
# Cohesion over the pressure that surface tension takes from the outermost layer, see `density.apply_cohesion`.
COHESION = 0.3


class Law(NamedTuple):
    """Constants of a fluid for kernels.

    Attributes:
        support: [m]; per_support: [1/m].
        scale: relative density of one neighbour at distance zero.
        slope: of the relative density, so that its gradient is slope t^3 d [1/m²].
        max_pressure: largest total pressure [m²].
        max_own_pressure: largest pressure by which a particle corrects its own density [m²].
    """

    support: np.float32
    per_support: np.float32
    scale: np.float32
    slope: np.float32
    max_pressure: np.float32
    max_own_pressure: np.float32


def law_of(spacing: float) -> Law:
    """Constants of a fluid whose particles are `spacing` [m] apart at rest."""
    support = SUPPORT * spacing
    scale = REST * 21.0 / (2.0 * math.pi) * (spacing / support) ** 3
    numbers = (support, 1.0 / support, scale, 20.0 * scale / support**2, MOST_PRESSURE * support**2, math.inf)
    return Law(*(np.float32(number) for number in numbers))


def tension(gamma: float, density: float, support: float) -> float:
    """Strength A of surface tension [m/s²], for `density.apply_tension`.

    In a continuum the sum is support³ / 30 grad laplace c, with c the color field of the fluid smoothed by the kernel.
    Summed over the layers below a surface of radius R this is support³ / 30 (2 / R) c', and c' = 1.5 / support at the
    surface: the pressure jump 2 gamma / R requires A = 20 gamma / (density support²).

    Args: gamma: [N/m]; density: [kg/m³]; support: [m].
    """
    return PER_PULL * gamma / (density * support**2)


@part_of_kernel
def cap(distance, per_support):
    """Contribution of a wall at a distance [m] to the relative density."""
    t = max(np.float32(1.0) - max(distance, np.float32(0.0)) * per_support, np.float32(0.0))
    cube = t * t * t
    return cube * cube * (np.float32(3.5) - np.float32(4.5) * t + np.float32(1.5) * t * t)


@part_of_kernel
def cap_slope(distance, per_support):
    """Negative derivative of `cap` by the distance: not negative [1/m]."""
    t = max(np.float32(1.0) - max(distance, np.float32(0.0)) * per_support, np.float32(0.0))
    square = t * t
    inner = np.float32(21.0) - np.float32(31.5) * t + np.float32(12.0) * square
    return square * square * t * inner * per_support


@part_of_kernel
def grip(distance, per_support):
    """Weight of a wall's velocity in viscosity, in place of `cap`: of ghost fluid in the wall, without slip.

    Ghost fluid at a depth z in the wall continues the linear velocity profile: v_wall + (v_wall - v) z / d. So each
    layer counts 1 + z / d times, and the integral of `cap` from d to the support gives the second part. Morris, Fox,
    Zhu 1997, "Modeling low Reynolds number incompressible flows using SPH".
    """
    t = max(np.float32(1.0) - max(distance, np.float32(0.0)) * per_support, np.float32(0.0))
    cube = t * t * t
    depth = cube * cube * t * (np.float32(0.5) - np.float32(0.5625) * t + t * t / np.float32(6.0))
    return cap(distance, per_support) + depth / max(distance * per_support, np.float32(NEAREST_GRIP))
