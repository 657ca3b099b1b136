"""The bodies of a world as a fluid meets them, and what it gives them back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...compiler.kernels import kernel
from .walls import Triangles

if TYPE_CHECKING:
    from ...world.builder import Builder
    from ...world.world import World


class MetColumns(NamedTuple):
    """Bodies that a fluid meets, as kernels take them, see `MetBodies`."""

    corner: np.ndarray
    rigid: np.ndarray
    impulse: np.ndarray
    linear: np.ndarray
    angular: np.ndarray


class MetBodies:
    """Surfaces of all other bodies, and the impulses that the running substep has for them.

    Attributes:
        corner: (t, 3) int64, particles of each triangle.
        rigid: (t,) int64, which rigid body each belongs to, -1 for what bends, -2 for what nothing pushes.
        impulse: (n, 3) float64, for each particle of what bends [kg m/s]; linear, angular: (b, 3) for each rigid body
            [kg m/s], [kg m²/s], about its centre.
    """

    def __init__(self, builder: Builder) -> None:
        """Args: with all bodies in it."""
        none = np.zeros((0, 3), dtype=np.int64)
        corner, rigid = [none], [none[:, 0]]
        count = 0 if builder.rigid is None else len(builder.rigid.mass)
        number = None if builder.rigid is None else builder.rigid.of_systems(len(builder.bodies))
        for index, (body, surface) in enumerate(zip(builder.bodies, builder.surfaces, strict=True)):
            if surface is None or not surface.is_touched or len(surface.triangles) == 0:
                continue
            corner.append(surface.triangles.astype(np.int64) + body.start)
            kind = int(number[index]) if body.traits.is_rigid else -1 if body.traits.moves else -2
            rigid.append(np.full(len(surface.triangles), kind))
        self.corner, self.rigid = np.concatenate(corner), np.concatenate(rigid)
        self.impulse = np.zeros((len(builder.positions()), 3))
        self.linear, self.angular = np.zeros((count, 3)), np.zeros((count, 3))
        self.columns = MetColumns(self.corner, self.rigid, self.impulse, self.linear, self.angular)
        self.is_pushed = bool((self.rigid > -2).any())

    def triangles(self, x_prev: np.ndarray, x: np.ndarray, first: float, last: float, origin: np.ndarray) -> Triangles:
        """Triangles from one share of the substep to another, about the origin (3,)."""
        start, end = x_prev[self.corner], x[self.corner]
        way = end - start
        start -= origin
        return Triangles((start + first * way).astype(np.float32), (start + last * way).astype(np.float32))

    def push(self, world: World, h: float) -> None:
        """Give what was collected, as velocity and force, and begin anew."""
        if not self.is_pushed:
            return
        if world.rigid is not None:
            world.rigid.force += self.linear / h
            world.rigid.torque += self.angular / h
        world.state.v += world.model.inv_mass[:, None] * self.impulse
        self.impulse[:] = self.linear[:] = self.angular[:] = 0.0


@kernel
def react(count, rows, order, origin, h, mass, table, met, centre):
    """Add the impulses with which particles pushed off their walls; in sorted order, so sums are always the same.

    Args:
        rows: (p, 4) sorted, near the origin (3,); order: (n,) places in `mass` (n,) [kg].
        table: a `WallTable`; met: `MetColumns`, out: `impulse`, `linear`, `angular`.
        centre: (b, 3), of the rigid bodies [m].
    """
    corner = met.corner
    rigid = met.rigid
    impulse = met.impulse
    linear = met.linear
    angular = met.angular
    for i in range(count):
        for k in range(table.count[i]):
            t = table.triangle[i, k]
            b = rigid[t]
            if b == -2:
                continue
            jx = -mass[order[i]] * table.push[i, k, 0] / h
            jy = -mass[order[i]] * table.push[i, k, 1] / h
            jz = -mass[order[i]] * table.push[i, k, 2] / h
            if b >= 0:
                rx = rows[i, 0] + origin[0] - centre[b, 0]
                ry = rows[i, 1] + origin[1] - centre[b, 1]
                rz = rows[i, 2] + origin[2] - centre[b, 2]
                linear[b, 0] += jx
                linear[b, 1] += jy
                linear[b, 2] += jz
                angular[b, 0] += ry * jz - rz * jy
                angular[b, 1] += rz * jx - rx * jz
                angular[b, 2] += rx * jy - ry * jx
            else:
                for c in range(3):
                    share = table.share[i, k, c]
                    impulse[corner[t, c], 0] += share * jx
                    impulse[corner[t, c], 1] += share * jy
                    impulse[corner[t, c], 2] += share * jz
