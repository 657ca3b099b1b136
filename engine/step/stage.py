"""The stages of a step."""

from __future__ import annotations

from enum import Enum


class Stage(Enum):
    """Stages of a frame at which systems and interactions act.

    1 begin frame                    controls; broad phase: candidate pairs, renewed when particles leave the margin
    2 per substep, h = dt / substeps
        a                MOVE        velocities that bring held particles to their targets
        b                FORCE       gravity, drag, segment air, fields such as water and wind    v += h a
        c                predict     x_prev = x ; x += h v, held particles too
        d                NARROW      subtract displacements by spread forces; separation, normal, point of each pair
        e                POSITION    springs, bending and air in inner steps; then contacts
        f                velocities  v = (x - x_prev) / h, of the same particles as c
        g                VELOCITY    restitution
        h                END         temporary changes of the substep, such as added mass, are undone
    3 check              finite? else Diverged
    4 Frame

    Gravity, drag, c and f leave out particles that a system integrates itself, see `System.integrates_until`.

    With the integrator SYMPLECTIC all forces are explicit, so 2 becomes

        a                MOVE        as above
        b                FORCE       air, buoyancy, repulsion, gravity                         v += h a
        c                advance     springs' forces, drag, x_prev = x ; x += h v in one pass
        d - h            as above; only contacts act in them

    and where only springs, gravity and drag act, all substeps of a frame run in one kernel call.
    """

    MOVE = 1
    FORCE = 2
    NARROW = 3
    POSITION = 4
    VELOCITY = 5
    END = 6
