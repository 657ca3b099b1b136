"""Constants of each fluid for the terms of a step, and how often these terms act in a substep."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .law import PER_PULL, tension
from .population import Population
from .rows import FluidKinds
from .solver import IMPLICIT

# XSPH with a coefficient c is a viscosity of c support² / SUM a step, see `for_steps`. Even water has LEAST_SHARE in a
# step of LEAST_STEP [s], since jittering particles look like steam.
SUM = 34.0
LEAST_FRACTION, LEAST_STEP = 0.01, 1.0 / 240.0
# Largest coefficient of one pass, and the most passes in a step: beyond that the step is implicit.
MOST_AT_ONCE, MOST_PASSES = 0.4, 4
# Steps of a fluid with surface tension, in sqrt(rho support³ / gamma). The shortest capillary wave is as long as the
# support: with w² = gamma k³ / rho and k = 2 pi / support it has w = 15.7 in the inverse of that unit, and an
# explicit step is stable below 2 / w = 0.127. A step takes a seventh of its period.
RIPPLE = 0.06
# Surface tension pulls no particle harder than this [m/s²]: a hundred times gravity.
MOST_PULL = 1000.0


def kinds_of(populations: Sequence[Population], support: float) -> FluidKinds:
    """Constants of the fluids with living particles, and the fluid of each particle.

    Values: inverse mass over that of the first fluid; viscosity [Pa s] over the density of the first [kg/m³]; A of
    surface tension [m/s²]; how much a wall counts as fluid for that. support: [m].
    """
    some, first = [p for p in populations if len(p.ids)], float(populations[0].spec.density)
    specs, sizes = [p.spec for p in some], [len(p.ids) for p in some]
    # For pairs of two fluids each term takes the mean of both, so its constants refer to the mass of the first fluid.
    # The same force accelerates the lightest fluid more, and a wall pulls as fluid does, times the adhesion.
    lightest = min((float(one.density) for one in specs), default=first)
    strongest = max((float(one.adhesion) for one in specs), default=1.0)
    pull = MOST_PULL * lightest / (first * max(strongest, 1.0))
    rows = [
        (
            first / float(one.density), float(one.viscosity) / first,
            min(tension(float(one.surface_tension), first, support), pull), float(one.adhesion),
        )
        for one in specs
    ]
    values = np.ascontiguousarray(np.array(rows).reshape(-1, 4).T, dtype=np.float32)
    return FluidKinds(values, np.repeat(np.arange(len(some), dtype=np.uint16), sizes))


def for_steps(
    kinds: FluidKinds, support: float, h: float, steps: int, interval: float
) -> tuple[FluidKinds, int, bool]:
    """Kinds for `FluidSolver.step`; passes of viscosity, or IMPLICIT; whether viscosity acts once an interval.

    The sum over neighbours of V W (v_j - v_i) is <r²> / 6 laplace v. In a continuum <r²> is support² / 5 of the kernel;
    in a lattice of particles the sum is 0.91 of that, in a fluid at rest 0.88: nu h = c support² / SUM. Fluids of low
    viscosity are smoothed once an interval; others in every step, several times or by an implicit solve.

    Args: kinds: see `kinds_of`; support: [m]; steps: in h [s]; interval: for low viscosity, h or longer [s].
    """
    values = kinds.values.copy()
    c = SUM * values[1] * interval / support**2 + LEAST_FRACTION * interval / LEAST_STEP
    # A fluid lighter than the first one takes on more of the velocity of a pair.
    most = MOST_AT_ONCE / max(float(values[0].max(initial=1.0)), 1.0)
    is_thin = float(c.max(initial=0.0)) < most
    if not is_thin:
        c *= h / (interval * steps)
    passes = max(int(np.ceil(float(c.max(initial=0.0)) / most)), 1)
    if passes > MOST_PASSES:
        passes = IMPLICIT
    values[1] = c / max(passes, 1)
    values[2] *= np.float32(h / steps)
    return kinds._replace(values=values), passes, is_thin


def capillary_steps(kinds: FluidKinds, support: float, h: float) -> int:
    """Steps that the shortest capillary wave needs in h [s], see RIPPLE; kinds: see `kinds_of`; support: [m]."""
    rel_inv_mass, _, pull, adhesion = kinds.values
    hardest = float((rel_inv_mass * pull * np.maximum(adhesion, 1.0)).max(initial=0.0))
    return int(np.ceil(h / RIPPLE * np.sqrt(hardest / (PER_PULL * support))))
