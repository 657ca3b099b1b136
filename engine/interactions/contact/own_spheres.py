"""Bodies that meet themselves by spheres at their vertices, see `solver.own_spheres`."""

from __future__ import annotations

import numpy as np

from ...compiler.typed_call import TypedCall
from ...solver.contact_buffer import with_room
from ...solver.own_spheres.pairs import PARTS, SLACK, OwnPairs, find_own_pairs, touch_own_pairs
from ...solver.own_spheres.sorting import count_astray, largest_way, sort_spheres, sphere_table
from ...solver.own_spheres.spheres import OwnSpheres, measure_spheres
from ...world.builder import Builder, Surface
from ...world.world import Body, Model, State, World
from .pairs import Pairs, close_ties

# A search serves for so many substeps, in which spheres are foreseen on straight lines.
SHORTEST, LONGEST = 2, 8
# What it allows for, in largest diameters: half the way that one sphere moves beside another one meanwhile, and how far
# both stray from their lines. So spheres that move by more than a radius beside each other within a substep may pass
# through each other.
HALF_WAY, MARGIN = 0.5, 0.1
# It ends early if this share of the spheres strays farther, or one strays so far, in largest diameters: a pair that is
# overlooked is found by the next search, before it is through. If none might stray, the torn sheet of
# `2026-11-25-tearing.md` would be searched in each substep.
ASTRAY, FARTHEST = 0.05, 0.5


class OwnBody:
    """The spheres of one body."""

    def __init__(self, body: Body, surface: Surface, tied: np.ndarray, model: Model, x: np.ndarray) -> None:
        """Args: tied: (m, 2) particles of all bodies that do not meet; x: (n, 3) particles as built [m]."""
        count = body.stop - body.start
        is_met = np.full(count, surface.has_points)
        is_met[surface.triangles.reshape(-1)] = True
        is_met[surface.edges.reshape(-1)] = True
        particle = np.flatnonzero(is_met)
        sphere = np.full(count, -1, dtype=np.int32)
        sphere[particle] = np.arange(len(particle))
        tied = tied[((tied >= body.start) & (tied < body.stop)).all(axis=1)] - body.start
        tied = sphere[tied]
        rest = np.ascontiguousarray(x[body.start : body.stop][particle])
        diameter, start = np.empty(len(particle)), np.empty(len(particle) + 1, dtype=np.int64)
        joined = measure_spheres(
            sphere[surface.triangles], sphere[surface.edges], tied[(tied >= 0).all(axis=1)], rest,
            2.0 * float(model.radius[body.start]), diameter, start,
        )
        self.first = body.start
        self._spheres = OwnSpheres(particle + body.start, rest, diameter, start, joined)
        self.largest = float(diameter.max(initial=0.0))
        self._allowed = 0.5 * MARGIN * self.largest, FARTHEST * self.largest
        self._table, self._lasts, self._done = sphere_table(len(particle)), 0, 0
        self._allot(4 * len(particle) // PARTS)
        self._touch, self._find = TypedCall(touch_own_pairs), TypedCall(find_own_pairs)
        self._sort, self._astray = TypedCall(sort_spheres), TypedCall(count_astray)
        self.searches = 0

    def _allot(self, room: int) -> None:
        self._pairs = OwnPairs(
            np.zeros(PARTS, dtype=np.int64), np.zeros((PARTS, room, 2), dtype=np.int32), np.zeros((PARTS, room)),
        )

    def forget(self) -> None:
        """Search anew in the next substep."""
        self._done = self._lasts

    def look(self, state: State) -> None:
        """Search for near pairs, unless those found last hold for this substep."""
        spheres, table = self._spheres, self._table
        self._done += 1
        if self._done <= self._lasts and self._holds(state):
            return
        self.searches += 1
        slack, way = (SLACK + MARGIN) * self.largest, largest_way(spheres.particle, state.x_prev, state.x)
        most = HALF_WAY * self.largest
        self._lasts = int(min(max(most / max(way, 1e-300), SHORTEST), LONGEST))
        self._done = 1
        reach = self.largest + slack + min(self._lasts * way, most)
        self._sort(state.x_prev, state.x, self._lasts, reach, spheres, table)
        self._find(table, slack, spheres, self._pairs)
        most = int(self._pairs.length.max())
        if most > self._pairs.pair.shape[1]:
            self._allot(most + most // 4)
            self._find(table, slack, spheres, self._pairs)

    def _holds(self, state: State) -> bool:
        """Whether nearly all spheres will be near where they were foreseen."""
        done = 2.0 * self._done / self._lasts - 1.0
        astray = self._astray(self._spheres, self._table, done, state.x, *self._allowed)
        return astray <= ASTRAY * len(self._spheres.particle)

    def touch(self, state: State, friction: float, world: World) -> int:
        """Append touching pairs, as far as there is room; returns the number of contacts with all of them."""
        holds = world.holds
        return int(self._touch(
            self._pairs, (state.x_prev, state.x, state.v), friction, holds.count, holds.columns,
        ))


class OwnContacts:
    """Contacts of all bodies that meet themselves by spheres."""

    def __init__(self, builder: Builder, model: Model, pairs: Pairs, x: np.ndarray) -> None:
        """Args: x: (n, 3) particles as built [m]."""
        tied = close_ties(builder, model.radius)
        every = [
            OwnBody(builder.bodies[index], builder.surfaces[index], tied, model, x)
            for index in np.flatnonzero(pairs.by_spheres).tolist()
        ]
        self.bodies = [body for body in every if body.largest > 0.0]
        self._friction, self._kind = pairs.friction, pairs.of_particle

    def begin_frame(self) -> None:
        """Search anew: a resumed bake knows no earlier search."""
        for body in self.bodies:
            body.forget()

    def append(self, world: World) -> None:
        """Append the contacts of a substep; `world.holds` is replaced where it has no room."""
        for body in self.bodies:
            kind = self._kind[body.first]
            body.look(world.state)
            found = body.touch(world.state, float(self._friction[kind, kind]), world)
            if found > len(world.holds.rest_separation):
                world.holds = with_room(world.holds, found - world.holds.count)
                body.touch(world.state, float(self._friction[kind, kind]), world)
            world.holds.count = found


def build_own_contacts(builder: Builder, model: Model, pairs: Pairs, x: np.ndarray) -> OwnContacts | None:
    """The contacts of a world, or None where no body meets itself by spheres."""
    return OwnContacts(builder, model, pairs, x) if pairs.by_spheres.any() else None
