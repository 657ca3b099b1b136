"""The surfaces of rigid bodies that can get wet."""

from __future__ import annotations

import numpy as np

from ...mesh.graph.parts import rim_fans, triangle_areas
from ...solver.rigid.columns import WetMeshes
from ...solver.rigid.water_forces import push_wet_bodies
from ...spec import WaterSpec
from ...world.builder import Builder
from ...world.world import World


class WetBodies:
    """Triangles of all rigid bodies, grouped by body; lids close open rims of pieces that enclose volume.

    Attributes:
        added: (b,), mass of the water that moved with each body in the last substep [kg].
    """

    def __init__(self, builder: Builder, fraction: float) -> None:
        """Args: builder: must already contain all rigid bodies; fraction: of a body's volume of water moves with it."""
        rigid = builder.rigid
        self.count = 0 if rigid is None else len(rigid.mass)
        self.added, self._was_added, self._own_mass = np.zeros((3, self.count))
        if rigid is None:
            return
        own, x = [self._triangles(builder, int(system)) for system in rigid.system], builder.positions()
        self._triangles_of_all = np.concatenate([triangles for triangles, _lids, _volume in own])
        self._is_lid = np.concatenate([np.arange(len(each)) >= len(each) - lids for each, lids, _volume in own])
        sizes = [len(triangles) for triangles, _lids, _volume in own]
        self._start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        area = [max(float(triangle_areas(x, triangles).sum()), 1e-300) for triangles, _lids, _volume in own]
        self._follows = fraction * np.array([volume for _triangles, _lids, volume in own]) / area

    def _triangles(self, builder: Builder, system: int) -> tuple[np.ndarray, int, float]:
        """Triangles of a body as particle indices, lids last; the number of lids; the volume that it encloses [m³]."""
        surface, body = builder.surfaces[system], builder.bodies[system]
        hollow = surface.triangles[surface.hollow]
        lids = rim_fans(hollow, body.stop - body.start)
        x = builder.positions()[body.start : body.stop]
        a, b, c = (x[np.concatenate([hollow, lids])[:, k]] - x[0] for k in range(3))
        volume = abs(float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum())) / 6.0
        return np.concatenate([surface.triangles, lids]).astype(np.int32) + np.int32(body.start), len(lids), volume

    def begin(self, world: World, is_first: bool) -> None:
        """Start a substep; args: is_first: bodies that start in the water already move with their added mass."""
        if self.count and world.rigid is not None:
            self._own_mass[:] = world.rigid.mass
            self.added, self._was_added = self._was_added, self.added
            self.added[:] = 0.0
            if is_first:
                self._was_added[:] = np.inf

    def release(self, world: World) -> None:
        """Remove the added mass."""
        if self.count and world.rigid is not None:
            world.rigid.mass[:] = self._own_mass

    def push(self, world: World, spec: WaterSpec, height: float, waves: np.ndarray, h: float) -> None:
        """Apply buoyancy and drag of one water during a substep h [s]; height, waves: see `push_wet_bodies`."""
        rigid, state = world.rigid, world.state
        if self.count == 0 or rigid is None:
            return
        meshes = WetMeshes(
            self._start, self._triangles_of_all, self._is_lid, self._follows, self.added, self._was_added
        )
        push_wet_bodies(
            meshes, height, state.x, waves, rigid.columns, float(spec.density),
            tuple(float(g) for g in world.model.gravity), float(spec.drag), tuple(float(u) for u in spec.flow), h,
        )
