"""`Traits`: what the rest of the engine and the add-on may ask of a kind of system, instead of its name."""

from __future__ import annotations

from typing import NamedTuple


class Traits(NamedTuple):
    """What systems of a kind are to others. Declared once, as `traits` on the kind's specification.

    Attributes:
        moves: forces and contacts move its particles.
        deforms: its particles move apart from each other; else they move as one, or not at all.
        is_rigid: its bodies have six degrees of freedom, in `World.rigid`.
        is_wall: others bump into it, and nothing pushes it.
        wets: water lifts and drags its surface.
        lifts: it is a water, which does that.
        is_grabbable: the mouse may pull at it.
        is_springy: its particles are joined by springs, which ties and spring steps are for.
        steers: its particles decide for themselves where they go.
        carries: its particles carry along what is among them.
    """

    moves: bool = False
    deforms: bool = False
    is_rigid: bool = False
    is_wall: bool = False
    wets: bool = False
    lifts: bool = False
    is_grabbable: bool = False
    is_springy: bool = False
    steers: bool = False
    carries: bool = False
