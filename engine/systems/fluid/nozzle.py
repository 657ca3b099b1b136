"""A nozzle: a round jet that leaves a point, column by column."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import SpecError
from ...spec import FluidSpec

# "Spacing 0" stands for this fraction of the radius.
RADIUS_SHARE = 0.5
LITRES = 1000.0


class Nozzle:
    """Emits particles from a point, along the Z axis of its pose, which may move.

    A layer covers the opening, a square lattice of one spacing. Layers follow each other at the interval that `rate`
    requires, and no sooner than the last one has travelled a spacing. Each column of a layer leaves at a time of its
    own: whole layers would separate where a jet accelerates, and it would look like a stack of discs.

    Attributes:
        speed: at which particles leave it [m/s]; rate: [L/s], or 0 for as much as passes at that speed.
    """

    def __init__(self, spec: FluidSpec, spacing: float, frame: float) -> None:
        """Args: spacing: of the fluids; frame: length of a frame [s]. Raises SpecError."""
        self.name, self.speed, self.rate = spec.name, float(spec.speed), float(spec.rate)
        self._spacing, self._frame = spacing, frame
        self._disk = disk(float(spec.radius), spacing)
        self._before = self._after = self._axes_of(np.eye(4) if spec.nozzle is None else spec.nozzle)
        # Time until each column's next particle leaves, over the time between two layers; 0 for the middle column.
        # Evenly spaced, in random order: in a regular order the jet looks like a screw.
        order = np.random.default_rng(0).permutation(len(self._disk) - 1)
        self._begin = np.concatenate([[0.0], 1.0 + order]) / len(self._disk)
        self._left, self._is_shut = self._begin.copy(), True

    @property
    def sites(self) -> np.ndarray:
        """Positions of a layer that leaves now, (s, 3) [m], from the middle outward."""
        return self._before[3] + self._disk @ self._before[:2]

    def aim(self, pose: np.ndarray | None) -> None:
        """Begin a frame that ends at a pose (4, 4), or at that of the last frame; raises SpecError."""
        self._before, self._after = self._after, self._after if pose is None else self._axes_of(pose)

    def leave(self, h: float, done: float, opening: float) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities (k, 3) of the particles that leave before a substep of h [s] begins [m], [m/s].

        Args:
            done: fraction of the frame that has passed when the substep ends.
            opening: fraction of a layer that leaves, from the middle.
        """
        count, places, velocities = math.ceil(opening * len(self._disk)), [], []
        wait, none = self._wait(count), np.zeros((0, 3))
        was_shut, self._is_shut = self._is_shut, count == 0 or math.isinf(wait)
        if self._is_shut:
            return none, none
        left = self._left[:count]
        if was_shut:
            # Emit nothing for the time when it was shut.
            self._left[:] = self._begin
        else:
            left -= h / wait
        going = (self._after[3] - self._before[3]) / self._frame
        while (leaves := np.flatnonzero(left <= 0.0)).size:
            since = -wait * left[leaves]
            fraction = np.maximum(done - (h + since) / self._frame, 0.0)[:, None, None]
            axes = (1.0 - fraction) * self._before + fraction * self._after
            along = axes[:, 2] / np.maximum(np.linalg.norm(axes[:, 2], axis=1), 1e-9)[:, None]
            velocity, across = going + self.speed * along, self._disk[leaves, None] @ axes[:, :2]
            places.append(axes[:, 3] + across[:, 0] + since[:, None] * velocity)
            velocities.append(velocity)
            left[leaves] += 1.0
        return np.concatenate([none, *places]), np.concatenate([none, *velocities])

    def pipe_dv(self, age: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Change of velocities v (k, 3) of particles of an age (k,) [m/s]: the first spacing of a jet is in a pipe.

        There the jet keeps its speed along the pipe against any pressure, and so makes space for the next particles.
        """
        along = self._before[2]
        deficit = self.speed - (v - (self._after[3] - self._before[3]) / self._frame) @ along
        return np.where(age * self.speed < self._spacing, np.maximum(deficit, 0.0), 0.0)[:, None] * along

    def _wait(self, count: int) -> float:
        """Time between two layers of `count` particles [s]."""
        if self.speed <= 0.0:
            return math.inf
        full = self._spacing / self.speed
        return max(count * self._spacing**3 * LITRES / self.rate, full) if self.rate > 0.0 else full

    def _axes_of(self, pose: np.ndarray) -> np.ndarray:
        """Unit vectors X, Y, Z and the origin of a pose as rows, (4, 3); its scale is ignored."""
        pose = np.asarray(pose, dtype=np.float64)
        if pose.shape != (4, 4) or not np.isfinite(pose).all():
            raise SpecError(self.name, "nozzle", pose.tolist(), "a finite (4, 4) matrix")
        z = pose[:3, 2] / max(float(np.linalg.norm(pose[:3, 2])), 1e-12)
        x = pose[:3, 0] - (pose[:3, 0] @ z) * z
        x /= max(float(np.linalg.norm(x)), 1e-12)
        if not (abs(float(z @ z) - 1.0) < 1e-6 and abs(float(x @ x) - 1.0) < 1e-6):
            raise SpecError(self.name, "nozzle", pose.tolist(), "a matrix with two axes that are not nought")
        return np.stack([x, np.cross(z, x), z, pose[:3, 3]])

    def memory(self) -> dict[str, Any]:
        """Copy of the state that changes."""
        return {
            "before": self._before.copy(), "after": self._after.copy(), "left": self._left.copy(),
            "is_shut": self._is_shut,
        }

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore what `memory` returned."""
        self._before, self._after = memory["before"].copy(), memory["after"].copy()
        self._left, self._is_shut = memory["left"].copy(), memory["is_shut"]


def disk(radius: float, spacing: float) -> np.ndarray:
    """A square lattice in a circle, (s, 2) [m], from the middle outward; at least one point."""
    most = int(radius / spacing)
    line = spacing * np.arange(-most, most + 1)
    places = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
    square = np.einsum("ij,ij->i", places, places)
    places, square = places[square <= radius**2], square[square <= radius**2]
    return places[np.argsort(square, kind="stable")]
