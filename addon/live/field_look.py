"""What force fields do during a live session, which has the only solver there may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ...engine import ForceFieldSpec
    from .session import LiveSession


def live_field(session: LiveSession, fields: Sequence[ForceFieldSpec], places: np.ndarray) -> np.ndarray | None:
    """What the solver found of fields at its last look, (n, 3) [m/s²]; it looks again at places (n, 3) [m]."""
    solver = session._solver
    solver.look_at_field(fields, places)
    return solver.field
