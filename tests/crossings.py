"""Detects tunnelling after every substep: edges that intersect faces of another body."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from flotsam.engine.interactions.contact.system import Contacts
from flotsam.engine.step.behaviour import Behaviour
from flotsam.engine.step.stage import Stage
from flotsam.engine.world.world import World


@dataclass
class Shell:
    """Geometry of a body for intersection tests, in particle indices: edges (e, 2) and faces (t, 3)."""

    name: str
    kind: str
    edges: np.ndarray
    faces: np.ndarray


def shells(world: World) -> list[Shell]:
    """Shells of all bodies with faces: their triangles with their edges, and loose edges.

    The mesh of a fluid is where it begins, that of a water its surface; neither is a body.
    """
    found, bodies = [], {body.name for body in world.model.bodies if body.kind not in ("FLUID", "WATER")}
    with_faces = (spec for spec in world.spec.systems if getattr(spec, "triangles", None) is not None)
    for spec in (spec for spec in with_faces if spec.name in bodies):
        body = world.body(spec.name)
        index, count = world.model.bodies.index(body), body.stop - body.start
        faces = np.asarray(spec.triangles, dtype=np.int64).reshape(-1, 3)
        rigid = world.rigid
        if body.kind == "VOXEL_BODY" and rigid is not None:
            mine = int(np.flatnonzero(rigid.start == body.start)[0])
            hull = rigid.hulls[mine]
            if hull is not None and count != len(spec.vertices):
                faces = np.asarray(hull.triangles(), dtype=np.int64)
        given = getattr(spec, "edges", None)
        if getattr(spec, "graph", "") == "LATTICE":
            # Its surface is finer than the mesh where cells are smaller than faces; edges of the mesh are chords of it.
            given = None
            corner = next(one for one in world.interactions if isinstance(one, Contacts)).elements.corner
            faces = corner[(world.model.body[corner[:, 0]] == index) & (corner[:, 1] != corner[:, 2])] - body.start
        sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        if given is not None and len(given):
            sides = np.concatenate([sides, np.sort(np.asarray(given, dtype=np.int64), axis=1)])
        found.append(Shell(body.name, body.kind, np.unique(sides, axis=0) + body.start, faces + body.start))
    return found


class Boxes(NamedTuple):
    """Lowest and highest coordinates (k, 3) of edges or faces, and those of all of them (3,)."""

    low: np.ndarray
    high: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray


def boxes(x: np.ndarray, corners: np.ndarray) -> Boxes:
    """Boxes of edges (k, 2) or faces (k, 3); x (n, 3) [m]."""
    low = high = x[corners[:, 0]]
    for k in range(1, corners.shape[1]):
        place = x[corners[:, k]]
        low, high = np.minimum(low, place), np.maximum(high, place)
    return Boxes(low, high, low.min(axis=0), high.max(axis=0))


def cuts(x: np.ndarray, edges: np.ndarray, faces: np.ndarray, of_edges: Boxes, of_faces: Boxes) -> np.ndarray:
    """Pairs (k, 2) of an edge and a face that it intersects; x (n, 3) [m], edges and faces as in `Shell`; `boxes`."""
    (low_e, high_e, lowest_e, highest_e), (low_f, high_f, lowest_f, highest_f) = of_edges, of_faces
    if (lowest_e > highest_f).any() or (highest_e < lowest_f).any():
        return np.zeros((0, 2), dtype=np.int64)
    near_e = np.flatnonzero(((low_e <= highest_f) & (high_e >= lowest_f)).all(axis=1))
    near_f = np.flatnonzero(((low_f <= highest_e) & (high_f >= lowest_e)).all(axis=1))
    if len(near_e) == 0 or len(near_f) == 0:
        return np.zeros((0, 2), dtype=np.int64)
    meets = (low_e[near_e, 0][:, None] <= high_f[near_f, 0]) & (high_e[near_e, 0][:, None] >= low_f[near_f, 0])
    at, of = np.nonzero(meets)
    e, f = near_e[at], near_f[of]
    for k in (1, 2):
        meets = (low_e[e, k] <= high_f[f, k]) & (high_e[e, k] >= low_f[f, k])
        e, f = e[meets], f[meets]
    if len(e) == 0:
        return np.zeros((0, 2), dtype=np.int64)
    p, q = (x[edges[e, k]].T for k in range(2))
    a, b, c = (x[faces[f, k]].T for k in range(3))
    goes = np.flatnonzero(_side(a, b, c, p) * _side(a, b, c, q) < 0.0)
    e, f = e[goes], f[goes]
    p, q, a, b, c = (place[:, goes] for place in (p, q, a, b, c))
    turns = np.stack([_side(p, q, a, b), _side(p, q, b, c), _side(p, q, c, a)])
    return np.stack([e, f], axis=1)[(turns > 0.0).all(axis=0) | (turns < 0.0).all(axis=0)]


def _side(u: np.ndarray, v: np.ndarray, w: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Six times the signed volume of tetrahedra with corners (3, k) each, (k,); np.cross takes five times as long."""
    a, b, c = v - u, w - u, z - u
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])


@dataclass(eq=False)
class Watch(Behaviour):
    """Runs as the last interaction of a world; after each substep it counts intersections between watched bodies.

    Attributes:
        world: the world; substeps: number of substeps checked; crossed: substeps that ended with an intersection.
        first: description of the first intersection.
    """

    world: World
    substeps: int = 0
    crossed: int = 0
    first: str = ""
    _pairs: list[tuple[Shell, Shell]] = field(default_factory=list)

    def __post_init__(self) -> None:
        every = shells(self.world)
        for k, one in enumerate(every):
            for other in every[k + 1 :]:
                if "SPRING_GRAPH" in (one.kind, other.kind):
                    self._pairs += [(one, other), (other, one)]
        self.world.interactions.append(self)

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """Check at the end of a substep."""
        if stage is not Stage.VELOCITY:
            return
        self.substeps += 1
        x, found = world.state.x, 0
        every = {id(one): one for one, _other in self._pairs}
        of_edges, of_faces = (
            {name: boxes(x, getattr(one, part)) for name, one in every.items()} for part in ("edges", "faces")
        )
        for one, other in self._pairs:
            cut = cuts(x, one.edges, other.faces, of_edges[id(one)], of_faces[id(other)])
            found += len(cut)
            if len(cut) and not self.first:
                e, f = cut[0]
                self.first = (
                    f"substep {self.substeps}: {len(cut)} edges of {one.name} cut {other.name}, first "
                    f"{one.edges[e].tolist()} through {other.faces[f].tolist()}"
                )
        self.crossed += found > 0
