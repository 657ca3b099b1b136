"""The bodies of a world as a fluid meets them: their paths in a substep, and the impulses that they take.

A body answers in the same step in which the fluid pushes it, with its true inverse mass, see `exchange`. It answers

as a whole      rigid bodies, and closed solids of cells whose vertices are lighter than particles: by a velocity and a
                rate of turning, for a vertex that rides on nodes carries nothing
by its corners  all else that bends: sheets, skins, rings, balls; what is light carries the fluid that presses on it,
                see `carried`
not at all      colliders
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....compiler.typed_call import TypedCall
from ....mesh.graph.parts import triangle_areas
from ....mesh.voxel.grid import is_closed
from ....mesh.voxel.within import are_within
from ....solver.rigid.motion import give_velocities, go_on_all, place_particles
from ..filling import is_filled
from ..wall_table import Triangles
from .contacts import BENDS, STANDS
from .paths import (
    advance_bodies,
    begin_points,
    begin_rigid,
    begin_soft,
    bound_ways,
    give_points,
    give_soft,
    set_triangles,
)

if TYPE_CHECKING:
    from ....world.builder import Builder
    from ....world.world import World

# A closed solid of cells without fluid in it moves as a whole if its vertices are lighter than this share of a
# particle, and not more are held.
LIGHT, MOST_HELD = 0.5, 2
# Corners that are farther from where the fluid met them last were put elsewhere [support].
PUT = 1.0


class MetColumns(NamedTuple):
    """Bodies that a fluid meets, as kernels take them, see `MetBodies`."""

    corner: np.ndarray
    answers: np.ndarray
    light: np.ndarray
    speed: np.ndarray
    impulse: np.ndarray
    pull: np.ndarray
    point_load: np.ndarray
    mass: np.ndarray
    inertia: np.ndarray
    lightest: np.ndarray
    reach: np.ndarray
    rate: np.ndarray
    centre: np.ndarray
    change: np.ndarray
    given: np.ndarray
    tow: np.ndarray
    whole_load: np.ndarray


class MetBodies:
    """Surfaces of all other bodies on their way through a substep.

    Attributes:
        points: (p,) particles that are corners of triangles; at: (p, 3) where they are now; seen: (p, 3) where the
            fluid met them last, or where they have come since without passing it [m].
        carries: (p,) bool, points that may carry fluid; rigid_count: number of rigid bodies, the first whole ones.
        columns: corner: (t, 3) int64, points of each triangle; answers: (t,) int64, the whole body that a triangle
            belongs to, or BENDS or STANDS; light: (p,) inverse mass of a point that bends [1/kg], else 0; speed: (p, 3)
            of points [m/s]; impulse, pull: (p, 3) that they take in the substep, in the running step [kg m/s]. Of whole
            bodies: mass (b,); inertia (b, 3, 3) along the axes of the world; lightest (b,) inverse mass of the point
            that is moved most easily; reach (b,) to the farthest point [m]; rate (b, 6) velocity and rate of turning;
            centre (b, 3); change (b, 6) of velocity and rate of turning in the running step;
            given (b, 6) impulses of the substep, tow (b, 6) by drag in the running step [kg m/s, kg m²/s].
            point_load (p,), whole_load (b,): see `exchange.find_yields`.
    """

    def __init__(
        self, builder: Builder, densities: list[float], spacing: float, sources: list[np.ndarray]
    ) -> None:
        """Bodies that a fluid meets.

        Args:
            builder: with all bodies in it; densities: of the fluids [kg/m³]; spacing: of particles [m].
            sources: (s, 3) places where particles of each fluid come into being [m].
        """
        none = np.zeros((0, 3), dtype=np.int64)
        self.rigid_count = 0 if builder.rigid is None else len(builder.rigid.mass)
        self._soft: list[slice] = []
        # Closed bodies that move, in which nothing begins: their particles, and triangles of these.
        self._closed: list[tuple[slice, np.ndarray]] = []
        rigid = None if builder.rigid is None else builder.rigid.of_systems(len(builder.bodies))
        mass, inverse, x = builder.masses(), builder.inv_masses(), builder.positions()
        corner, answers, solid = [none], [none[:, 0]], [none[:, 0] > 0]
        # The nodes of a lattice follow the mesh that rides on it.
        nodes = {body.start: body.stop for body in builder.bodies if body.kind == "NODES"}
        for index, (body, surface) in enumerate(zip(builder.bodies, builder.surfaces, strict=True)):
            if surface is None or not surface.is_touched or len(surface.triangles) == 0:
                continue
            own = slice(body.start, body.stop)
            is_hollow = body.traits.moves and surface.hollow.all()
            holds = is_hollow and any(is_filled(are_within(x[own], surface.triangles, sites)) for sites in sources)
            is_solid = is_hollow and not holds and is_closed(surface.triangles)
            if is_solid:
                self._closed.append((own, surface.triangles))
            answer = BENDS if body.traits.moves else STANDS
            if body.traits.is_rigid:
                answer = int(rigid[index])
            elif is_hollow and body.stop in nodes:
                is_light = float(mass[own].mean()) < LIGHT * min(densities) * spacing**3
                is_free = np.count_nonzero(inverse[own] == 0.0) <= MOST_HELD
                if is_light and is_free and not holds:
                    answer = self.rigid_count + len(self._soft)
                    self._soft.append(slice(body.start, nodes[body.stop]))
            corner.append(surface.triangles.astype(np.int64) + body.start)
            answers.append(np.full(len(surface.triangles), answer))
            solid.append(np.full(len(surface.triangles), is_solid and answer >= 0))
        corners, answer = np.concatenate(corner), np.concatenate(answers)
        self.points, rows = np.unique(corners, return_inverse=True)
        self._whole = np.full(len(self.points), STANDS)
        rows = rows.reshape(-1, 3)
        self._whole[rows] = answer[:, None]
        count, wholes = len(self.points), self.rigid_count + len(self._soft)
        light = np.where(self._whole == BENDS, inverse[self.points], 0.0)
        self.columns = MetColumns(
            rows, answer, light, *(np.zeros((count, 3)) for _ in range(3)), np.zeros(count), np.ones(wholes),
            np.tile(np.eye(3), (wholes, 1, 1)), *(np.zeros(wholes) for _ in range(2)), np.zeros((wholes, 6)),
            np.zeros((wholes, 3)),
            *(np.zeros((wholes, 6)) for _ in range(3)), np.zeros(wholes),
        )
        # Vertices that ride on a lattice share their motion with its nodes by masses that are known when it is built.
        rides = np.array([body.stop in nodes for body in builder.bodies])
        self.carries = (light > 0.0) & ~np.repeat(rides, [b.stop - b.start for b in builder.bodies])[self.points]
        self.at, self.seen = np.zeros((count, 3)), np.full((count, 3), np.inf)
        self.is_pushed = bool((answer > STANDS).any())
        at, layer = x[self.points], max(densities) * spacing
        firm = firm_shares(at, rows, light, layer)
        heavy = [*([] if builder.rigid is None else builder.rigid.mass), *(mass[where].sum() for where in self._soft)]
        set_firm_wholes(at, rows, answer, np.array(heavy), layer, firm)
        self._begin_rigid, self._begin_soft, self._set_triangles = map(
            TypedCall, (begin_rigid, begin_soft, set_triangles)
        )
        self._advance, self._give_points, self._give_soft = map(TypedCall, (advance_bodies, give_points, give_soft))
        self._go_on, self._place, self._give_velocities = map(
            TypedCall, (go_on_all, place_particles, give_velocities)
        )
        ends = (np.zeros((len(rows), 3, 3), dtype=np.float32) for _ in range(2))
        self._triangles = Triangles(*ends, firm, np.concatenate(solid))

    def begin(self, world: World, h: float, support: float) -> None:
        """Begin a substep of h [s]: points go from where the fluid met them last to where they are predicted.

        Whole bodies are predicted without gravity, which each step adds: what floats stays, what falls is caught up.
        """
        state, model, met = world.state, world.model, self.columns
        fall = h * model.gravity
        begin_points(
            self.points, self._whole, state.x, state.x_prev, h, fall, PUT * support, self.seen, self.at, met.speed
        )
        met.impulse[:] = met.given[:] = 0.0
        if self.rigid_count:
            self._begin_rigid(world.rigid.columns, fall, met)
        for number, where in enumerate(self._soft, self.rigid_count):
            self._begin_soft(number, where.start, where.stop, model.mass, state.x_prev, state.v, fall, met)

    def triangles(self, h: float, origin: np.ndarray) -> Triangles:
        """Triangles in a step of h [s] as they are predicted, about the origin (3,); they hold until the next call."""
        self._set_triangles(h, origin, self.at, self.columns, self._triangles)
        return self._triangles

    def box(self, h: float, origin: np.ndarray) -> np.ndarray:
        """Corners (2, 3) of the box around all bodies on their way in h [s], about the origin; infinite of none [m]."""
        box = np.empty((2, 3))
        bound_ways(h, origin, self.at, self.columns.speed, box)
        return box

    def are_free(self, x: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Which of the places (k, 3) are in no closed body that moves, (k,) bool, but for those in which fluid begins.

        Args: x: (n, 3) of the world; both in [m].
        """
        is_free = np.ones(len(places), dtype=bool)
        for own, triangles in self._closed:
            is_free &= ~are_within(x[own], triangles, places)
        return is_free

    def advance(self, h: float) -> None:
        """End a step of h [s]: whole bodies take their changes of velocity, and all points move on."""
        self._advance(h, self._whole, self.at, self.columns)

    def finish(self, world: World, h: float) -> None:
        """Give the impulses of the substep to predicted bodies."""
        self.seen[:] = self.at
        if not self.is_pushed:
            return
        state, met, masses = world.state, self.columns, (world.model.mass, world.model.inv_mass, self.columns)
        self._give_points(self.points, h, met, state.x, state.v)
        if self.rigid_count:
            rigid, given = world.rigid, met.given[: self.rigid_count]
            rigid.velocity += given[:, :3] / rigid.mass[:, None]
            rigid.angular_momentum += given[:, 3:]
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
        """Where the fluid met the corners last."""
        return {"seen": self.seen.copy()}

    def recall(self, memory: dict[str, Any]) -> None:
        """Take back what `memory` gave; after a tear there are other corners, which begin where they are."""
        if memory["seen"].shape == self.seen.shape:
            self.seen[:] = memory["seen"]


def firm_shares(x: np.ndarray, corner: np.ndarray, light: np.ndarray, layer: float) -> np.ndarray:
    """The share of its motion that each triangle keeps where a layer of particles shares it, (t, 2) float32.

    That is the corner's mass over the sum of its own and the layer's around it, for the corner that keeps least. It is
    the same for fluid that comes and that leaves.

    Args:
        x: (p, 3) of points [m]; corner: (t, 3) points of triangles; light: (p,) inverse mass of points that bend, else
            0 [1/kg]; layer: mass of the layer [kg/m²].
    """
    around = np.bincount(corner.reshape(-1), np.repeat(triangle_areas(x, corner) / 3.0, 3), len(x))
    firm = (1.0 / (1.0 + light * layer * around))[corner].min(axis=1).astype(np.float32)
    return np.stack([firm, firm], axis=1)


def set_firm_wholes(
    x: np.ndarray, corner: np.ndarray, answer: np.ndarray, mass: np.ndarray, layer: float, firm: np.ndarray
) -> None:
    """Set the shares of triangles of whole bodies in `firm` (t, 2): their mass over the sum of it and half a layer's.

    That is for fluid and body that come together, which they do on half of the surface at most. Where they part, the
    body stands as before: what floats at rest holds the fluid below it, which gravity would take away in each step.

    Args: x, corner, layer: see `firm_shares`; answer: (t,) number of each triangle's body, or less than 0; mass: (b,).
    """
    area, is_whole = triangle_areas(x, corner), answer >= 0
    around = 0.5 * layer * np.bincount(answer[is_whole], area[is_whole], len(mass))
    firm[is_whole, 0] = (mass / (mass + around))[answer[is_whole]]
