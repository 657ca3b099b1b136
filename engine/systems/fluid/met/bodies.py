"""The bodies of a world coupled to a fluid: their paths in a substep, and the impulses that they receive.

A body responds in the same step in which the fluid pushes it, with its true inverse mass, see `exchange`. Responses:

rigid       rigid bodies, and closed solids of cells whose vertices are lighter than particles: by a velocity and an
            angular velocity, since a vertex that is carried by lattice nodes carries no fluid
deformable  by its corners, all other deformable bodies: sheets, skins, rings, balls; light ones carry the fluid that
            presses on them, see `carried`
immovable   none: colliders
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....compiler.typed_call import TypedCall
from ....mesh.graph.parts import triangle_areas
from ....mesh.voxel.grid import is_closed
from ....mesh.voxel.within import are_within
from ....solver.rigid.motion import advance_poses, give_velocities, place_particles
from ..filling import is_filled
from ..wall_table import Triangles
from .contacts import DEFORMABLE, IMMOVABLE
from .paths import (
    advance_bodies,
    apply_to_soft,
    begin_points,
    begin_rigid,
    begin_soft,
    bound_paths,
    give_points,
    set_triangles,
)

if TYPE_CHECKING:
    from ....world.builder import Builder
    from ....world.world import World

# A closed solid of cells without fluid in it has rigid response if its vertices are lighter than this fraction of a
# particle, and no more than MOST_HELD are pinned.
LIGHT, MOST_HELD = 0.5, 2
# Corners farther than this from their last positions in the fluid were placed elsewhere [support].
PUT = 1.0


class MetColumns(NamedTuple):
    """Columns of the bodies coupled to a fluid, for kernels, see `MetBodies`."""

    corner: np.ndarray
    response: np.ndarray
    inv_mass: np.ndarray
    speed: np.ndarray
    impulse: np.ndarray
    step_impulse: np.ndarray
    point_load: np.ndarray
    mass: np.ndarray
    inertia: np.ndarray
    max_inv_mass: np.ndarray
    reach: np.ndarray
    rate: np.ndarray
    centre: np.ndarray
    change: np.ndarray
    body_impulse: np.ndarray
    drag_impulse: np.ndarray
    body_load: np.ndarray


class MetBodies:
    """Surfaces of all other bodies on their paths through a substep.

    Attributes:
        points: (p,) particles that are corners of triangles; at: (p, 3) current positions; seen: (p, 3) last positions
            in the fluid's steps, or later ones that were reached without passing particles [m].
        carries: (p,) bool, points that may carry fluid; rigid_count: number of rigid bodies, the first
            of those with rigid response.
        columns: corner: (t, 3) int64, points of each triangle; response: (t,) int64, body with rigid response of each
            triangle, or DEFORMABLE or IMMOVABLE; inv_mass: (p,) of a deformable body's point [1/kg], else 0; speed:
            (p, 3) velocities of points [m/s]; impulse, step_impulse: (p, 3) on them in the substep, in the current step
            [kg m/s]. Of bodies with rigid response: mass (b,); inertia (b, 3, 3) along the axes of the world;
            max_inv_mass (b,) inverse effective mass of the point that is moved most easily; reach (b,) to the farthest
            point [m]; rate (b, 6) velocity and angular velocity; centre (b, 3); change (b, 6) of the rate in the
            current step; body_impulse (b, 6) in the substep, drag_impulse (b, 6) in the current step
            [kg m/s, kg m²/s]. point_load (p,), body_load (b,): see `drag.find_drag_factors`.
    """

    def __init__(
        self, builder: Builder, densities: list[float], spacing: float, sources: list[np.ndarray]
    ) -> None:
        """Bodies that are coupled to a fluid.

        Args:
            builder: with all bodies in it; densities: of the fluids [kg/m³]; spacing: of particles [m].
            sources: (s, 3) positions where particles of each fluid are emitted [m].
        """
        none = np.zeros((0, 3), dtype=np.int64)
        self.rigid_count = 0 if builder.rigid is None else len(builder.rigid.mass)
        self._soft: list[slice] = []
        # Closed movable solids without fluid in them: their particles, and triangles of these.
        self._closed: list[tuple[slice, np.ndarray]] = []
        rigid = None if builder.rigid is None else builder.rigid.of_systems(len(builder.bodies))
        mass, inverse, x = builder.masses(), builder.inv_masses(), builder.positions()
        corner, answers, solid = [none], [none[:, 0]], [none[:, 0] > 0]
        # The nodes of a lattice come right behind the mesh that they carry.
        nodes = {body.start: body.stop for body in builder.bodies if body.kind == "NODES"}
        for index, (body, surface) in enumerate(zip(builder.bodies, builder.surfaces, strict=True)):
            if surface is None or not surface.is_touched or len(surface.triangles) == 0:
                continue
            own = slice(body.start, body.stop)
            is_hollow = body.traits.moves and surface.hollow.all()
            has_fluid = is_hollow and any(is_filled(are_within(x[own], surface.triangles, sites)) for sites in sources)
            is_solid = is_hollow and not has_fluid and is_closed(surface.triangles)
            if is_solid:
                self._closed.append((own, surface.triangles))
            answer = DEFORMABLE if body.traits.moves else IMMOVABLE
            if body.traits.is_rigid:
                answer = int(rigid[index])
            elif is_hollow and body.stop in nodes:
                is_light = float(mass[own].mean()) < LIGHT * min(densities) * spacing**3
                is_free = np.count_nonzero(inverse[own] == 0.0) <= MOST_HELD
                if is_light and is_free and not has_fluid:
                    answer = self.rigid_count + len(self._soft)
                    self._soft.append(slice(body.start, nodes[body.stop]))
            corner.append(surface.triangles.astype(np.int64) + body.start)
            answers.append(np.full(len(surface.triangles), answer))
            solid.append(np.full(len(surface.triangles), is_solid and answer >= 0))
        corners, answer = np.concatenate(corner), np.concatenate(answers)
        self.points, rows = np.unique(corners, return_inverse=True)
        self._body = np.full(len(self.points), IMMOVABLE)
        rows = rows.reshape(-1, 3)
        self._body[rows] = answer[:, None]
        count, body_count = len(self.points), self.rigid_count + len(self._soft)
        light = np.where(self._body == DEFORMABLE, inverse[self.points], 0.0)
        self.columns = MetColumns(
            rows, answer, light, *(np.zeros((count, 3)) for _ in range(3)), np.zeros(count), np.ones(body_count),
            np.tile(np.eye(3), (body_count, 1, 1)), *(np.zeros(body_count) for _ in range(2)),
            np.zeros((body_count, 6)), np.zeros((body_count, 3)),
            *(np.zeros((body_count, 6)) for _ in range(3)), np.zeros(body_count),
        )
        # Vertices carried by a lattice share their motion with its nodes by masses that are fixed when it is built.
        is_carried = np.array([body.stop in nodes for body in builder.bodies])
        self.carries = (light > 0.0) & ~np.repeat(is_carried, [b.stop - b.start for b in builder.bodies])[self.points]
        self.at, self.seen = np.zeros((count, 3)), np.full((count, 3), np.inf)
        self.is_pushed = bool((answer > IMMOVABLE).any())
        at, layer = x[self.points], max(densities) * spacing
        firm = firm_shares(at, rows, light, layer)
        heavy = [*([] if builder.rigid is None else builder.rigid.mass), *(mass[where].sum() for where in self._soft)]
        set_firm_rigid(at, rows, answer, np.array(heavy), layer, firm)
        self._begin_rigid, self._begin_soft, self._set_triangles = map(
            TypedCall, (begin_rigid, begin_soft, set_triangles)
        )
        self._advance, self._give_points, self._give_soft = map(TypedCall, (advance_bodies, give_points, apply_to_soft))
        self._go_on, self._place, self._give_velocities = map(
            TypedCall, (advance_poses, place_particles, give_velocities)
        )
        ends = (np.zeros((len(rows), 3, 3), dtype=np.float32) for _ in range(2))
        self._triangles = Triangles(*ends, firm, np.concatenate(solid))

    def begin(self, world: World, h: float, support: float) -> None:
        """Begin a substep of h [s]: points move from their last positions in the fluid to their predictions.

        Bodies with rigid response are predicted without gravity, which each step adds: a floating body stays, a falling
        one still falls.
        """
        state, model, met = world.state, world.model, self.columns
        fall = h * model.gravity
        begin_points(
            self.points, self._body, state.x, state.x_prev, h, fall, PUT * support, self.seen, self.at, met.speed
        )
        met.impulse[:] = met.body_impulse[:] = 0.0
        if self.rigid_count:
            self._begin_rigid(world.rigid.columns, fall, met)
        for number, where in enumerate(self._soft, self.rigid_count):
            self._begin_soft(number, where.start, where.stop, model.mass, state.x_prev, state.v, fall, met)

    def triangles(self, h: float, origin: np.ndarray) -> Triangles:
        """Predicted triangles in a step of h [s], relative to the origin (3,); valid until the next call."""
        self._set_triangles(h, origin, self.at, self.columns, self._triangles)
        return self._triangles

    def box(self, h: float, origin: np.ndarray) -> np.ndarray:
        """Box (2, 3) around the paths of all bodies in h [s], relative to the origin; (inf, -inf) without any [m]."""
        box = np.empty((2, 3))
        bound_paths(h, origin, self.at, self.columns.speed, box)
        return box

    def are_free(self, x: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Which of the places (k, 3) are in no closed movable solid, except those in which fluid begins, (k,) bool.

        Args: x: (n, 3) of the world; both in [m].
        """
        is_free = np.ones(len(places), dtype=bool)
        for own, triangles in self._closed:
            is_free &= ~are_within(x[own], triangles, places)
        return is_free

    def advance(self, h: float) -> None:
        """End a step of h [s]: apply velocity changes to bodies with rigid response, and advance all points."""
        self._advance(h, self._body, self.at, self.columns)

    def finish(self, world: World, h: float) -> None:
        """Apply the impulses of the substep to the predicted bodies."""
        self.seen[:] = self.at
        if not self.is_pushed:
            return
        state, met, masses = world.state, self.columns, (world.model.mass, world.model.inv_mass, self.columns)
        self._give_points(self.points, h, met, state.x, state.v)
        if self.rigid_count:
            rigid, impulse = world.rigid, met.body_impulse[: self.rigid_count]
            rigid.velocity += impulse[:, :3] / rigid.mass[:, None]
            rigid.angular_momentum += impulse[:, 3:]
            self._go_on(
                h, rigid.inertia, rigid.position_before, rigid.rotation_before, rigid.velocity, rigid.angular_momentum,
                rigid.position, rigid.rotation,
            )
            self._place(
                rigid.first, rigid.start, rigid.stop, rigid.local, rigid.position, rigid.rotation, state.x
            )
            self._give_velocities(
                rigid.start, rigid.stop, rigid.inertia, rigid.position, rigid.rotation, rigid.velocity,
                rigid.angular_momentum, state.x, state.v,
            )
        for number, where in enumerate(self._soft, self.rigid_count):
            self._give_soft(number, where.start, where.stop, h, masses, state.x_prev, state.x, state.v)

    def memory(self) -> dict[str, Any]:
        """Last positions of the corners in the fluid."""
        return {"seen": self.seen.copy()}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore what `memory` returned; after a tear there are other corners, which start at their positions."""
        if memory["seen"].shape == self.seen.shape:
            self.seen[:] = memory["seen"]


def firm_shares(x: np.ndarray, corner: np.ndarray, light: np.ndarray, layer: float) -> np.ndarray:
    """Fraction of its motion that each triangle keeps when a layer of particles moves with it, (t, 2) float32.

    That is the corner's mass over the sum of its own and the layer's around it, for the corner that keeps least. It is
    the same for approaching and for separating fluid.

    Args:
        x: (p, 3) of points [m]; corner: (t, 3) points of triangles; light: (p,) inverse mass of points of deformable
            bodies, else 0 [1/kg]; layer: mass of the layer [kg/m²].
    """
    around = np.bincount(corner.reshape(-1), np.repeat(triangle_areas(x, corner) / 3.0, 3), len(x))
    firm = (1.0 / (1.0 + light * layer * around))[corner].min(axis=1).astype(np.float32)
    return np.stack([firm, firm], axis=1)


def set_firm_rigid(
    x: np.ndarray, corner: np.ndarray, answer: np.ndarray, mass: np.ndarray, layer: float, firm: np.ndarray
) -> None:
    """Set the fractions of bodies with rigid response in `firm` (t, 2): mass over the sum of it and half a layer's.

    That is for fluid and body that approach, which they do on half of the surface at most. Where they separate, the
    body counts as immovable: a body that floats at rest holds the fluid below it, which gravity would remove in each
    step.

    Args: x, corner, layer: see `firm_shares`; answer: (t,) number of each triangle's body, or less than 0; mass: (b,).
    """
    area, is_rigid = triangle_areas(x, corner), answer >= 0
    around = 0.5 * layer * np.bincount(answer[is_rigid], area[is_rigid], len(mass))
    firm[is_rigid, 0] = (mass / (mass + around))[answer[is_rigid]]
