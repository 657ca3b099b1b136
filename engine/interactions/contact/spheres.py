"""Contact by proxy spheres: their positions, pairs, and the return of displacements to the vertices."""

from __future__ import annotations

import numpy as np

from ...mesh.graph.components import members
from ...solver.collide.narrow_phase.spheres import apply_moves, box_spheres, find_sphere_contacts, gather_groups
from ...solver.contact_buffer import ContactBuffer, with_capacity
from ...world.builder import Builder
from ...world.world import Model, State, World
from .pairs import Pairs

# Rest separation of a pair that may overlap freely [m].
NO_SEPARATION = -1e9


class Spheres:
    """The proxy spheres of all bodies, for a world that has any.

    Attributes:
        meets: (proxy bodies, proxy bodies) bool, pairs that collide by spheres.
    """

    def __init__(self, builder: Builder, model: Model, pairs: Pairs) -> None:
        """Build the tables of groups; `pairs` says which bodies collide."""
        proxies = builder.proxies
        body, owner = (np.array([getattr(one, name) for one in proxies], dtype=int) for name in ("body", "owner"))
        alone = np.array([one.alone for one in proxies], dtype=bool)
        allowed = pairs.allowed[np.ix_(pairs.kind[body], pairs.kind[body])]
        self.meets = allowed & np.logical_or.outer(alone, alone) & (owner[:, None] != owner)
        self._first, self._stop = (
            np.array([getattr(builder.bodies[b], end) for b in body], dtype=np.int64) for end in ("start", "stop")
        )
        self._friction, self._kind = pairs.friction, pairs.of_particle
        group = np.full(len(model.mass), -1, dtype=np.int64)
        so_far = 0
        for one, first, stop in zip(proxies, self._first, self._stop, strict=True):
            place = builder.bodies[one.owner]
            group[place.start : place.stop] = one.of + so_far
            so_far += stop - first
        self._start, self._members = members(group)
        self._particle = np.concatenate([np.zeros(0, dtype=np.int64), *map(np.arange, self._first, self._stop)])
        # Spheres with vertices tied to each other do not collide.
        tied = group[builder.tied[(group[builder.tied] >= 0).all(axis=1)]]
        self._tied = np.unique(self._pair_keys(self._particle[tied]))
        self._group, self._inside, self._mass_ratio = group, group >= 0, np.zeros(so_far)
        self.weigh(model)
        self._centre, self._centre_prev, self._velocity = (np.zeros((so_far, 3)) for _ in range(3))
        self._box = np.zeros((len(proxies), 6))

    def weigh(self, model: Model) -> None:
        """Update each sphere's ratio of total to movable mass, which keyed pins change; 0 if all of it is held."""
        total, free = (
            np.bincount(self._group[self._inside], (model.mass * counted)[self._inside], len(self._mass_ratio))
            for counted in (np.ones(len(self._group)), model.inv_mass > 0.0)
        )
        self._mass_ratio[:] = np.where(free > 0.0, total / np.maximum(free, 1e-300), 0.0)

    def gather(self, state: State, model: Model, h: float) -> None:
        """Move spheres to the centres of their vertices."""
        gather_groups(
            self._start, self._members, model.mass, self._particle, h, state.x, state.x_prev, state.v,
            self._centre, self._centre_prev,
        )

    def append(self, world: World) -> None:
        """Append the contacts of a substep; `world.contact_buffer` is replaced if its capacity is too small."""
        buffer = world.contact_buffer
        found = self.find(world.state, world.model, buffer)
        if found > len(buffer.rest_separation):
            world.contact_buffer = buffer = with_capacity(buffer, found - buffer.count)
            self.find(world.state, world.model, buffer)
        buffer.count = found

    def find(self, state: State, model: Model, buffer: ContactBuffer) -> int:
        """Append touching spheres to the contacts, as far as capacity allows; returns the count including all."""
        before = buffer.count
        box_spheres(self._first, self._stop, model.radius, state.x_prev, state.x, self._box)
        found = find_sphere_contacts(
            self._first, self._stop, self.meets, self._box, model.radius, (state.x_prev, state.x, state.v), self._kind,
            self._friction, buffer.count, buffer.columns,
        )
        if len(self._tied):
            new = slice(before, min(found, len(buffer.rest_separation)))
            buffer.rest_separation[new][np.isin(self._pair_keys(buffer.contact[new, :2]), self._tied)] = NO_SEPARATION
        return found

    def _pair_keys(self, pairs: np.ndarray) -> np.ndarray:
        """A key for each pair of particles, independent of their order, (m,)."""
        return pairs.min(axis=1) * self._stop.max() + pairs.max(axis=1)

    def move_vertices(self, state: State, model: Model) -> None:
        """Apply the displacement of spheres since `gather` to their vertices."""
        for before, values in ((self._centre, state.x), (self._centre_prev, state.x_prev)):
            apply_moves(self._start, self._members, model.inv_mass, self._particle, self._mass_ratio, before, values)

    def store_velocities(self, state: State) -> None:
        """Store the velocities of spheres before restitution."""
        self._velocity[:] = state.v[self._particle]

    def change_vertex_velocities(self, state: State, model: Model) -> None:
        """Apply the velocity change of spheres by restitution to their vertices."""
        apply_moves(
            self._start, self._members, model.inv_mass, self._particle, self._mass_ratio, self._velocity, state.v
        )


def build_spheres(builder: Builder, model: Model, pairs: Pairs) -> Spheres | None:
    """The spheres of a world, or None."""
    return Spheres(builder, model, pairs) if builder.proxies else None
