"""The bodies of a world as a fluid meets them, and what it gives them back.

Walls push particles as if nothing could move them, and get the impulse in the next substep. Alone this is unstable for
what is lighter than the fluid at it: a wall of mass M that carries fluid of mass r M along answers each change of its
velocity by -r times that change. So impulses are kept, and in each substep a wall takes the share

    s = 1 / (1 + 2 r)        r s < 1

of what is kept: in the long run it gets all of it, after about 1 / s substeps. A vertex of a soft body takes by its own
mass; of what it leaves, the body takes a share by the mass of all of it, as a motion without change of shape, for it is
stiff within a substep.
"""

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
    load: np.ndarray
    rigid_load: np.ndarray


class MetBodies:
    """Surfaces of all other bodies, and the impulses that they have not taken yet.

    Attributes:
        corner: (t, 3) int64, particles of each triangle.
        rigid: (t,) int64, which rigid body each belongs to, -1 for what bends, -2 for what nothing pushes.
        impulse: (n, 3) float64, for each particle of what bends [kg m/s]; linear, angular: (b, 3) for each rigid body
            [kg m/s], [kg m²/s], about its centre.
        load: (n,), rigid_load: (b,) float64, mass of the particles that pushed off, summed over the `steps` since the
            last `push` [kg].
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
        self.load, self.rigid_load, self.steps = np.zeros(len(self.impulse)), np.zeros(count), 0
        self.columns = MetColumns(
            self.corner, self.rigid, self.impulse, self.linear, self.angular, self.load, self.rigid_load,
        )
        bends = np.unique(self.corner[self.rigid == -1])
        self._soft = [
            slice(body.start, body.stop) for body in builder.bodies
            if np.searchsorted(bends, body.start) < np.searchsorted(bends, body.stop)
        ]
        self.is_pushed = bool((self.rigid > -2).any())

    def triangles(self, x_prev: np.ndarray, x: np.ndarray, first: float, last: float, origin: np.ndarray) -> Triangles:
        """Triangles from one share of the substep to another, about the origin (3,)."""
        start, end = x_prev[self.corner], x[self.corner]
        way = end - start
        start -= origin
        return Triangles((start + first * way).astype(np.float32), (start + last * way).astype(np.float32))

    def push(self, world: World, h: float) -> None:
        """Give shares of what was collected, as velocity and force."""
        if not self.is_pushed:
            return
        per_step = 2.0 / max(self.steps, 1)
        if world.rigid is not None:
            share = (1.0 / (1.0 + per_step * self.rigid_load / world.rigid.mass))[:, None]
            world.rigid.force += share * self.linear / h
            world.rigid.torque += share * self.angular / h
            self.linear *= 1.0 - share
            self.angular *= 1.0 - share
        for own in self._soft:
            self._push_soft(world, own, per_step)
        self.load[:] = self.rigid_load[:] = 0.0
        self.steps = 0

    def _push_soft(self, world: World, own: slice, per_step: float) -> None:
        """The particles of one body that bends: each by itself, then all together."""
        kept, inv_mass, v = self.impulse[own], world.model.inv_mass[own], world.state.v[own]
        share = (1.0 / (1.0 + per_step * self.load[own] * inv_mass))[:, None]
        v += inv_mass[:, None] * share * kept
        kept *= 1.0 - share
        mass = np.where(inv_mass > 0.0, world.model.mass[own], 0.0)
        total = float(mass.sum())
        if total <= 0.0 or not kept.any():
            return
        together = 1.0 / (1.0 + per_step * float(self.load[own].sum()) / total)
        apart = world.state.x[own] - mass @ world.state.x[own] / total
        inertia = (mass * np.einsum("ij,ij->i", apart, apart)).sum() * np.eye(3) - (mass[:, None] * apart).T @ apart
        # A body on a line has no inertia about it.
        spin = np.linalg.pinv(inertia, rcond=1e-6) @ np.cross(apart, kept).sum(axis=0)
        motion = kept.sum(axis=0) / total + np.cross(spin, apart)
        v += together * np.where(mass > 0.0, 1.0, 0.0)[:, None] * motion
        kept *= 1.0 - together


@kernel
def react(count, rows, order, origin, h, mass, table, met, centre):
    """Add the impulses with which particles pushed off their walls; in sorted order, so sums are always the same.

    Args:
        rows: (p, 4) sorted, near the origin (3,); order: (n,) places in `mass` (n,) [kg].
        table: a `WallTable`; met: `MetColumns`, out: all but `corner` and `rigid`.
        centre: (b, 3), of the rigid bodies [m].
    """
    corner = met.corner
    rigid = met.rigid
    impulse = met.impulse
    linear = met.linear
    angular = met.angular
    load = met.load
    rigid_load = met.rigid_load
    for i in range(count):
        for k in range(table.count[i]):
            t = table.triangle[i, k]
            b = rigid[t]
            if b == -2 or (table.push[i, k, 0] == 0.0 and table.push[i, k, 1] == 0.0 and table.push[i, k, 2] == 0.0):
                continue
            jx = -mass[order[i]] * table.push[i, k, 0] / h
            jy = -mass[order[i]] * table.push[i, k, 1] / h
            jz = -mass[order[i]] * table.push[i, k, 2] / h
            if b >= 0:
                rigid_load[b] += mass[order[i]]
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
                    load[corner[t, c]] += share * mass[order[i]]
                    impulse[corner[t, c], 0] += share * jx
                    impulse[corner[t, c], 1] += share * jy
                    impulse[corner[t, c], 2] += share * jz
