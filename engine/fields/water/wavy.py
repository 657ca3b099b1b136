"""The waters of a world that have waves, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import SpecError
from ...spec import WaterSpec
from ...world.controls import HeightField
from .waves import Shape, Waves, field_shape, mesh_shape


class WavyWaters:
    """Those whose spec has a mesh, and those that `Controls` gave a height field."""

    def __init__(self, specs: Sequence[WaterSpec], frame_rate: float) -> None:
        """Args: frame_rate: [1/s]; raises SpecError for a mesh that is no surface."""
        self._rate = frame_rate
        self._of = {spec.name: Waves(mesh_shape(spec), frame_rate) for spec in specs if spec.surface == "MESH"}

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._of)

    def begin_frame(self, specs: Sequence[WaterSpec], water: Mapping[str, Any]) -> None:
        """Take the surfaces at the end of the frame, `Controls.water`; raises SpecError."""
        for spec in specs:
            value, waves = water.get(spec.name), self._of.get(spec.name)
            if value is None:
                if waves is not None:
                    waves.stay()
            elif isinstance(value, HeightField) != (spec.surface == "LEVEL"):
                wanted = "a HeightField" if spec.surface == "LEVEL" else "vertices, as its surface is MESH"
                raise SpecError(spec.name, "water in controls", type(value).__name__, wanted)
            elif spec.surface == "MESH":
                self._of[spec.name].move(spec.name, value)
            elif waves is None:
                self._of[spec.name] = Waves(field_shape(spec.name, value), self._rate)
            else:
                waves.go_on(field_shape(spec.name, value))

    def over(self, spec: WaterSpec, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Height of a water over or under x (n, 3) now, (n,) [m], and velocity of its waves, (n, 3) [m/s]."""
        waves = self._of.get(spec.name)
        return waves.over(x) if waves is not None else (np.full(len(x), float(spec.height)), np.zeros((len(x), 3)))

    def highest(self, specs: Sequence[WaterSpec], x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Height of the highest water over or under x (n, 3), (n,) [m], and its flow, (n, 3) [m/s]."""
        level, flow = np.full(len(x), -np.inf), np.zeros((len(x), 3))
        for spec in specs:
            height, stream = self.over(spec, x)
            is_higher = height > level
            level = np.where(is_higher, height, level)
            flow[is_higher] = (np.asarray(spec.flow, dtype=np.float64) + stream)[is_higher]
        return level, flow

    def sample(self, spec: WaterSpec, x: np.ndarray, done: float) -> tuple[float, np.ndarray | None]:
        """Level of a water without waves at the fraction `done` of the frame [m]; what these do at x (n, 3).

        See `sample_waves`; None for level water.
        """
        waves = self._of.get(spec.name)
        return (waves.level_at(done), waves.sample(x, done)) if waves is not None else (float(spec.height), None)

    def memory(self) -> dict[str, Any]:
        """That of each water."""
        return {name: waves.memory() for name, waves in self._of.items()}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore `memory`."""
        for name, kept in memory.items():
            if name not in self._of:
                self._of[name] = Waves(Shape(kept["ends"][1], kept["triangles"]), self._rate)
            self._of[name].recall(kept)
