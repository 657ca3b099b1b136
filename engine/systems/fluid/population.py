"""The particles of one fluid: emission, age and removal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...compiler.kernels import parallel_kernel, prange
from ...solver.neighbors import Grid, NeighborLists
from ...spec import FluidSpec
from ...world.living import Living
from .nozzle import Nozzle

# A source emits where no particle is nearer than this fraction of the spacing. A nozzle's is smaller, as it pushes the
# particles in front of it.
FREE_DISTANCE, NOZZLE_FREE_DISTANCE = 0.9, 0.5
# Particles in a task of a thread.
TASK = 1024


class Population:
    """Particles of one fluid.

    Attributes:
        name: of its system; opening: fraction of the source that emits particles; source: (s, 3) where particles are
            emitted, middle: (3,) of it [m].
        living: which particles are alive; far: number of particles removed because they left the range.
        age: (capacity,) [s]; are_lasting: whether all began with the world, and have no lifetime.
    """

    def __init__(
        self, spec: FluidSpec, sites: np.ndarray, places: np.ndarray, start: int, spacing: float, nozzle: Nozzle | None,
    ) -> None:
        """Args: sites: (s, 3) where particles are emitted [m]; start, places: of its range; spacing [m].

        places: (capacity, 3), initial positions [m]; for a fill the array is kept, and its first s are the sites.
        """
        self.spec, self.name, self.spacing, self.nozzle = spec, spec.name, spacing, nozzle
        if spec.emission == "INFLOW":
            sites = sites[_by_distance(sites, np.asarray(spec.velocity, dtype=np.float64))]
        self.source, self.middle = sites, sites.mean(axis=0)
        self.opening = float(spec.opening)
        self.living, self.far = Living(start, len(places)), 0
        self.age, self._sites = self.living.add_column("age"), sites
        if spec.emission == "FILL":
            # All particles are emitted now, at their sites.
            self.living.columns["first"] = self._first = places
            self.living.spawn(len(sites))
            self._sites = np.zeros((0, 3))
        else:
            self._first = self.living.add_column("first", 3)
        self.are_lasting = spec.emission == "FILL" and not float(spec.lifetime)
        self._ahead = columns_ahead(self._sites, spec.velocity, spacing)

    @property
    def ids(self) -> np.ndarray:
        """Ids of the particles that are alive, ascending."""
        return self.living.ids

    def _due(self, h: float, done: float) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities (k, 3) of particles due at the source if it is free [m], [m/s]; see `emit`."""
        if self.nozzle is not None:
            return self.nozzle.leave(h, done, self.opening)
        places = self._sites[: math.ceil(self.opening * len(self._sites))]
        return places, np.broadcast_to(np.asarray(self.spec.velocity, dtype=np.float64), places.shape)

    def emit(
        self, x: np.ndarray, v: np.ndarray, ids: np.ndarray, h: float, done: float,
        are_free: Callable[[np.ndarray, np.ndarray], np.ndarray],
    ) -> bool:
        """Emit particles where the source is free; returns whether any were emitted.

        Args:
            x, v: (n, 3) of the world, which change [m], [m/s]; ids: (m,) of all fluid particles.
            h: the substep that begins [s]; done: fraction of the frame that has passed when it ends.
            are_free: whether positions are in no body, see `MetBodies.are_free`.
        """
        capacity = self.living.room
        if capacity == 0 and self.nozzle is None:
            return False
        places, velocities = self._due(h, done)
        if capacity == 0 or len(places) == 0:
            return False
        reach = (FREE_DISTANCE if self.nozzle is None else NOZZLE_FREE_DISTANCE) * self.spacing
        free = free_places(places, x[ids], reach)
        if self.nozzle is None and len(free) == len(places):
            # The source starts, or starts again: offset the columns.
            places = places + self._ahead[: len(places)]
            free = free_places(places, x[ids], reach)
        free = free[are_free(x, places[free])][:capacity]
        own = self.living.spawn(len(free))
        self.age[own], self._first[own] = 0.0, places[free]
        world = slice(self.living.start + own.start, self.living.start + own.stop)
        x[world], v[world] = places[free], velocities[free]
        return len(free) > 0

    def drive_jet(self, ids: np.ndarray, v: np.ndarray) -> None:
        """Drive particles in the nozzle, see `Nozzle.pipe_dv`; ids: (m,) of all particles, v: (m, 3), changes [m/s]."""
        if self.nozzle is not None:
            rows = np.flatnonzero((ids >= self.living.start) & (ids < self.living.stop))
            v[rows] += self.nozzle.pipe_dv(self.age[ids[rows] - self.living.start], v[rows])

    def aim(self, pose: np.ndarray | None) -> None:
        """Begin a frame and set the nozzle's pose at its end, see `Nozzle.aim`."""
        if self.nozzle is not None:
            self.nozzle.aim(pose)

    def set_value(self, field: str, value: float) -> None:
        """Change a keyed value."""
        if field == "opening":
            self.opening = value
        elif self.nozzle is not None:
            setattr(self.nozzle, field, value)

    def pass_time(self, x: np.ndarray, h: float, frame: float) -> bool:
        """Add to the ages; remove particles that are too old or too far away; returns whether any were removed.

        If `are_lasting`, particles are checked only when a frame begins, for the whole frame.

        Args: x: (n, 3) of the world [m]; h: the substep that begins; frame: that begins with it, or 0 [s].
        """
        living, time = self.living, frame if self.are_lasting else h
        if time == 0.0:
            return False
        lost = np.empty(living.born, dtype=np.bool_)
        limits = (time, float(self.spec.lifetime) or math.inf, float(self.spec.range) ** 2)
        grow_old(x[living.start : living.start + living.born], self._first, living.alive, limits, self.age, lost)
        if not lost.any():
            return False
        self.far += int(np.count_nonzero(self.age[: living.born][lost] < limits[1]))
        return living.remove(lost)

    def memory(self) -> dict[str, Any]:
        """Copy of the state that changes."""
        nozzle = {} if self.nozzle is None else self.nozzle.memory()
        return {"living": self.living.memory(), "opening": self.opening, "far": self.far, "nozzle": nozzle}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore what `memory` returned."""
        self.living.recall(memory["living"])
        self.opening, self.far = memory["opening"], memory["far"]
        if self.nozzle is not None and memory["nozzle"]:
            self.nozzle.recall(memory["nozzle"])


def columns_ahead(sites: np.ndarray, velocity: Sequence[float], spacing: float) -> np.ndarray:
    """Offset of each column of a lattice along the flow, (n, 3), up to a spacing [m], so that it is refilled sooner.

    Whole layers would separate where a stream accelerates as it falls, and it would look like a stack of discs.

    Args: sites: (n, 3) [m]; velocity: (3,) of the flow [m/s].
    """
    ahead, along = np.zeros(sites.shape), int(np.argmax(np.abs(velocity)))
    if len(sites) and velocity[along] != 0.0:
        across = np.rint(np.delete(sites - sites[0], along, axis=1) / spacing)
        columns, column = np.unique(across, axis=0, return_inverse=True)
        fractions = np.random.default_rng(0).random(len(columns))
        ahead[:, along] = np.sign(velocity[along]) * spacing * fractions[column.ravel()]
    return ahead


def free_places(places: np.ndarray, x: np.ndarray, reach: float) -> np.ndarray:
    """Indices, ascending, of the places (k, 3) that have no point of x (n, 3) within a reach; all in [m]."""
    grid, lists, count = Grid(reach), NeighborLists(), len(places)
    grid.sort(x.astype(np.float32))
    lists.find_others(np.ascontiguousarray(places.T.astype(np.float32)), count, grid, reach)
    is_free = np.repeat(np.diff(lists.slot_start) == 0, 16)[:count]
    for block in np.flatnonzero(np.diff(lists.slot_start)):
        slots = lists.neighbor[lists.slot_start[block] : lists.slot_start[block + 1]]
        own = slice(16 * block, min(16 * block + 16, count))
        is_free[own] = (slots == lists.none).all(axis=0)[: own.stop - own.start]
    return np.flatnonzero(is_free)


@parallel_kernel
def grow_old(x, first, alive, limits, age, lost):
    """Add to the ages of living particles [s], and set in `lost` (n,) which are too old or too far away.

    Args: x, first: (n, 3) current and initial positions [m]; limits: step, lifetime [s], largest squared distance [m²].
    """
    for task in prange((x.shape[0] + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), x.shape[0])):
            square = 0.0
            for axis in range(3):
                square += (x[i, axis] - first[i, axis]) ** 2
            if alive[i]:
                age[i] += limits[0]
            lost[i] = alive[i] and (age[i] >= limits[1] or square > limits[2])


def _by_distance(sites: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Order of sites (s, 3) by distance from the line through their middle along `axis` (3,), or from the middle."""
    apart = sites - sites.mean(axis=0)
    length = float(np.linalg.norm(axis))
    if length > 0.0:
        apart = apart - np.outer(apart @ axis, axis) / length**2
    return np.argsort(np.einsum("ij,ij->i", apart, apart), kind="stable")
