"""Which passages through a surface the last check of a substep sets back."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine.solver.collide.narrow_phase.contacts import FAR, _may_set_back


@pytest.mark.parametrize(
    ("of_solid", "share", "is_set_back"), [(False, 0.5, True), (True, 0.5, False), (True, 1.5, True)]
)
def test_a_sheet_is_never_pressed_into_a_solid(of_solid: bool, share: float, is_set_back: bool) -> None:
    """A particle passes a face of a solid, slower or faster than FAR of the rest separation in a substep.

    One of a solid comes out again by itself. A sheet that a ring was pressed against was cut by its edges: it went
    in by 0.1 rest separations in each of five substeps.
    """
    x0 = np.array([[0.2, 0.2, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    x, rest = x0.copy(), np.array([0.01])
    x[0, 2] = -share * FAR * rest[0]
    enclosed = np.array([of_solid, True, True, True])
    weight, normal = np.array([[1.0, -0.6, -0.2, -0.2]]), np.array([[0.0, 0.0, 1.0]])
    found = _may_set_back(0, np.arange(4, dtype=np.int64)[None], weight, normal, rest, np.ones(4), enclosed, x0, x)
    assert found == is_set_back
