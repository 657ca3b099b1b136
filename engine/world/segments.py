"""The segments of all bodies in one table, each reduced to its centre of mass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import SpecError
from ..mesh.graph.clusters import sphere_groups
from ..mesh.graph.components import members
from ..solver.forces.segments import inflate_segments
from ..spec import SpringGraphSpec
from .builder import Builder, Segments
from .world import Model, State


@dataclass
class SegmentTable:
    """Segments numbered consecutively, body after body.

    Attributes:
        start, members: compressed lists of particles.
        mass: (s,) [kg]; radius: (s,) [m]; body: (s,) int64.
        body_start: (bodies + 1,) range of segments of each body, empty for bodies without any.
        centre: (s, 3) [m], as of the last `inflate`.
    """

    start: np.ndarray
    members: np.ndarray
    mass: np.ndarray
    radius: np.ndarray
    body: np.ndarray
    body_start: np.ndarray

    def __post_init__(self) -> None:
        self.centre = np.zeros((len(self.mass), 3))

    def inflate(self, state: State, model: Model, force: np.ndarray, h: float) -> None:
        """Fill `centre`, and push each vertex outward from it by the force (s,) [N] of its segment during h [s]."""
        inflate_segments(
            state.x, model.mass, model.inv_mass, self.start, self.members, force, h, self.centre, state.v
        )


def segment_table(builder: Builder) -> SegmentTable:
    """Table of every body that has segments."""
    mass = builder.masses()
    segment = np.full(len(mass), -1, dtype=np.int64)
    radius, body, body_start = [np.zeros(0)], [np.zeros(0, dtype=np.int64)], [0]
    for index, (place, own) in enumerate(zip(builder.bodies, builder.segments, strict=True)):
        if own is not None:
            segment[place.start : place.stop] = own.of + body_start[-1]
            radius.append(own.radius)
            body.append(np.full(len(own.radius), index, dtype=np.int64))
        body_start.append(sum(map(len, radius)))
    start, ids = members(segment)
    inside = segment >= 0
    total = np.bincount(segment[inside], weights=mass[inside], minlength=body_start[-1])
    return SegmentTable(
        start, ids, total, np.concatenate(radius), np.concatenate(body), np.array(body_start, dtype=np.int64)
    )


def read_segments(
    spec: SpringGraphSpec, vertices: np.ndarray, mass: np.ndarray, triangles: np.ndarray
) -> Segments | None:
    """Segments of a spec; None when it defines none and does not collide by proxy spheres.

    Args:
        vertices: (n, 3) [m]; mass: (n,) [kg]; triangles: (t, 3) of closed pieces, outward.

    Raises:
        SpecError: the pressure law needs segments and they are missing, or they are not one integer per vertex.
    """
    allowed = f"a whole number for each of the {len(vertices)} vertices"
    if spec.segments is None:
        if spec.pressure_law == "SEGMENT" and spec.contact != "PROXIES":
            raise SpecError(spec.name, "segments", None, f'{allowed}, or the pressure law "GAS"')
        if spec.contact != "PROXIES":
            return None
        labels = sphere_groups(vertices, triangles, spec.proxy_count)
    else:
        labels = np.asarray(spec.segments)
    if labels.shape != (len(vertices),) or not np.issubdtype(labels.dtype, np.integer):
        raise SpecError(spec.name, "segments", f"{labels.dtype} of shape {labels.shape}", allowed)
    names, of = np.unique(labels, return_inverse=True)
    of = of.reshape(-1).astype(np.int64)
    total = np.bincount(of, weights=mass)
    centre = np.stack([np.bincount(of, weights=mass * vertices[:, k]) / total for k in range(3)], axis=1)
    distance = np.linalg.norm(vertices - centre[of], axis=1)
    measured = np.bincount(of, weights=distance) / np.bincount(of)
    return Segments(of, np.full(len(names), spec.segment_radius) if spec.segment_radius > 0.0 else measured)
