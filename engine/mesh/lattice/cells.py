"""Cubic cells that fill a mesh: one for each connected part of it inside a cube of the grid.

Every cube is divided into `FINE`³ voxels. Voxels that the mesh encloses are material, and so are those that its surface
touches where nothing is enclosed nearby (open sheets). Material in one cube that is not connected within it belongs to
different cells, whose corners are different nodes (virtual nodes, Molino, Bao, Fedkiw 2004). So the legs of a figure
that are closer than a cell are not glued together, as long as a voxel fits between them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...errors import SpecError
from ...spec.kinds.spring_graph import BYTES_OF_CELL, CELL_SHARE, MOST_CELLS, cells_across
from ..graph.components import components
from ..graph.edges import triangle_edges, unique_pairs
from ..voxel.grid import inside_voxels, touched_voxels

# Voxels along each side of a cell.
FINE = 3
# Lower limit of a cell's fraction of material.
LEAST_FRACTION = 0.1
# Offset of corner c of a cell from its lowest corner is BITS[c], in cells.
BITS = np.array([[c & 1, c >> 1 & 1, c >> 2 & 1] for c in range(8)])
# Voxels without their border of one cell.
_INNER = (slice(FINE, -FINE),) * 3
# All steps to a neighbouring cube; the middle one (index 13) is zero.
STEPS = np.array([[i, j, k] for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)])


@dataclass(frozen=True, eq=False)
class Lattice:
    """Cells of a body.

    Attributes:
        corner: (3,) lowest corner of the grid [m]; size: side of a cell [m].
        place: (c, 3) int64, cube of each cell; part: (c,) int64, index of its part within that cube.
        share: (c,) fraction of each cell that is material, from `LEAST_FRACTION` to 1.
        corners: (c, 8) int64, nodes of each cell in the order of `BITS`.
        nodes: (k, 3) at rest [m].
        beside: (c, 27) int64, the cell that continues each one's material one step on, in the order of `STEPS`, or -1.
        cell_of: cell of each voxel, a grid of int32; -1 where there is no material. Empty for several pieces together.
    """

    corner: np.ndarray
    size: float
    place: np.ndarray
    part: np.ndarray
    share: np.ndarray
    corners: np.ndarray
    nodes: np.ndarray
    beside: np.ndarray
    cell_of: np.ndarray


class Grid(NamedTuple):
    """Cubes around a body: (3,) corner of the lowest one [m], side of a cube [m], and their number along each axis."""

    corner: np.ndarray
    size: float
    shape: np.ndarray


def build_lattice(name: str, vertices: np.ndarray, triangles: np.ndarray, size: float) -> Lattice:
    """Cells of a mesh, which may be open or intersect itself.

    Args:
        vertices: (n, 3) [m]; triangles: (t, 3), t >= 1.
        size: side of a cell [m], 0 for a fraction of the longest side.

    Raises:
        SpecError: cells are larger than the body, or too many.
    """
    return fill(grid_around(name, vertices, triangles, size), vertices, triangles)


def grid_around(name: str, vertices: np.ndarray, triangles: np.ndarray, size: float) -> Grid:
    """The grid of a body; arguments and errors as in `build_lattice`."""
    used = vertices[np.unique(triangles)]
    low, high = used.min(axis=0), used.max(axis=0)
    size = checked_size(name, high - low, size)
    shape = np.array(cells_across(high - low, size))
    return Grid(0.5 * (low + high) - 0.5 * size * shape, size, shape)


def fill(grid: Grid, vertices: np.ndarray, triangles: np.ndarray) -> Lattice:
    """Cells of a mesh in a grid; arguments as in `build_lattice`."""
    corner, size, shape = grid
    x = np.ascontiguousarray((vertices - corner) / (size / FINE) + FINE)
    triangles = np.ascontiguousarray(triangles, dtype=np.int64)
    material = _material(x, triangles, shape)
    while True:
        cell_of, place, fraction = _parts(material, shape)
        pairs, step = _linked(cell_of, place)
        between = _voxels_in_gaps(cell_of, pairs, len(place), x, triangles)
        if not between.any():
            break
        material[_INNER] |= between
    corners, nodes = _nodes(place, pairs, step, shape)
    beside = np.full((len(place), 27), -1, dtype=np.int64)
    beside[:, 13] = np.arange(len(place))
    beside[pairs[:, 0], step] = pairs[:, 1]
    beside[pairs[:, 1], 26 - step] = pairs[:, 0]
    key = (place * [shape[1] * shape[2], shape[2], 1]).sum(axis=1)
    first = np.searchsorted(key, key)
    return Lattice(
        corner, size, place, np.arange(len(place)) - first, np.maximum(fraction, LEAST_FRACTION), corners,
        corner + size * nodes, beside, cell_of,
    )


def checked_size(name: str, extent: np.ndarray, size: float) -> float:
    """Side of a cell [m]; raises SpecError for cells larger than the body or too many."""
    longest = float(extent.max())
    if size > longest:
        allowed = f"{longest:.3g} m or less, the longest side of the mesh, or 0 to choose"
        raise SpecError(name, "voxel_size", f"{size:g} m, a cell larger than the body", allowed)
    size = size or CELL_SHARE * longest
    count = math.prod(cells_across(extent, size))
    if count > MOST_CELLS:
        given = f"{size:g} m, which makes up to {count:,} cells and takes {count * BYTES_OF_CELL / 1e9:,.1f} GB"
        least = 1.02 * size * (count / MOST_CELLS) ** (1.0 / 3.0)
        raise SpecError(name, "voxel_size", given, f"{least:.2g} m or more, for {MOST_CELLS:,} cells at most")
    return size


def _material(x: np.ndarray, triangles: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """Voxels with material, bool, surrounded by a border of one empty cell. Args: x: (n, 3) in voxels, with border."""
    fine = tuple(int(n) * FINE + 2 * FINE for n in shape)
    full, _fraction = inside_voxels(x, triangles, fine)
    winding, _fraction = inside_voxels(x, triangles, fine, "WINDING")
    full |= winding
    touched = touched_voxels(x, triangles, fine)
    near = _grown(full)
    inner = np.zeros(fine, dtype=bool)
    inner[_INNER] = True
    return (full | (touched & ~near)) & inner


def _grown(voxels: np.ndarray) -> np.ndarray:
    """Voxels and all their neighbours, also across edges and corners."""
    for axis in range(3):
        grown = voxels.copy()
        head, tail = ([slice(None)] * 3 for _ in range(2))
        head[axis], tail[axis] = slice(1, None), slice(None, -1)
        grown[tuple(head)] |= voxels[tuple(tail)]
        grown[tuple(tail)] |= voxels[tuple(head)]
        voxels = grown
    return voxels


def _voxels_in_gaps(
    cell_of: np.ndarray, pairs: np.ndarray, cells: int, x: np.ndarray, triangles: np.ndarray
) -> np.ndarray:
    """Voxels beside small groups of cells that are separate from the other cells of a connected surface, bool.

    Where a body is thinner than a voxel, its material has gaps, and a sharp tip would come off. These voxels, which the
    surface crosses, close the gaps.

    Args: cell_of, pairs: see `_parts` and `_linked`; x: (n, 3) in voxels, with border.
    """
    found = np.zeros(cell_of.shape, dtype=bool)
    group, _rank = components(pairs, cells)
    if group.max(initial=0) == 0:
        return found
    size, fine = np.bincount(group), tuple(n + 2 * FINE for n in cell_of.shape)
    label, _rank = components(unique_pairs(triangle_edges(triangles)), len(x))
    for part in np.unique(label[triangles[:, 0]]):
        touched = touched_voxels(x, triangles[label[triangles[:, 0]] == part], fine)[_INNER]
        groups = np.unique(group[cell_of[touched & (cell_of >= 0)]])
        small = groups[groups != groups[size[groups].argmax()]] if len(groups) else groups
        if len(small):
            is_small = (cell_of >= 0) & np.isin(group, small)[cell_of]
            found |= touched & (cell_of < 0) & _grown(is_small)
    return found


def _parts(material: np.ndarray, shape: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cell of each voxel, and cube (c, 3) and filled fraction (c,) of each cell, sorted by cube."""
    wide = shape + 2
    blocks = material.reshape(wide[0], FINE, wide[1], FINE, wide[2], FINE)
    count = blocks.sum(axis=(1, 3, 5))
    is_full = count == FINE**3
    voxel = np.argwhere(material & ~np.repeat(np.repeat(np.repeat(is_full, FINE, 0), FINE, 1), FINE, 2))
    number = np.full(material.shape, -1, dtype=np.int32)
    number[tuple(voxel.T)] = np.arange(len(voxel))
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for step in STEPS[14:]:
        other = voxel + step
        there = number[tuple(other.T)]
        same = (there >= 0) & (voxel // FINE == other // FINE).all(axis=1)
        pairs.append(np.stack([np.flatnonzero(same), there[same]], axis=1))
    label, _rank = components(np.concatenate(pairs), len(voxel)) if len(voxel) else (np.zeros(0, np.int64), None)
    parts = int(label.max(initial=-1)) + 1
    cubes = np.concatenate([np.argwhere(is_full), np.zeros((parts, 3), dtype=np.int64)])
    full_count = len(cubes) - parts
    cubes[full_count + label] = voxel // FINE
    fraction = np.ones(len(cubes))
    fraction[full_count:] = np.bincount(label, minlength=parts) / FINE**3
    order = np.lexsort((np.arange(len(cubes)), cubes[:, 2], cubes[:, 1], cubes[:, 0]))
    rank = np.empty(len(cubes), dtype=np.int32)
    rank[order] = np.arange(len(cubes))
    cell_of = np.full(count.shape, -1, dtype=np.int32)
    cell_of[is_full] = rank[:full_count]
    cell_of = np.repeat(np.repeat(np.repeat(cell_of, FINE, 0), FINE, 1), FINE, 2)
    cell_of[tuple(voxel.T)] = rank[full_count + label]
    return np.ascontiguousarray(cell_of[_INNER]), cubes[order] - 1, fraction[order]


def _linked(cell_of: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of cells whose material touches, (m, 2), and the index in `STEPS` of the step between them, (m,)."""
    found = [np.zeros((0, 2), dtype=np.int64)]
    for step in STEPS[14:]:
        here = tuple(slice(max(-s, 0), n - max(s, 0)) for s, n in zip(step, cell_of.shape, strict=True))
        there = tuple(slice(max(s, 0), n + min(s, 0)) for s, n in zip(step, cell_of.shape, strict=True))
        a, b = cell_of[here], cell_of[there]
        some = (a >= 0) & (b >= 0) & (a != b)
        # Sort step by step: the pairs of all steps together would take more memory than the lattice.
        found.append(unique_pairs(np.stack([a[some], b[some]], axis=1).astype(np.int64)))
    pairs = unique_pairs(np.concatenate(found)).astype(np.int64)
    cell_step = place[pairs[:, 1]] - place[pairs[:, 0]] + 1
    return pairs, cell_step @ np.array([9, 3, 1])


def _nodes(
    place: np.ndarray, pairs: np.ndarray, step: np.ndarray, shape: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes of each cell (c, 8), and their positions in cells from the grid's corner (k, 3); links share nodes."""
    same = [np.zeros((0, 2), dtype=np.int64)]
    cell_step = STEPS[step]
    for own, bits in enumerate(BITS):
        other = bits - cell_step
        is_shared = ((other >= 0) & (other <= 1)).all(axis=1)
        theirs = other[is_shared] @ np.array([1, 2, 4])
        same.append(np.stack([8 * pairs[is_shared, 0] + own, 8 * pairs[is_shared, 1] + theirs], axis=1))
    label, _rank = components(np.concatenate(same), 8 * len(place))
    corners = label.reshape(-1, 8).astype(np.int64)
    at = (place[:, None] + BITS).reshape(-1, 3)
    lowest = np.zeros((int(label.max(initial=-1)) + 1, 3))
    lowest[label] = at
    # Sorted by position, so that the nodes of a cell are close in memory.
    order = np.lexsort((np.arange(len(lowest)), lowest[:, 2], lowest[:, 1], lowest[:, 0]))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[corners], lowest[order]


def cell_edges(lattice: Lattice) -> np.ndarray:
    """Edges of all cells as pairs of nodes, (e, 2)."""
    corner_pairs = [(a, a | bit) for bit in (1, 2, 4) for a in range(8) if not a & bit]
    return unique_pairs(np.concatenate([lattice.corners[:, [a, b]] for a, b in corner_pairs]))
