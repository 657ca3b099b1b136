"""Marks at the particles of fluids, coloured by compression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .lines import Lines, joined

if TYPE_CHECKING:
    from .picture import Subject

# With more particles than this, only some of them have marks.
MOST_MARKS = 5000
# Compression at full colour; colours at rest and at full colour, sRGB.
FULL, REST, DENSE = 0.05, (0.1, 0.45, 1.0, 0.55), (1.0, 0.16, 0.1, 1.0)
# Arm of a cross, over the radius of a particle.
_ARM = 0.5


def compression_marks(subjects: Sequence[Subject]) -> Lines:
    """A cross at every particle of all fluids, or at every n-th one if there are more than `MOST_MARKS`."""
    fluids = [subject for subject in subjects if subject.compression is not None]
    every = max(-(-sum(len(subject.positions) for subject in fluids) // MOST_MARKS), 1)
    return joined([_crosses(subject, every) for subject in fluids])


def _crosses(subject: Subject, every: int) -> Lines:
    places, dense = subject.positions[::every].astype(np.float32), subject.compression[::every]
    arms = _ARM * subject.size * np.stack([-np.eye(3), np.eye(3)], axis=1)
    ends = (places[:, None, None] + arms.astype(np.float32)).reshape(-1, 3)
    fraction = np.clip(dense / FULL, 0.0, 1.0)[:, None]
    colors = (np.array(REST) * (1.0 - fraction) + np.array(DENSE) * fraction).astype(np.float32)
    return Lines(ends, np.repeat(colors, 6, axis=0))
