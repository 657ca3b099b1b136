"""`Builder`: reserves ranges of particles, and registers surfaces, while a world is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..mesh.graph.tree import Tree
from ..solver.rigid.bodies import RigidBodies
from ..solver.rigid.links.table import LinkTable
from .world import Body, Model, State


@dataclass
class Surface:
    """Triangles of one system, indexed by the system's own vertices.

    Attributes:
        triangles: (t, 3) int32, outward where they enclose volume.
        hollow: (t,) bool, whether the triangle's piece encloses volume, with rims capped.
        part: (t,) int32, connected piece of each triangle.
        closed: (parts,) bool, whether a piece has an inside.
        edges: (e, 2) int32, edges of the mesh; edges without a triangle collide too.
        meets_itself: whether it collides with itself.
        is_cut: whether its parts are pieces that collide with each other.
        is_touched: whether anything collides with it.
        has_points: whether vertices without a triangle or an edge collide as points.
        tree: over the triangles, if it was built already.
        has_spheres: whether it collides with itself by spheres at its vertices.
    """

    triangles: np.ndarray
    hollow: np.ndarray
    part: np.ndarray
    closed: np.ndarray
    edges: np.ndarray
    meets_itself: bool = False
    is_cut: bool = False
    is_touched: bool = True
    has_points: bool = True
    tree: Tree | None = None
    has_spheres: bool = False

    @classmethod
    def of_vertices(cls) -> Surface:
        """A surface of unconnected particles; each collides as a point with its radius."""
        none = np.zeros(0, dtype=bool)
        triangles, edges = np.zeros((0, 3), dtype=np.int32), np.zeros((0, 2), dtype=np.int32)
        return cls(triangles, none, np.zeros(0, dtype=np.int32), none, edges)


@dataclass
class Segments:
    """Groups of one system's vertices; each group acts as one body.

    Attributes:
        of: (n,) int64, segment of each vertex, counted from 0.
        radius: (segments,) float64 [m].
    """

    of: np.ndarray
    radius: np.ndarray


@dataclass
class ProxyBody:
    """Proxy particles that replace groups of another body's vertices in contacts.

    Attributes:
        body: index of the proxies' own body; owner: index of the body that they stand for.
        of: (n,) int64, proxy of each vertex of the owner.
        alone: whether the owner collides through its proxies only.
    """

    body: int
    owner: int
    of: np.ndarray
    alone: bool


class Builder:
    """Collects what the systems add, in the order of the spec; `rigid` and `links` belong to rigid bodies."""

    def __init__(
        self, torn: Mapping[str, np.ndarray] | None = None, kept: dict[Any, Any] | None = None,
        rooms: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        """Args: torn: particle of each face corner of bodies that are torn already, (c,) by name.

        kept: cached results that depend only on the spec, by owner; worlds rebuilt after tears share them.
        rooms: which pieces of colliders are rooms in any case, (parts,) bool by name, see `systems.rooms`.
        """
        self.torn, self.kept, self.rooms = dict(torn or {}), {} if kept is None else kept, dict(rooms or {})
        self.bodies: list[Body] = []
        self.surfaces: list[Surface | None] = []
        self.segments: list[Segments | None] = []
        self.proxies: list[ProxyBody] = []
        # Tied pairs of particles, (m, 2), and their rest distances [m]. Some particles are anchors (k,): each follows
        # the leader (name of the system, vertex) at the same index.
        self.tied, self.tied_apart = np.zeros((0, 2), dtype=np.int64), np.zeros(0)
        self.anchors, self.leaders = np.zeros(0, dtype=np.int64), list[tuple[str, int]]()
        # Pairs of particles of one vertex that was split, (m, 2): they start in the same place and do not collide.
        self.split = np.zeros((0, 2), dtype=np.int64)
        # Links to agents: pairs of particles (m, 2), lengths [m], stiffness [N/m], damping [N s/m].
        self.leashes = (np.zeros((0, 2), dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros(0))
        self._columns: dict[str, list[np.ndarray]] = {
            name: [] for name in ("x", "v", "mass", "inv_mass", "radius", "air_drag")
        }
        self._own_columns: dict[str, tuple[int, type]] = {}
        self._friction: list[float] = []
        self._restitution: list[float] = []
        self._count = 0
        self.rigid: RigidBodies | None = None
        self.links: LinkTable | None = None

    def add(
        self, spec: Any, vertices: np.ndarray, velocity: np.ndarray, mass: np.ndarray, inv_mass: np.ndarray,
        radius: float | np.ndarray, air_drag: float, surface: Surface | None, segments: Segments | None = None,
    ) -> int:
        """Reserve a range of particles for a system.

        Args:
            spec: has name, kind, traits and perhaps keyed, friction and restitution.
            vertices: (n, 3) [m]; velocity: (3,) or (n, 3) [m/s]; mass: (n,) [kg]; inv_mass: (n,) [1/kg].
            radius: one for all, or (n,) [m]; air_drag: [1/s].
            surface: triangles of the system, or None; segments: of its vertices, or None.

        Returns:
            Index of its first particle.
        """
        start = self._count
        count = len(vertices)
        self._columns["x"].append(vertices)
        self._columns["v"].append(np.broadcast_to(velocity, (count, 3)))
        self._columns["mass"].append(mass)
        self._columns["inv_mass"].append(inv_mass)
        self._columns["radius"].append(np.broadcast_to(radius, count))
        self._columns["air_drag"].append(np.broadcast_to(air_drag, count))
        self._friction.append(float(getattr(spec, "friction", 0.0)))
        self._restitution.append(float(getattr(spec, "restitution", 0.0)))
        self._count += count
        self.bodies.append(
            Body(spec.name, spec.kind, start, self._count, spec.traits, tuple(getattr(spec, "keyed", ())))
        )
        self.surfaces.append(surface)
        self.segments.append(segments)
        return start

    def add_column(self, name: str, wide: int = 0, number: type = np.float64) -> None:
        """Add a column to every particle of the world: `State.columns[name]`, (n,) or (n, wide), zeros at the start.

        Snapshots contain it. A system writes only to the rows of its own range.
        """
        self._own_columns[name] = (wide, number)

    def body_index(self, name: str) -> int:
        """Index of the body of that name."""
        return next(index for index, body in enumerate(self.bodies) if body.name == name)

    def range_of(self, name: str) -> np.ndarray:
        """Indices of a body's particles, int64."""
        body = self.bodies[self.body_index(name)]
        return np.arange(body.start, body.stop)

    def leading(self) -> np.ndarray:
        """The particle that each anchor follows, (k,) int64; valid once all systems are added."""
        return np.array([self.bodies[self.body_index(name)].start + k for name, k in self.leaders], dtype=np.int64)

    def _column(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        return np.ascontiguousarray(np.concatenate([np.zeros(shape), *self._columns[name]]))

    def positions(self) -> np.ndarray:
        """Positions so far, (n, 3) float64 [m]."""
        return self._column("x", (0, 3))

    def inv_masses(self) -> np.ndarray:
        """Inverse masses so far, (n,) float64 [1/kg]."""
        return self._column("inv_mass", (0,))

    def masses(self) -> np.ndarray:
        """Masses so far, (n,) float64 [kg]."""
        return self._column("mass", (0,))

    def velocities(self) -> np.ndarray:
        """Velocities so far, (n, 3) float64 [m/s]."""
        return self._column("v", (0, 3))

    def thickness_of(self, body: int) -> float:
        """Rest separation of a body's surface from one of zero thickness, twice the radius [m]."""
        return 2.0 * float(self._columns["radius"][body][0])

    def air_drags(self) -> np.ndarray:
        """Air drag of each particle so far, (n,) float64 [1/s]."""
        return self._column("air_drag", (0,))

    def radii(self) -> np.ndarray:
        """Half the thickness of each particle so far, (n,) float64 [m]."""
        return self._column("radius", (0,))

    def model(self, gravity: np.ndarray) -> Model:
        """The constant arrays of all systems added."""
        body = np.repeat(
            np.arange(len(self.bodies), dtype=np.int32), [body.stop - body.start for body in self.bodies]
        )
        return Model(
            self.bodies, self.masses(), self.inv_masses(), self.radii(),
            self.air_drags(), body, np.array(self._friction), np.array(self._restitution), gravity,
        )

    def state(self) -> State:
        """The changing arrays at the start; held particles have zero velocity."""
        x = self.positions()
        velocity = self._column("v", (0, 3))
        velocity[self.inv_masses() == 0.0] = 0.0
        columns = {
            name: np.zeros((len(x), wide) if wide else len(x), dtype=number)
            for name, (wide, number) in self._own_columns.items()
        }
        return State(x, x.copy(), velocity, np.zeros(len(x), dtype=bool), columns=columns)
