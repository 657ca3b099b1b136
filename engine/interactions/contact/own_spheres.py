"""Self-collision of bodies by spheres at their vertices, see `solver.own_spheres`."""

from __future__ import annotations

import numpy as np

from ...compiler.typed_call import TypedCall
from ...solver.contact_buffer import with_capacity
from ...solver.own_spheres.pairs import PARTS, SLACK, OwnPairs, find_own_pairs, touch_own_pairs
from ...solver.own_spheres.sorting import count_deviating, largest_displacement, sort_spheres, sphere_table
from ...solver.own_spheres.spheres import OwnSpheres, measure_spheres
from ...world.builder import Builder, Surface
from ...world.world import Body, Model, State, World
from .pairs import Pairs, close_ties

# A search is valid for so many substeps, for which spheres are predicted to move on straight lines.
SHORTEST, LONGEST = 2, 8
# Its tolerances, in largest diameters: half the distance that one sphere moves relative to another one in that time,
# and how far both deviate from their lines. So spheres that move by more than a radius relative to each other within a
# substep may pass through each other.
HALF_TRAVEL, MARGIN = 0.5, 0.1
# A new search is due early if this fraction of the spheres deviates by more, or one deviates so far, in largest
# diameters: a pair that is missed is found by the next search, before it has passed through. If no sphere were allowed
# to deviate, the torn sheet of `2026-11-25-tearing.md` would be searched in each substep.
DISPLACED_FRACTION, MOST_DISPLACEMENT = 0.05, 0.5


class OwnBody:
    """The spheres of one body."""

    def __init__(self, body: Body, surface: Surface, tied: np.ndarray, model: Model, x: np.ndarray) -> None:
        """Args: tied: (m, 2) particles of all bodies that do not collide; x: (n, 3) particles as built [m]."""
        count = body.stop - body.start
        collides = np.full(count, surface.has_points)
        collides[surface.triangles.reshape(-1)] = True
        collides[surface.edges.reshape(-1)] = True
        particle = np.flatnonzero(collides)
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
        self._tolerance = 0.5 * MARGIN * self.largest, MOST_DISPLACEMENT * self.largest
        self._table, self._lifetime, self._age = sphere_table(len(particle)), 0, 0
        self._allot(4 * len(particle) // PARTS)
        self._touch, self._find = TypedCall(touch_own_pairs), TypedCall(find_own_pairs)
        self._sort, self._count_displaced = TypedCall(sort_spheres), TypedCall(count_deviating)
        self.searches = 0

    def _allot(self, capacity: int) -> None:
        self._pairs = OwnPairs(
            np.zeros(PARTS, dtype=np.int64), np.zeros((PARTS, capacity, 2), dtype=np.int32),
            np.zeros((PARTS, capacity)),
        )

    def forget(self) -> None:
        """Search again in the next substep."""
        self._age = self._lifetime

    def update(self, state: State) -> None:
        """Search for near pairs, unless those found last are still valid in this substep."""
        spheres, table = self._spheres, self._table
        self._age += 1
        if self._age <= self._lifetime and self._is_valid(state):
            return
        self.searches += 1
        slack, travel = (SLACK + MARGIN) * self.largest, largest_displacement(spheres.particle, state.x_prev, state.x)
        most = HALF_TRAVEL * self.largest
        self._lifetime = int(min(max(most / max(travel, 1e-300), SHORTEST), LONGEST))
        self._age = 1
        reach = self.largest + slack + min(self._lifetime * travel, most)
        self._sort(state.x_prev, state.x, self._lifetime, reach, spheres, table)
        self._find(table, slack, spheres, self._pairs)
        most = int(self._pairs.length.max())
        if most > self._pairs.pair.shape[1]:
            self._allot(most + most // 4)
            self._find(table, slack, spheres, self._pairs)

    def _is_valid(self, state: State) -> bool:
        """Whether nearly all spheres are near their predicted positions."""
        done = 2.0 * self._age / self._lifetime - 1.0
        displaced = self._count_displaced(self._spheres, self._table, done, state.x, *self._tolerance)
        return displaced <= DISPLACED_FRACTION * len(self._spheres.particle)

    def touch(self, state: State, friction: float, world: World) -> int:
        """Append touching pairs as far as capacity allows; returns the number of contacts including all of them."""
        buffer = world.contact_buffer
        return int(self._touch(
            self._pairs, (state.x_prev, state.x, state.v), friction, buffer.count, buffer.columns,
        ))


class OwnContacts:
    """Self-collision contacts of all bodies that use spheres at their vertices."""

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
        """Search again in each frame: a resumed bake knows no earlier search."""
        for body in self.bodies:
            body.forget()

    def append(self, world: World) -> None:
        """Append the contacts of a substep; `world.contact_buffer` is replaced if its capacity is too small."""
        for body in self.bodies:
            kind = self._kind[body.first]
            body.update(world.state)
            found = body.touch(world.state, float(self._friction[kind, kind]), world)
            if found > len(world.contact_buffer.rest_separation):
                world.contact_buffer = with_capacity(world.contact_buffer, found - world.contact_buffer.count)
                body.touch(world.state, float(self._friction[kind, kind]), world)
            world.contact_buffer.count = found


def build_own_contacts(builder: Builder, model: Model, pairs: Pairs, x: np.ndarray) -> OwnContacts | None:
    """The contacts of a world, or None if no body collides with itself by spheres."""
    return OwnContacts(builder, model, pairs, x) if pairs.by_spheres.any() else None
