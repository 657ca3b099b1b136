"""Which particles of a fluid there are: born, alive, gone."""

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

# A source has room where no particle is nearer than this share of the spacing; a nozzle pushes on what is in its way.
ROOM, NOZZLE_ROOM = 0.9, 0.5
# Particles in a task of a thread.
TASK = 1024


class Population:
    """Particles of one fluid.

    Attributes:
        name: of its system; opening: share of the source that lets particles out; source: (s, 3) where particles come
            into being, middle: (3,) of it [m].
        living: which particles are alive; far: how many are gone because they went beyond the range.
        age: (capacity,) [s]; are_lasting: whether all began with the world, and have no end.
    """

    def __init__(
        self, spec: FluidSpec, sites: np.ndarray, places: np.ndarray, start: int, spacing: float, nozzle: Nozzle | None,
    ) -> None:
        """Args: sites: (s, 3) where particles come into being [m]; start, places: of its range; spacing [m].

        places: (capacity, 3), at first [m]; of a fill it is kept, and its first s are the sites.
        """
        self.spec, self.name, self.spacing, self.nozzle = spec, spec.name, spacing, nozzle
        if spec.emission == "INFLOW":
            sites = sites[_from_middle(sites, np.asarray(spec.velocity, dtype=np.float64))]
        self.source, self.middle = sites, sites.mean(axis=0)
        self.opening = float(spec.opening)
        self.living, self.far = Living(start, len(places)), 0
        self.age, self._sites = self.living.add_column("age"), sites
        if spec.emission == "FILL":
            # All come into being now, at their sites.
            self.living.columns["first"] = self._first = places
            self.living.bear(len(sites))
            self._sites = np.zeros((0, 3))
        else:
            self._first = self.living.add_column("first", 3)
        self.are_lasting = spec.emission == "FILL" and not float(spec.lifetime)
        self._ahead = columns_ahead(self._sites, spec.velocity, spacing)

    @property
    def ids(self) -> np.ndarray:
        """Particles of the world that are alive, in the order of their ids."""
        return self.living.ids

    def _due(self, h: float, done: float) -> tuple[np.ndarray, np.ndarray]:
        """Places and velocities (k, 3) of what the source lets out if it has room [m], [m/s]; see `emit`."""
        if self.nozzle is not None:
            return self.nozzle.leave(h, done, self.opening)
        places = self._sites[: math.ceil(self.opening * len(self._sites))]
        return places, np.broadcast_to(np.asarray(self.spec.velocity, dtype=np.float64), places.shape)

    def emit(
        self, x: np.ndarray, v: np.ndarray, ids: np.ndarray, h: float, done: float,
        are_free: Callable[[np.ndarray, np.ndarray], np.ndarray],
    ) -> bool:
        """Let particles come into being where the source has room; whether any did.

        Args:
            x, v: (n, 3) of the world, which change [m], [m/s]; ids: (m,) of all fluid particles.
            h: the substep that begins [s]; done: share of the frame that has passed when it ends.
            are_free: whether places are in no body, see `MetBodies.are_free`.
        """
        room = self.living.room
        if room == 0 and self.nozzle is None:
            return False
        places, velocities = self._due(h, done)
        if room == 0 or len(places) == 0:
            return False
        reach = (ROOM if self.nozzle is None else NOZZLE_ROOM) * self.spacing
        free = free_places(places, x[ids], reach)
        if self.nozzle is None and len(free) == len(places):
            # It begins, or begins again.
            places = places + self._ahead[: len(places)]
            free = free_places(places, x[ids], reach)
        free = free[are_free(x, places[free])][:room]
        own = self.living.bear(len(free))
        self.age[own], self._first[own] = 0.0, places[free]
        world = slice(self.living.start + own.start, self.living.start + own.stop)
        x[world], v[world] = places[free], velocities[free]
        return len(free) > 0

    def push(self, ids: np.ndarray, v: np.ndarray) -> None:
        """Push on what is in the nozzle, see `Nozzle.push`; ids: (m,) of all particles, v: (m, 3), changes [m/s]."""
        if self.nozzle is not None:
            rows = np.flatnonzero((ids >= self.living.start) & (ids < self.living.stop))
            v[rows] += self.nozzle.push(self.age[ids[rows] - self.living.start], v[rows])

    def aim(self, pose: np.ndarray | None) -> None:
        """Begin a frame at whose end the nozzle has a pose, see `Nozzle.aim`."""
        if self.nozzle is not None:
            self.nozzle.aim(pose)

    def set_value(self, field: str, value: float) -> None:
        """Change a keyed value."""
        if field == "opening":
            self.opening = value
        elif self.nozzle is not None:
            setattr(self.nozzle, field, value)

    def pass_time(self, x: np.ndarray, h: float, frame: float) -> bool:
        """Add to the ages; remove particles that are too old or too far away; whether any.

        Particles that all began with the world, and have no end, are looked at when a frame begins, and for the whole.

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
        """What changes, copied."""
        nozzle = {} if self.nozzle is None else self.nozzle.memory()
        return {"living": self.living.memory(), "opening": self.opening, "far": self.far, "nozzle": nozzle}

    def recall(self, memory: dict[str, Any]) -> None:
        """Take back what `memory` gave."""
        self.living.recall(memory["living"])
        self.opening, self.far = memory["opening"], memory["far"]
        if self.nozzle is not None and memory["nozzle"]:
            self.nozzle.recall(memory["nozzle"])


def columns_ahead(sites: np.ndarray, velocity: Sequence[float], spacing: float) -> np.ndarray:
    """How much farther on each column of a lattice begins, (n, 3), up to a spacing [m], so that it is refilled sooner.

    Whole layers would part where a stream gets faster as it falls, and it would be a pile of discs.

    Args: sites: (n, 3) [m]; velocity: (3,) of the flow [m/s].
    """
    ahead, along = np.zeros(sites.shape), int(np.argmax(np.abs(velocity)))
    if len(sites) and velocity[along] != 0.0:
        across = np.rint(np.delete(sites - sites[0], along, axis=1) / spacing)
        columns, column = np.unique(across, axis=0, return_inverse=True)
        shares = np.random.default_rng(0).random(len(columns))
        ahead[:, along] = np.sign(velocity[along]) * spacing * shares[column.ravel()]
    return ahead


def free_places(places: np.ndarray, x: np.ndarray, reach: float) -> np.ndarray:
    """Which places (k, 3) have no point of x (n, 3) within a reach: ascending integers; all in [m]."""
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
    """Add to the ages of living particles [s], and note in `lost` (n,) which are too old or too far away.

    Args: x, first: (n, 3) where they are and came into being [m]; limits: step, lifetime [s], largest way² [m²].
    """
    for task in prange((x.shape[0] + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), x.shape[0])):
            way = 0.0
            for axis in range(3):
                way += (x[i, axis] - first[i, axis]) ** 2
            if alive[i]:
                age[i] += limits[0]
            lost[i] = alive[i] and (age[i] >= limits[1] or way > limits[2])


def _from_middle(sites: np.ndarray, way: np.ndarray) -> np.ndarray:
    """The order of sites (s, 3) by their distance from the axis through their middle along a way (3,), or from it."""
    apart = sites - sites.mean(axis=0)
    length = float(np.linalg.norm(way))
    if length > 0.0:
        apart = apart - np.outer(apart @ way, way) / length**2
    return np.argsort(np.einsum("ij,ij->i", apart, apart), kind="stable")
