"""The surfaces of rigid bodies that can get wet."""

from __future__ import annotations

import numpy as np

from ...mesh.graph.parts import rim_fans
from ...solver.rigid.water_forces import push_wet_bodies
from ...spec import WaterSpec
from ...world.builder import Builder
from ...world.world import World


class WetBodies:
    """Triangles of all rigid bodies, grouped by body; lids close open rims of pieces that enclose volume."""

    def __init__(self, builder: Builder) -> None:
        """Args: builder: must already contain all rigid bodies."""
        rigid = builder.rigid
        self.count = 0 if rigid is None else len(rigid.mass)
        if rigid is None:
            return
        own = [self._triangles(builder, int(system)) for system in rigid.system]
        self._triangles_of_all = np.concatenate([triangles for triangles, _lids in own])
        self._is_lid = np.concatenate([np.arange(len(triangles)) >= len(triangles) - lids for triangles, lids in own])
        sizes = [len(triangles) for triangles, _lids in own]
        self._start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def _triangles(self, builder: Builder, system: int) -> tuple[np.ndarray, int]:
        """Triangles of a body as particle indices, lids last, and the number of lids."""
        surface, body = builder.surfaces[system], builder.bodies[system]
        lids = rim_fans(surface.triangles[surface.hollow], body.stop - body.start)
        return np.concatenate([surface.triangles, lids]).astype(np.int32) + np.int32(body.start), len(lids)

    def push(self, world: World, spec: WaterSpec, h: float) -> None:
        """Apply buoyancy and drag of one water during a substep h [s]."""
        rigid, state = world.rigid, world.state
        if self.count == 0 or rigid is None:
            return
        push_wet_bodies(
            self._start, self._triangles_of_all, self._is_lid, float(spec.height), state.x, rigid.columns,
            float(spec.density), float(np.linalg.norm(world.model.gravity)), float(spec.drag),
            tuple(float(u) for u in spec.flow), h,
        )
