"""Plasticity and fracture of links: a link that is strained too far yields, and finally breaks.

Beyond the yield strain e_y the rest length l0 approaches the length l at a rate c [1/s]:

    dl0/dt = c (l - l0 (1 ± e_y)),   + in tension, - in compression

A substep covers the fraction 1 - exp(-c h) of the distance, so any rate is stable and the result does not depend on the
substep: a link held at l ends with l0 = l / (1 ± e_y). l0 stays within (1 ± most) of its initial value. A link breaks
permanently when its strain relative to the current l0 exceeds the break strain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, prange

# Number of links that one thread handles at a time.
CHUNK = 1024


class PlasticColumns(NamedTuple):
    """Links that yield and break, in the packed order of the springs.

    Attributes:
        rest: (p,) float64, current rest lengths [m]; lowest, highest: (p,), what they stay between [m].
        upper, lower: (p,), 1 ± yield strain, infinite and -infinite where a link does not yield.
        pace: (p,), 1 - exp(-c h); breaks: (p,), 1 + break strain, infinite where a link does not break.
    """

    rest: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    upper: np.ndarray
    lower: np.ndarray
    pace: np.ndarray
    breaks: np.ndarray


@parallel_kernel
def yield_and_break(length, links, spring_rest, has_broken):
    """Update rest lengths after a substep, and find out whether any link breaks.

    Args:
        length: (p,) [m]; links: `PlasticColumns`, `rest` is in and out; spring_rest: (p,) of the springs, in and out.
        has_broken: (ceil(p / CHUNK),) bool, out: whether `breaking` finds a link in the chunk.
    """
    rest = links.rest
    lowest = links.lowest
    highest = links.highest
    upper = links.upper
    lower = links.lower
    pace = links.pace
    breaks = links.breaks
    for chunk in prange(has_broken.shape[0]):
        own = slice(chunk * CHUNK, min(chunk * CHUNK + CHUNK, length.shape[0]))
        has_broken[chunk] = _yield(
            length[own], rest[own], lowest[own], highest[own], upper[own], lower[own], pace[own], breaks[own],
            spring_rest[own],
        )


@kernel
def _yield(length, rest, lowest, highest, upper, lower, pace, breaks, spring_rest):
    """One chunk; returns whether a link breaks.

    Selections in place of branches, and indices from 0, so that LLVM handles several links at a time. Products of
    infinity and 0 are NaN, with which no comparison holds.
    """
    broken = 0
    for s in range(length.shape[0]):
        now = float(length[s])
        before = rest[s]
        above = before * upper[s]
        below = before * lower[s]
        elastic = above if now > above else now
        elastic = below if now < below else elastic
        moved = before + pace[s] * (now - elastic)
        moved = moved if moved > lowest[s] else lowest[s]
        moved = moved if moved < highest[s] else highest[s]
        yields = now != elastic
        moved = moved if yields else before
        broken += 1 if now > moved * breaks[s] else 0
        rest[s] = moved
        spring_rest[s] = moved if yields else spring_rest[s]
    return broken > 0


def breaking(length: np.ndarray, links: PlasticColumns) -> np.ndarray:
    """Links that are longer than their break strain allows, (p,) bool."""
    with np.errstate(invalid="ignore"):
        return length.astype(np.float64) > links.rest * links.breaks
