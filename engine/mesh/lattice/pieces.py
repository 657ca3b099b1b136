"""Lattices of meshes that were cut into pieces: each piece has cells of its own, and springs hold the pieces together.

Pieces are parts of a mesh that share no vertex. They lie in one grid, so where two of them touch they have nodes at the
same positions. Springs across a cut join each of two such nodes to the neighbours of the other, which are one cell
away. So these springs have a length, and a strain at which they break.
"""

from __future__ import annotations

import numpy as np

from ..graph.components import components
from ..graph.edges import neighbour_lists, triangle_edges, unique_pairs
from .cells import Lattice, cell_edges, fill, grid_around
from .ride import Embedding, embed


def build_pieces(
    name: str, vertices: np.ndarray, triangles: np.ndarray, size: float
) -> tuple[Lattice, Embedding, np.ndarray]:
    """Cells of all pieces, the embedding of the mesh, and springs across cuts as pairs of nodes, (m, 2) int32.

    Args and errors: see `cells.build_lattice`.
    """
    grid = grid_around(name, vertices, triangles, size)
    label, _rank = components(unique_pairs(triangle_edges(triangles)), len(vertices))
    piece_of = np.unique(label[triangles[:, 0]], return_inverse=True)[1].reshape(-1)
    lattices, rides, members = [], [], []
    is_loose = np.ones(len(vertices), dtype=bool)
    is_loose[triangles] = False
    for piece in range(int(piece_of.max()) + 1):
        own = triangles[piece_of == piece]
        chosen = np.zeros(len(vertices), dtype=bool)
        chosen[own] = True
        # Vertices without a face are embedded in the first piece.
        chosen |= is_loose & (piece == 0)
        number = np.cumsum(chosen) - 1
        lattices.append(fill(grid, vertices[chosen], number[own]))
        rides.append(embed(lattices[-1], vertices[chosen], number[own]))
        members.append(np.flatnonzero(chosen))
    first = np.cumsum([0] + [len(lattice.nodes) for lattice in lattices])
    combined = _combined(lattices, first)
    return combined, _combined_ride(rides, members, first), _cut_springs(combined, first)


def _combined(lattices: list[Lattice], first: np.ndarray) -> Lattice:
    """All lattices as one; first: index of the first node of each."""
    cells = np.cumsum([0] + [len(lattice.place) for lattice in lattices])
    beside = [np.where(own.beside >= 0, own.beside + at, -1) for own, at in zip(lattices, cells, strict=False)]
    corners = [own.corners + at for own, at in zip(lattices, first, strict=False)]
    return Lattice(
        lattices[0].corner, lattices[0].size, *(
            np.concatenate([getattr(own, field) for own in lattices]) for field in ("place", "part", "share")
        ), np.concatenate(corners), np.concatenate([own.nodes for own in lattices]), np.concatenate(beside),
        np.zeros((0, 0, 0), dtype=np.int32),
    )


def _combined_ride(rides: list[Embedding], members: list[np.ndarray], first: np.ndarray) -> Embedding:
    """The embedding of all vertices; members: vertices of each piece."""
    row = np.concatenate([np.repeat(own, np.diff(ride.start)) for own, ride in zip(members, rides, strict=True)])
    node = np.concatenate([ride.node + at for ride, at in zip(rides, first, strict=False)])
    order = np.argsort(row, kind="stable")
    start = np.append(0, np.cumsum(np.bincount(row, minlength=sum(map(len, members)))))
    return Embedding(start.astype(np.int64), node[order], np.concatenate([ride.weight for ride in rides])[order])


def _cut_springs(lattice: Lattice, first: np.ndarray) -> np.ndarray:
    """Springs across cuts, (m, 2) int32 nodes; first: index of each piece's first node, then the number of nodes."""
    count = len(lattice.nodes)
    place = np.rint((lattice.nodes - lattice.corner) / lattice.size).astype(np.int64)
    key = (place * [1 << 40, 1 << 20, 1]).sum(axis=1)
    piece = np.searchsorted(first, np.arange(count), side="right")
    order = np.argsort(key, kind="stable")
    start, ids = neighbour_lists(cell_edges(lattice), count)
    found = [np.zeros((0, 2), dtype=np.int64)]
    apart = 1
    while True:
        a, b = order[:-apart], order[apart:]
        same = key[a] == key[b]
        if not same.any():
            return unique_pairs(np.concatenate(found))
        cut = same & (piece[a] != piece[b])
        for one, other in ((a[cut], b[cut]), (b[cut], a[cut])):
            number = start[other + 1] - start[other]
            begins = np.repeat(start[other] - np.append(0, np.cumsum(number)[:-1]), number)
            found.append(np.stack([np.repeat(one, number), ids[begins + np.arange(number.sum())]], axis=1))
        apart += 1
