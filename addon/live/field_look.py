"""Effect of force fields during a live session, whose solver is the only one that may run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ...engine import ForceFieldSpec
    from .session import LiveSession


def live_field(session: LiveSession, fields: Sequence[ForceFieldSpec], places: np.ndarray) -> np.ndarray | None:
    """Accelerations by fields as the solver last found them, (n, 3) [m/s²]; requests them at places (n, 3) [m]."""
    solver = session._solver
    solver.request_field(fields, places)
    return solver.field
