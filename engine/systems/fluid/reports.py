"""Particles, attributes and diagnostics of fluids in a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...world.points import report_points
from .population import Population
from .roster import Roster
from .solver import FluidSolver
from .timing import Timing

if TYPE_CHECKING:
    from ...world.frame import Frame
    from ...world.world import State


def report_fluids(
    populations: Sequence[Population], roster: Roster, solver: FluidSolver, timing: Timing, state: State, frame: Frame,
) -> None:
    """Add particles that are alive to a frame, in the order of their ids, with attributes and diagnostics."""
    error = np.zeros(sum(len(p.ids) for p in populations), dtype=np.float32)
    if len(solver.error) == len(error) == len(roster.rank):
        error[roster.rank] = np.maximum(solver.error, np.float32(0.0))
    first = 0
    for p in populations:
        ids, name, living = p.ids, p.spec.name, p.living
        report_points(frame, name, state, ids, living.start, 0.5 * p.spacing)
        frame.attributes[name]["velocity"] = frame.velocities[name]
        frame.attributes[name]["age"] = p.age[ids - living.start].astype(np.float32)
        there = error[first : first + len(ids)]
        first += len(ids)
        frame.attributes[name]["compression"] = there
        frame.diagnostics[name] = {
            "particles": (float(living.born), float(len(ids)), float(living.gone)),
            "far": (float(p.far), float(p.spec.range)),
            "compression": (float(there.mean()), float(there.max())) if len(there) else (0.0, 0.0),
            "steps": (float(timing.steps), float(timing.taken)),
            "overflow": (float(solver.neighbors.lists.overflow),),
        }
