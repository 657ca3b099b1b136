"""Connected surface pieces that can hold air: consistent outward winding, open rims, enclosed volume."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...compiler.kernels import building_kernel, kernel
from .components import components
from .edges import pair_keys, triangle_edges, unique_pairs


@dataclass
class Parts:
    """Connected pieces of a triangle mesh.

    Attributes:
        triangles: (t, 3) int32, wound consistently in a piece, outward where it encloses volume; sorted by piece.
        part: (t,) int32, piece of each triangle.
        vertex_part: (n,) int32, piece of each vertex; -1 for loose vertices.
        rim_edges: (r, 2) int32, open edges, directed as in their triangle.
        rim: (r,) int32, rim of each open edge, counted over all pieces.
        volume: (parts,) float64, enclosed volume with rims capped flat [m³].
        hollow: (parts,) bool, whether the volume exceeds HOLLOW_FRACTION.
    """

    triangles: np.ndarray
    part: np.ndarray
    vertex_part: np.ndarray
    rim_edges: np.ndarray
    rim: np.ndarray
    volume: np.ndarray
    hollow: np.ndarray


# A piece is hollow when its volume exceeds this fraction of (area)^1.5: a sphere has 0.094, a flat sheet 0.
HOLLOW_FRACTION = 1e-3


def find_parts(vertices: np.ndarray, triangles: np.ndarray) -> Parts:
    """Split a mesh of (n, 3) vertices and (t, 3) triangles into connected pieces and measure them."""
    label, _rank = components(unique_pairs(triangle_edges(triangles)), len(vertices))
    used = np.zeros(len(vertices), dtype=bool)
    used[triangles.reshape(-1)] = True
    names, vertex_part = np.unique(np.where(used, label, -1), return_inverse=True)
    vertex_part = vertex_part.reshape(-1).astype(np.int32) - (1 if len(names) and names[0] == -1 else 0)
    part = vertex_part[triangles[:, 0]] if len(triangles) else np.zeros(0, dtype=np.int32)
    order = np.argsort(part, kind="stable")
    triangles, part = triangles[order].copy(), part[order].astype(np.int32)
    _orient_consistently(triangles)
    return measure_parts(vertices, triangles, part, vertex_part)


def measure_parts(
    vertices: np.ndarray, triangles: np.ndarray, part: np.ndarray, vertex_part: np.ndarray,
    rim_edges: np.ndarray | None = None,
) -> Parts:
    """Measure pieces of triangles that are wound consistently and sorted by piece; orients them outward in place.

    Args: vertices: (n, 3); triangles: (t, 3) int32; part: (t,) int32; vertex_part: (n,) int32; see `Parts`.
        rim_edges: (r, 2), result of `open_edges` if known; reoriented in place too.
    """
    part_count = int(part.max(initial=-1)) + 1
    rim_edges = open_edges(triangles) if rim_edges is None else rim_edges
    rim = _rims(rim_edges, len(vertices))
    volume, area = _measured(vertices, triangles, part, part_count, vertex_part, rim_edges, rim)
    inward = volume < 0.0
    triangles[inward[part]] = triangles[inward[part]][:, ::-1]
    if len(rim_edges):
        flipped = inward[vertex_part[rim_edges[:, 0]]]
        rim_edges[flipped] = rim_edges[flipped][:, ::-1]
    # Start each triangle at its lowest vertex: mirrored bodies then give mirrored numbers to the last bit, because
    # flipping the winding swaps only the other two corners.
    first = np.argmin(triangles, axis=1) if len(triangles) else np.zeros(0, dtype=np.int64)
    for k in (1, 2):
        some = np.flatnonzero(first == k)
        triangles[some] = np.roll(triangles[some], -k, axis=1)
    volume = np.abs(volume)
    hollow = volume > HOLLOW_FRACTION * area**1.5
    return Parts(triangles, part, vertex_part, rim_edges, rim, volume, hollow)


def closed_parts(parts: Parts) -> np.ndarray:
    """Whether each piece is hollow and has no open rim, (parts,) bool. Only such a piece has an inside."""
    closed = parts.hollow.copy()
    if len(parts.rim_edges):
        closed[parts.vertex_part[parts.rim_edges[:, 0]]] = False
    return closed


def triangle_areas(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Area of each triangle [m²], (t,)."""
    return _areas(*_corners(vertices, triangles))


def _corners(vertices: np.ndarray, triangles: np.ndarray) -> list[np.ndarray]:
    """Positions of the three corners of triangles, (3, t) each; columns take half the time of rows."""
    columns = np.ascontiguousarray(vertices.T)
    return [columns.take(triangles[:, k], axis=1) for k in range(3)]


def _areas(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Area of triangles with these corners, (t,); see `_corners`."""
    x, y, z = _cross(b - a, c - a)
    return 0.5 * np.sqrt(x * x + y * y + z * z)


def _cross(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def open_edges(triangles: np.ndarray) -> np.ndarray:
    """Directed edges that belong to exactly one triangle, (r, 2) int32."""
    edges = triangle_edges(triangles)
    keys = pair_keys(edges)[0]
    names = np.sort(keys)
    is_new = np.diff(names, prepend=-1, append=-1) != 0
    alone = names[is_new[:-1] & is_new[1:]]
    place = np.minimum(np.searchsorted(alone, keys), max(len(alone) - 1, 0))
    return edges[alone[place] == keys].astype(np.int32) if len(alone) else np.zeros((0, 2), dtype=np.int32)


def rim_fans(triangles: np.ndarray, vertex_count: int) -> np.ndarray:
    """Triangles that close each open rim, (c, 3) int32: a fan around one rim vertex, wound as the surface is."""
    edges = open_edges(triangles)
    rim = _rims(edges, vertex_count)
    _names, first = np.unique(rim, return_index=True)
    hub = edges[first, 0][rim] if len(edges) else np.zeros(0, dtype=np.int32)
    real = (edges != hub[:, None]).all(axis=1)
    return np.stack([hub, edges[:, 1], edges[:, 0]], axis=1)[real].astype(np.int32)


def _rims(rim_edges: np.ndarray, vertex_count: int) -> np.ndarray:
    if len(rim_edges) == 0:
        return np.zeros(0, dtype=np.int32)
    label, _rank = components(unique_pairs(rim_edges), vertex_count)
    return np.unique(label[rim_edges[:, 0]], return_inverse=True)[1].reshape(-1).astype(np.int32)


def _measured(
    vertices: np.ndarray, triangles: np.ndarray, part: np.ndarray, part_count: int, vertex_part: np.ndarray,
    rim_edges: np.ndarray, rim: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Signed volume and area of each piece.

    The volume is 1/6 sum x_a . (x_b x x_c) about the piece's first vertex, with flat caps on the rims.
    """
    if part_count == 0:
        return np.zeros(0), np.zeros(0)
    origin = vertices[triangles[np.searchsorted(part, np.arange(part_count)), 0]]
    local = vertices - origin[vertex_part]
    a, b, c = _corners(local, triangles)
    x, y, z = _cross(b, c)
    volume = np.bincount(part, weights=(a[0] * x + a[2] * z + a[1] * y) / 6.0, minlength=part_count)
    if len(rim_edges):
        start, end = rim_edges.T
        size = np.bincount(rim)
        middle = np.stack([np.bincount(rim, weights=vertices[start, k]) / size for k in range(3)], axis=1)
        of = vertex_part[start]
        m = middle[rim] - origin[of]
        cone = np.einsum("ij,ij->i", m, np.cross(local[end], local[start])) / 6.0
        volume += np.bincount(of, weights=cone, minlength=part_count)
    return volume, np.bincount(part, weights=_areas(a, b, c), minlength=part_count)


def _orient_consistently(triangles: np.ndarray) -> None:
    """Make the winding consistent: neighbouring triangles run along a shared edge in opposite directions.

    Only edges with exactly two triangles are used. Where they contradict each other (a Möbius strip), the first
    visit decides.
    """
    _keys, key = np.unique(pair_keys(triangle_edges(triangles))[0], return_inverse=True)
    key = key.reshape(-1)
    order = np.argsort(key, kind="stable").astype(np.int64)
    count = np.bincount(key, minlength=1)
    start = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    # The keys belong to the original winding, so the flood fill reads the edges from a copy.
    _flood_orientation(triangles.copy(), key.astype(np.int64), order, start, triangles)


@kernel
def _runs_along(triangle, a, b):
    for k in range(3):
        if triangle[k] == a and triangle[(k + 1) % 3] == b:
            return True
    return False


@building_kernel
def _flood_orientation(source, key, order, start, triangles):
    triangle_count = source.shape[0]
    seen = np.zeros(triangle_count, dtype=np.bool_)
    queue = np.empty(triangle_count, dtype=np.int64)
    for root in range(triangle_count):
        if seen[root]:
            continue
        seen[root] = True
        head = 0
        queue[0] = root
        tail = 1
        while head < tail:
            t = queue[head]
            head += 1
            for k in range(3):
                e = key[3 * t + k]
                if start[e + 1] - start[e] != 2:
                    continue
                other = order[start[e]] // 3
                if other == t:
                    other = order[start[e] + 1] // 3
                if seen[other]:
                    continue
                seen[other] = True
                queue[tail] = other
                tail += 1
                a = source[t, k]
                b = source[t, (k + 1) % 3]
                if _runs_along(triangles[t], a, b) == _runs_along(triangles[other], a, b):
                    swap = triangles[other, 1]
                    triangles[other, 1] = triangles[other, 2]
                    triangles[other, 2] = swap
