"""`Traits`: properties of a kind of system, which the engine and the add-on test instead of its name."""

from __future__ import annotations

from typing import NamedTuple


class Traits(NamedTuple):
    """How systems of a kind act on others. Declared once, as `traits` of the kind's specification.

    Attributes:
        moves: forces and contacts move its particles.
        deforms: its particles move relative to each other; otherwise they move rigidly, or not at all.
        is_rigid: its bodies have six degrees of freedom, in `World.rigid`.
        is_wall: other bodies collide with it, and nothing moves it by force.
        wets: water exerts buoyancy and drag on its surface.
        lifts: it is water, which exerts these.
        is_grabbable: the mouse can pull it.
        is_springy: springs connect its particles; ties and spring steps apply to it.
        steers: its particles choose their own motion.
        carries: its particles carry along everything among them.
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
