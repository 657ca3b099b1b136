"""The stages of a step."""

from __future__ import annotations

from enum import Enum


class Stage(Enum):
    """Moments of a frame at which systems and interactions act.

    1 broad phase        FRAME       candidate pairs for the frame; once more when someone outruns them
    2 per substep, h = dt / substeps
        a                MOVE        pins to the end of the substep (as velocities of held particles)
        b                FORCE       springs' explicit share, buoyancy, drag, gravity          v += h a
        c                predict     x_prev = x ; x += h v ; held particles move as told
        d                NARROW      separation, normal and point of each near pair
        e                POSITION    air, springs, spin; then contacts
        f                velocities  v = (x - x_prev) / h
        g                VELOCITY    restitution
    3 check              finite? else Diverged
    4 Frame

    With the integrator SYMPLECTIC all forces are explicit, so 2 becomes

        a                MOVE        as above
        b                FORCE       air, buoyancy, repulsion, gravity                         v += h a
        c                advance     springs' forces, drag, x_prev = x ; x += h v in one pass
        d - g            as above; only contacts act in them

    and where nothing but springs, gravity and drag acts, all substeps of a frame run in one go.
    """

    MOVE = 1
    FORCE = 2
    NARROW = 3
    POSITION = 4
    VELOCITY = 5
