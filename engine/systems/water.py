"""Water: lifts, brakes and carries every spring graph that has a surface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..controls import Controls
from ..errors import SpecError
from ..forces.buoyancy import float_particles, lift_by_depth, wet_triangles
from ..frame import Frame
from ..graph.components import members
from ..limit import Swing
from ..particles import Builder
from ..spec import WaterSpec, WorldSpec
from ..spec.check import check_params, vector
from ..stage import Stage
from ..world import World


class Waters:
    """Behaviour of every `WaterSpec`. Its surfaces are those of the bodies built before it."""

    def __init__(self, specs: Sequence[WaterSpec], builder: Builder, _spec: WorldSpec) -> None:
        """Gather the triangles that can get wet."""
        self.specs = list(specs)
        for spec in self.specs:
            check_params(spec.name, spec)
            if not np.isfinite(spec.height):
                raise SpecError(spec.name, "height", spec.height, "a finite level")
            vector(spec.name, "flow", spec.flow)
            builder.add(spec, np.zeros((0, 3)), np.zeros(3), np.zeros(0), np.zeros(0), 0.0, 0.0, None)
        triangles = [np.zeros((0, 3), dtype=np.int32)]
        hollow = [np.zeros(0, dtype=bool)]
        for body, surface in zip(builder.bodies, builder.surfaces, strict=True):
            if surface is not None and body.kind == "SPRING_GRAPH":
                triangles.append(surface.triangles + np.int32(body.start))
                hollow.append(surface.hollow)
        self.triangles = np.concatenate(triangles)
        self.hollow = np.concatenate(hollow)
        corner_particle = self.triangles.reshape(-1)
        self.ids, place = np.unique(corner_particle, return_inverse=True)
        self.corner_start, self.corners = members(place.reshape(-1))
        self._normal = np.zeros((len(self.triangles), 3))
        self._lift = np.zeros((len(self.triangles), 3))
        self._wet = np.zeros((len(self.triangles), 3))

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Nothing comes from outside."""

    def acts(self) -> bool:
        """Whether there is anything to get wet."""
        return bool(self.specs)

    def advance(self, world: World, gravity: np.ndarray, first: int, count: int) -> None:
        """Water has no particles."""

    def swing(self, world: World) -> Swing | None:
        """Lift that grows with depth is a spring between body and water, of omega² = linear_buoyancy."""
        found = [
            Swing(spec.name, float(spec.linear_buoyancy), 0.0) for spec in self.specs if spec.law == "LINEAR"
        ]
        return max(found, key=Swing.longest_step_inverse, default=None)

    def apply(self, stage: Stage, world: World, h: float, done: float) -> None:
        """Buoyancy and drag as forces."""
        if stage is not Stage.FORCE:
            return
        state, model = world.state, world.model
        gx, gy, gz = (float(g) for g in model.gravity)
        for spec in self.specs:
            if spec.law == "LINEAR":
                lift_by_depth(state.x, model.inv_mass, float(spec.height), h * float(spec.linear_buoyancy), state.v)
            if spec.law == "LINEAR" or len(self.triangles) == 0:
                continue
            ux, uy, uz = (float(u) for u in spec.flow)
            wet_triangles(state.x, self.triangles, float(spec.height), self._normal, self._lift, self._wet)
            float_particles(
                self.ids, self.corner_start, self.corners, self.hollow, self._normal, self._lift, self._wet,
                model.inv_mass, gx, gy, gz, float(spec.density), float(spec.drag), ux, uy, uz, h, state.v,
            )

    def report(self, world: World, frame: Frame) -> None:
        """Nothing leaves."""

    def memory(self) -> dict[str, Any]:
        """Nothing beyond the particles."""
        return {}

    def recall(self, memory: dict[str, Any]) -> None:
        """Nothing to take back."""
