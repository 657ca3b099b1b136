"""Links from each vertex to all vertices within a few edges along the surface (B x B neighbourhood on a torus)."""

from __future__ import annotations

import numpy as np

from ...compiler.kernels import building_kernel
from .edges import neighbour_lists, quad_diagonals, triangle_edges, unique_pairs


def surface_pairs(triangles: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Pairs of vertices that share an edge or a quad, (e, 2) int32."""
    return unique_pairs(np.concatenate([edges, triangle_edges(triangles), quad_diagonals(triangles, edges)]))


def ring_links(pairs: np.ndarray, vertex_count: int, rings: int) -> np.ndarray:
    """Pairs of vertices at most `rings` pairs apart, (links, 2) int32, each once."""
    if rings == 1 or len(pairs) == 0:
        return pairs
    start, ids = neighbour_lists(pairs, vertex_count)
    count = np.zeros(vertex_count + 1, dtype=np.int64)
    _walk_rings(start, ids, rings, count, np.empty((0, 2), dtype=np.int32))
    links = np.empty((int(count.sum()), 2), dtype=np.int32)
    offset = np.concatenate([[0], np.cumsum(count[:-1])])
    _walk_rings(start, ids, rings, offset, links)
    return links


@building_kernel
def _walk_rings(start, ids, rings, count, links):
    """Breadth-first search from every vertex; counts links if `links` is empty, else fills it from offsets `count`."""
    vertex_count = start.shape[0] - 1
    seen = np.full(vertex_count, -1, dtype=np.int64)
    queue = np.empty(vertex_count, dtype=np.int64)
    fill = links.shape[0] > 0
    for root in range(vertex_count):
        seen[root] = root
        queue[0] = root
        level_start = 0
        level_stop = 1
        cursor = count[root]
        for _ring in range(rings):
            stop = level_stop
            for q in range(level_start, level_stop):
                i = queue[q]
                for e in range(start[i], start[i + 1]):
                    j = ids[e]
                    if seen[j] != root:
                        seen[j] = root
                        queue[stop] = j
                        stop += 1
                        if j > root:
                            if fill:
                                links[cursor, 0] = root
                                links[cursor, 1] = j
                            cursor += 1
            level_start = level_stop
            level_stop = stop
        if not fill:
            count[root] = cursor
