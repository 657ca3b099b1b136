"""Numbers that are not finite are found, and named by their first particle."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine.step.integrate import first_not_finite


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e301, -1e301])
@pytest.mark.parametrize("column", [0, 1])
def test_the_first_particle_that_is_not_finite_is_named(value: float, column: int) -> None:
    """One value of positions or of velocities is enough, wherever it stands; later ones do not count."""
    columns = [np.linspace(-5.0, 5.0, 60).reshape(20, 3) for _ in range(2)]
    assert first_not_finite(*columns) == -1
    columns[column][7, 1] = value
    columns[1 - column][12, 2] = np.nan
    assert first_not_finite(*columns) == 7


def test_no_particles_are_finite() -> None:
    """An empty world has nothing to name."""
    assert first_not_finite(np.zeros((0, 3)), np.zeros((0, 3))) == -1
