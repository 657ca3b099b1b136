"""Hidden vertices of bodies with a lattice whose mesh is coarser than the cells, see `mesh.lattice.refine`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...errors import SpecError
from ...mesh.graph.edges import pair_keys, triangle_edges
from ...mesh.lattice.cells import checked_size
from ...mesh.lattice.refine import Refinement, refine
from ...spec import SpringGraphSpec
from ...spec.check import points, shares

# Longest edge of a surface, in cells. The diagonals of squares as large as a cell are not halved.
MOST_CELLS_AN_EDGE = 1.5


def with_hidden(
    spec: SpringGraphSpec, vertices: np.ndarray, triangles: np.ndarray, pins: np.ndarray
) -> tuple[SpringGraphSpec, Refinement | None]:
    """The spec of a body whose surface is as fine as its cells, and the vertices that were added, or None.

    Hidden vertices between only pinned ones are pinned as well.

    Args: vertices: (n, 3) [m]; triangles: (t, 3); pins: (p,) ascending; all checked.

    Raises:
        SpecError: cells are larger than the body or too many, or a column does not have one value for each vertex.
    """
    if len(triangles) == 0:
        return spec, None
    size = checked_size(spec.name, np.ptp(vertices[np.unique(triangles)], axis=0), float(spec.voxel_size))
    refinement, fine = refine(vertices, triangles, MOST_CELLS_AN_EDGE * size)
    count = len(vertices)
    if len(refinement.parents) == 0:
        return spec, None
    changed: dict[str, object] = {"vertices": refinement.extended(vertices), "triangles": fine}
    pinned = np.zeros(count, dtype=bool)
    pinned[pins] = True
    changed["pins"] = np.concatenate([pins, refinement.between(pinned)])
    if spec.weights:
        given = shares(spec.name, spec, count)
        changed["weights"] = {name: refinement.extended(given[name]) for name in spec.weights}
    if spec.start is not None:
        start = points(spec.name, "start", spec.start)
        if len(start) != count:
            raise SpecError(spec.name, "start", f"{len(start)} positions", f"{count}, one for each vertex")
        changed["start"] = refinement.extended(start)
    velocity = np.asarray(spec.velocity, dtype=np.float64)
    if velocity.shape == vertices.shape and velocity.ndim == 2:
        changed["velocity"] = refinement.extended(velocity)
    if spec.segments is not None and np.shape(spec.segments) == (count,):
        changed["segments"] = _inherited(np.asarray(spec.segments), refinement)
    return replace(spec, **changed), refinement


def loose_edges(edges: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """The edges of the mesh, of (e, 2), that belong to no triangle of it."""
    keys, _span = pair_keys(np.concatenate([edges, triangle_edges(triangles)]))
    return edges[~np.isin(keys[: len(edges)], keys[len(edges) :])]


def _inherited(values: np.ndarray, refinement: Refinement) -> np.ndarray:
    """Extend values (n,) of vertices; hidden ones inherit that of their first parent."""
    found = np.concatenate([values, np.zeros(len(refinement.parents), dtype=values.dtype)])
    for first, stop in zip(refinement.level_start[:-1], refinement.level_start[1:], strict=True):
        found[len(values) + first : len(values) + stop] = found[refinement.parents[first:stop, 0]]
    return found
