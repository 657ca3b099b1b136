"""The air of a world: wind and drag on faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import SpecError
from ...spec import WorldSpec
from ...spec.check import check_params, vector
from ...spec.kinds.air import AirSpec
from ...world.builder import Builder
from ...world.controls import Controls
from ...world.world import World
from ..base import Field
from ..force_field.system import ForceFields
from .faces import BLOCK, Air, Faces, face_forces, give_corners, push_rigid


class Airs(Field):
    """Behaviour of every `AirSpec`; their winds add up, other settings come from the last one."""

    takes = ("wind",)
    sees_fluids = False

    def __init__(self, specs: Sequence[AirSpec], builder: Builder, spec: WorldSpec) -> None:
        """Gather the faces of all moving bodies; raises SpecError."""
        self.specs = list(specs)
        for air in self.specs:
            check_params(air.name, air)
        self._values = {name: float(getattr(self.specs[-1], name)) for name in ("density", "drag", "lift")}
        self._from = self._to = sum(vector(air.name, "wind", air.wind) for air in self.specs)
        self._is_still = any(air.still_air for air in self.specs)
        self._has_winds = any(getattr(system, "wind_factor", 0.0) > 0.0 for system in spec.systems)
        levels = [float(system.height) for system in spec.systems if hasattr(system, "height")]
        self._level = max(levels, default=-np.inf)
        soft, rigid = self._gather(builder)
        triangles = np.concatenate([part for part, _half in (*soft, *rigid)] or [np.zeros((0, 3), dtype=np.int32)])
        halves = np.concatenate([half for _part, half in (*soft, *rigid)] or [np.zeros(0)])
        self._faces = Faces(np.ascontiguousarray(triangles, dtype=np.int32), halves, np.zeros_like(triangles))
        self._force, self._last = np.zeros((len(triangles), 4)), np.full((len(triangles), 3), np.nan)
        self._index_corners(triangles[: sum(len(part) for part, _half in soft)])
        counts = [len(part) for part, _half in rigid]
        stops = sum(len(part) for part, _half in soft) + np.cumsum([0, *counts], dtype=np.int64)
        self._rigid_first, self._rigid_stop = stops[:-1], stops[1:]
        self._no_wind, self._no_levels = np.zeros((1, 6)), np.zeros(0)
        self._others: list[Field] = []

    def _gather(self, builder: Builder) -> tuple[list[Any], list[Any]]:
        """Faces of soft and of rigid bodies, each with the fraction of the force on each face."""
        soft, rigid = [], []
        for body, surface in zip(builder.bodies, builder.surfaces, strict=True):
            if not body.traits.moves:
                continue
            none = np.zeros((0, 3), dtype=np.int32)
            triangles = none if surface is None else surface.triangles + np.int32(body.start)
            halves = np.zeros(0) if surface is None else np.where(surface.hollow, 0.5, 1.0)
            (rigid if body.traits.is_rigid else soft).append((triangles, halves))
        return soft, rigid

    def _index_corners(self, triangles: np.ndarray) -> None:
        """Index the faces around each soft particle."""
        order = np.argsort(triangles.reshape(-1), kind="stable")
        self._corners, count = np.unique(triangles, return_counts=True)
        self._corner_start = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        self._corner_face = (order // 3).astype(np.int64)

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Take the wind at the end of the frame."""
        self._others = world.fields
        self._from = self._to
        if controls.wind is not None:
            self._to = vector("controls", "wind", controls.wind)

    def set_value(self, world: World, name: str, field: str, value: float) -> None:
        """Set a keyed setting."""
        if field == "wind":
            raise SpecError(name, field, value, "three numbers in Controls.wind")
        self._values[field] = value

    def acts(self) -> bool:
        """Whether any wind blows, or still air was requested."""
        blows = self._is_still or self._has_winds or bool(np.any(self._from) or np.any(self._to))
        return blows and self._values["density"] > 0.0 and len(self._force) > 0

    def push(self, world: World, h: float, done: float) -> None:
        """Apply the air to particles of soft bodies and to rigid bodies."""
        if not self.acts():
            return
        state, wind = world.state, self._from + (self._to - self._from) * done
        winds = self._winds(world)
        air = Air(*self._values.values(), self._level, *wind.tolist(), self._levels(state.x))
        blocks = -(-len(self._force) // BLOCK)
        face_forces(self._faces, air, winds, state.x, state.v, blocks, self._last, self._force)
        give_corners(
            self._corners, self._corner_start, self._corner_face, self._force, world.model.inv_mass, h, state.v
        )
        rigid = world.rigid
        if rigid is not None:
            push_rigid(
                self._rigid_first, self._rigid_stop, self._faces.triangles, self._force, state.x, rigid.mass,
                rigid.inertia.min(axis=1), rigid.position, h, rigid.force, rigid.torque,
            )

    def flow_at(self, x: np.ndarray, size: float) -> np.ndarray | None:
        """The wind, for points above water."""
        levels = self._levels(x)
        level = levels[:, None] if len(levels) else self._level
        return np.where(x[:, 2:] > level + size, self._to, 0.0)

    def _levels(self, x: np.ndarray) -> np.ndarray:
        """Height of the water over or under x (n, 3) where some of it has waves, (n,) [m]; empty if all is level."""
        found = [field.level_at(x) for field in self._others if field.has_waves()]
        return np.max(found, axis=0) if found else self._no_levels

    def _winds(self, world: World) -> np.ndarray:
        """Winds that the force fields of this substep produced, one row for each receiver."""
        fields = next((field for field in world.fields if isinstance(field, ForceFields)), None)
        if fields is None or not self._has_winds:
            return self._no_wind
        if not self._faces.wind_row.any():
            self._faces.wind_row[:] = fields.receivers.row[self._faces.triangles]
        return fields.effect

    def memory(self) -> dict[str, Any]:
        """The wind at the end of the frame, the settings, and the last velocities of faces."""
        return {"wind": self._to, "values": self._values, "last": self._last}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore `memory`."""
        self._to, self._values, self._last = memory["wind"], memory["values"], memory["last"]

