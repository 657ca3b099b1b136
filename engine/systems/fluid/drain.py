"""Where particles of a world's fluids go: into drains, and into the water below."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...spec import FluidSpec, WorldSpec
from .filling import voxels_of


class Drain:
    """A mesh that swallows what comes into it.

    Attributes:
        name: of its system; opening: it swallows nothing at 0.
    """

    def __init__(self, spec: FluidSpec, spacing: float) -> None:
        """Args: spacing: of the fluids [m]; what lies inside is known to half of it. Raises SpecError."""
        self.name, self.opening = spec.name, float(spec.opening)
        self._voxels = voxels_of(spec, 0.5 * spacing, spacing)

    def swallows(self, x: np.ndarray) -> np.ndarray:
        """Which of some points (n, 3) [m] are in it, (n,) bool."""
        voxels, inside = self._voxels, np.zeros(len(x), dtype=bool)
        if self.opening <= 0.0:
            return inside
        place = np.floor((x - voxels.corner) / voxels.size)
        near = np.flatnonzero(((place >= 0.0) & (place < voxels.full.shape)).all(axis=1))
        inside[near] = voxels.full[tuple(place[near].astype(np.int64).T)]
        return inside


def water_level(spec: WorldSpec) -> float:
    """The highest level of the waters of a world [m], minus infinity without any."""
    return max((float(one.height) for one in spec.systems if one.traits.lifts), default=-np.inf)


def split(specs: Sequence[FluidSpec]) -> tuple[list[FluidSpec], list[FluidSpec]]:
    """Fluids that have particles, and drains."""
    drains = [one for one in specs if one.emission == "OUTFLOW"]
    return [one for one in specs if one.emission != "OUTFLOW"], drains
