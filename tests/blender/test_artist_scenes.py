"""Random scenes of an artist: no edge passes through a face in any substep, and no body explodes.

`python -m pytest tests/blender/test_artist_scenes.py --artists 100` is the long run.
"""

from __future__ import annotations

import numpy as np
import pytest
from artist_scenes import SPEEDS, build, play
from make_scene import fresh_scene

FRAMES = 40
# Bound for a fall of five metres, the fastest throw and a rebound of a light body from a heavy one together [m/s].
FASTEST = 4.0 * SPEEDS[1]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize the test with the requested number of scenes."""
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(metafunc.config.getoption("--artists")))


@pytest.mark.slow
def test_t22_nothing_comes_through_in_scenes_of_an_artist(seed: int) -> None:
    fresh_scene(None, (1, FRAMES)).flotsam.substeps = 10
    contents, thrown = build(seed)
    played = play(FRAMES, thrown)
    assert played.crossed == 0, (contents, played.first)
    assert np.isfinite(played.fastest) and played.fastest < FASTEST, (contents, played.fastest)
    assert played.gained <= 0.0, (contents, played.gained)
