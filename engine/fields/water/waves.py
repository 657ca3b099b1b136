"""Waves of one water: its surface is a mesh that moves with the frames."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import SpecError
from ...solver.forces.waves import (
    COLUMNS,
    WaveGrid,
    WaveSurface,
    count_cells,
    fill_cells,
    measure_waves,
    sample_waves,
)
from ...spec import WaterSpec
from ...spec.check import indices, points

# Triangles that a cell of the grid has on average, and the most cells.
IN_CELL, MOST_CELLS = 1.0, 1 << 22


class Waves:
    """The surface of one water at both ends of the running frame.

    Attributes:
        level: of the water without waves at both ends of the frame [m]; elsewhere than over the mesh it lies there.
    """

    def __init__(self, spec: WaterSpec, frame_rate: float) -> None:
        """Args: frame_rate: [1/s]; raises SpecError for a mesh that is no surface."""
        self._name = spec.name
        if spec.vertices is None or spec.triangles is None:
            raise SpecError(spec.name, "surface", spec.surface, "vertices and triangles with it, or LEVEL")
        self._start = self._end = points(spec.name, "vertices", spec.vertices)
        self._triangles = indices(spec.name, "triangles", spec.triangles, 3, len(self._end))
        if len(self._triangles) == 0:
            raise SpecError(spec.name, "triangles", "no triangle", "a mesh with faces for the surface of the water")
        self.level = (0.0, 0.0)
        self._frame_rate, self._done = frame_rate, 1.0
        self._at: np.ndarray | None = None
        self._set_ends()

    def begin_frame(self, target: np.ndarray | None) -> None:
        """Go on to the vertices (n, 3) at the end of the frame [m], None to stand still; raises SpecError."""
        if target is not None:
            target = points(self._name, "vertices in controls", target)
            if target.shape != self._end.shape:
                came, wanted = f"{len(target)} of them", f"{len(self._end)}, as when built"
                raise SpecError(self._name, "vertices in controls", came, wanted)
        self._done = 0.0
        if target is not None or self._start is not self._end:
            self._start, self._end = self._end, self._end if target is None else target
            self._set_ends()

    def _set_ends(self) -> None:
        """Measure both ends, and index the triangles by cells that contain them all through the frame."""
        height, square, slope = measure_waves(self._start, self._triangles)
        self.level = height, measure_waves(self._end, self._triangles)[0]
        self._wave_number = math.sqrt(slope / square) if square > 0.0 else 0.0
        both = np.concatenate([self._start, self._end])
        low, high = both.min(axis=0), both.max(axis=0)
        self._highest = max(float(high[2]), *self.level)
        size = np.maximum(high[:2] - low[:2], 1e-9)
        wanted = min(max(len(self._triangles) / IN_CELL, 1.0), MOST_CELLS)
        cell = max(math.sqrt(size[0] * size[1] / wanted), float(size.max()) / MOST_CELLS)
        columns, rows = (max(math.ceil(length / cell), 1) for length in size)
        self._grid = WaveGrid(float(low[0]), float(low[1]), 1.0 / cell, columns, rows)
        cell_start = np.zeros(columns * rows + 1, dtype=np.int64)
        found = count_cells(self._start, self._end, self._triangles, self._grid, cell_start)
        cell_triangle = np.zeros(found, dtype=np.int32)
        fill_cells(self._start, self._end, self._triangles, self._grid, cell_start, cell_triangle)
        self._surface = WaveSurface(self._start, self._end, self._triangles, cell_start, cell_triangle)

    def level_at(self, done: float) -> float:
        """Level of the water without waves at the fraction `done` of the frame [m]."""
        return (1.0 - done) * self.level[0] + done * self.level[1]

    def sample(self, x: np.ndarray, done: float) -> np.ndarray:
        """What the waves do at the fraction `done` of the frame at x (n, 3) [m], (n, COLUMNS), see `sample_waves`."""
        is_first = self._at is None or len(self._at) != len(x)
        if is_first:
            self._at = np.zeros((len(x), COLUMNS))
        self._done = done
        sea = self.level_at(done), self._highest, self._wave_number
        sample_waves(x, self._surface, self._grid, (done, self._frame_rate), sea, self._at)
        if is_first:
            # The velocity before is not known.
            self._at[:, 4:] = 0.0
        return self._at

    def over(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Height of the surface over or under x (n, 3) now, (n,) [m], and its velocity there, (n, 3) [m/s]."""
        waves, level = np.zeros((len(x), COLUMNS)), self.level_at(self._done)
        sample_waves(x, self._surface, self._grid, (self._done, self._frame_rate), (level, math.inf, 0.0), waves)
        return level + waves[:, 0], waves[:, 1:4]

    def memory(self) -> dict[str, Any]:
        """Both ends of the last frame, and what waves did at particles in its last substep."""
        at = np.zeros((0, COLUMNS)) if self._at is None else self._at
        return {"start": self._start, "end": self._end, "at": at}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore `memory`; the mesh of another world may have other vertices, which stay where they are."""
        if memory["end"].shape == self._end.shape:
            self._start, self._end, self._done = memory["start"], memory["end"], 1.0
            self._at = memory["at"] if len(memory["at"]) else None
            self._set_ends()
