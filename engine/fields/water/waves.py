"""Waves of one water: its surface is a mesh, or a height field, that moves with the frames."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

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
from ...world.controls import HeightField

# Triangles that a cell of the grid has on average, and the most cells.
IN_CELL, MOST_CELLS = 1.0, 1 << 22
# Largest coordinate, height and velocity of a height field [m], [m/s].
LARGEST = 1e9


class Shape(NamedTuple):
    """The surface of a water at one moment.

    Attributes:
        vertices: (n, 3) [m]; triangles: (t, 3) int32; velocities: (n, 3) [m/s], None for those with which it moves.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    velocities: np.ndarray | None = None


def mesh_shape(spec: WaterSpec) -> Shape:
    """The mesh of a water at the start; raises SpecError for one that is no surface."""
    if spec.vertices is None or spec.triangles is None:
        raise SpecError(spec.name, "surface", spec.surface, "vertices and triangles with it, or LEVEL")
    vertices = points(spec.name, "vertices", spec.vertices)
    triangles = indices(spec.name, "triangles", spec.triangles, 3, len(vertices))
    if len(triangles) == 0:
        raise SpecError(spec.name, "triangles", "no triangle", "a mesh with faces for the surface of the water")
    return Shape(vertices, triangles)


def _numbers(name: str, what: str, value: Any, wanted: str) -> np.ndarray:
    """Finite numbers of a height field as float64; raises SpecError."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise SpecError(name, f"{what} in controls", type(value).__name__, wanted) from None
    if not (np.abs(array) <= LARGEST).all():
        raise SpecError(name, f"{what} in controls", "numbers that are not finite, or beyond 1e9", wanted)
    return array


def field_shape(name: str, field: HeightField) -> Shape:
    """A height field as a mesh, two triangles a cell; name: of its water. Raises SpecError."""
    wanted = "finite heights (nx, ny) from (2, 2) up"
    heights = _numbers(name, "heights", field.heights, wanted)
    if heights.ndim != 2 or min(heights.shape) < 2:
        raise SpecError(name, "heights in controls", f"shape {heights.shape}", wanted)
    origin = _numbers(name, "origin", field.origin, "two finite numbers")
    if origin.shape != (2,):
        raise SpecError(name, "origin in controls", f"shape {origin.shape}", "two finite numbers")
    cell = _numbers(name, "cell", field.cell, "a finite length above 0")
    if cell.shape != () or cell <= 0.0:
        raise SpecError(name, "cell in controls", field.cell, "a finite length above 0")
    velocities = None
    if field.velocities is not None:
        wanted = f"finite velocities of shape {(*heights.shape, 3)}"
        velocities = _numbers(name, "velocities", field.velocities, wanted)
        if velocities.shape != (*heights.shape, 3):
            raise SpecError(name, "velocities in controls", f"shape {velocities.shape}", wanted)
        velocities = velocities.reshape(-1, 3)
    i, j = np.indices(heights.shape)
    vertices = np.stack([origin[0] + cell * i, origin[1] + cell * j, heights], axis=-1).reshape(-1, 3)
    number = np.arange(heights.size, dtype=np.int32).reshape(heights.shape)
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    return Shape(vertices, np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3), velocities)


class Waves:
    """The surface of one water at both ends of the running frame.

    Attributes:
        level: mean height of the surface at both ends of the frame [m]; elsewhere the water lies there.
    """

    def __init__(self, shape: Shape, frame_rate: float) -> None:
        """Args: shape: at the start; frame_rate: [1/s]."""
        self.level = (0.0, 0.0)
        self._frame_rate, self._done = frame_rate, 1.0
        self._at: np.ndarray | None = None
        self._stand(shape)

    def _stand(self, shape: Shape) -> None:
        self._start = self._end = shape.vertices
        self._triangles = shape.triangles
        given = np.zeros_like(shape.vertices) if shape.velocities is None else shape.velocities
        self._start_velocity = self._end_velocity = given
        self._set_ends()

    def move(self, name: str, vertices: np.ndarray) -> None:
        """Take the vertices (n, 3) at the end of the frame [m]; name: of the water. Raises SpecError."""
        target = points(name, "vertices in controls", vertices)
        if target.shape != self._end.shape:
            came, wanted = f"{len(target)} of them", f"{len(self._end)}, as when built"
            raise SpecError(name, "vertices in controls", came, wanted)
        self.go_on(Shape(target, self._triangles))

    def go_on(self, shape: Shape) -> None:
        """Begin a frame that ends with another shape; one with another mesh stands still in it."""
        self._done = 0.0
        if not np.array_equal(shape.triangles, self._triangles):
            self._stand(shape)
            return
        self._start, self._end, self._start_velocity = self._end, shape.vertices, self._end_velocity
        if shape.velocities is None:
            # Corners move evenly within a frame.
            self._start_velocity = self._end_velocity = self._frame_rate * (self._end - self._start)
        else:
            self._end_velocity = shape.velocities
        self._set_ends()

    def stay(self) -> None:
        """Begin a frame in which the surface stands still."""
        self._done = 0.0
        if self._start is not self._end or self._start_velocity.any() or self._end_velocity.any():
            self._stand(Shape(self._end, self._triangles))

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
        self._surface = WaveSurface(
            self._start, self._end, self._start_velocity, self._end_velocity, self._triangles, cell_start,
            cell_triangle,
        )

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
        sample_waves(x, self._surface, self._grid, done, sea, self._at)
        if is_first:
            # The velocity before is not known.
            self._at[:, 4:] = 0.0
        return self._at

    def over(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Height of the surface over or under x (n, 3) now, (n,) [m], and its velocity there, (n, 3) [m/s]."""
        waves, level = np.zeros((len(x), COLUMNS)), self.level_at(self._done)
        sample_waves(x, self._surface, self._grid, self._done, (level, math.inf, 0.0), waves)
        return level + waves[:, 0], waves[:, 1:4]

    def memory(self) -> dict[str, Any]:
        """Both ends of the last frame, and what waves did at particles in its last substep."""
        return {
            "ends": (self._start, self._end), "velocities": (self._start_velocity, self._end_velocity),
            "triangles": self._triangles, "at": np.zeros((0, COLUMNS)) if self._at is None else self._at,
        }

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore `memory`."""
        (self._start, self._end), self._triangles = memory["ends"], memory["triangles"]
        (self._start_velocity, self._end_velocity), self._done = memory["velocities"], 1.0
        self._at = memory["at"] if len(memory["at"]) else None
        self._set_ends()
