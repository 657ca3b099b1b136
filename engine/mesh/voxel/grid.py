"""`voxelize`: a mesh as voxels, filled, as a shell, or only where the surface lies."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...compiler.kernels import threads
from ...errors import SpecError
from ...spec.kinds.voxel_body import BYTES_EACH, MOST_VOXELS, grid_shape, least_size
from ..graph.edges import pair_keys, triangle_edges
from .columns import count_crossings, fill_columns, find_crossings, rows_of_triangles
from .touched import mark_touched
from .winding import winding_numbers


@dataclass(frozen=True, eq=False)
class Voxels:
    """A grid of cubes.

    Attributes:
        corner: (3,) lowest corner of the grid [m].
        size: side of a voxel [m].
        full: (nx, ny, nz) bool, voxels that belong to the body.
        share: (nx, ny, nz) float32, covered fraction of each voxel, 0 to 1; may be above 0 where `full` is false.
    """

    corner: np.ndarray
    size: float
    full: np.ndarray
    share: np.ndarray

    @property
    def count(self) -> int:
        """Number of full voxels."""
        return int(np.count_nonzero(self.full))

    def middles(self) -> np.ndarray:
        """Centre of every full voxel [m], (count, 3)."""
        return self.corner + self.size * (np.argwhere(self.full) + 0.5)


def is_closed(triangles: np.ndarray) -> bool:
    """Whether every edge has an even number of triangles."""
    _keys, count = np.unique(pair_keys(triangle_edges(triangles))[0], return_counts=True)
    return bool((count % 2 == 0).all())


def voxelize(
    name: str, vertices: np.ndarray, triangles: np.ndarray, size: float, fill: str = "SOLID", inside: str = "AUTO",
) -> Voxels:
    """Voxels of a mesh.

    Args:
        name: name of the body, for error messages.
        vertices: (n, 3) float64 [m].
        triangles: (t, 3), t >= 1.
        size: side of a voxel [m].
        fill: SOLID, SHELL (full voxels with an empty neighbour) or SURFACE (voxels that the faces touch).
        inside: the inside test. PARITY counts surface crossings along each axis, and two of three axes decide.
            WINDING uses the winding number, for meshes with holes. AUTO takes parity for closed meshes, else winding.

    Raises:
        SpecError: there would be too many voxels, or none.
    """
    low, high = (bound[np.unique(triangles)].copy() for bound in (vertices, vertices))
    low, high = low.min(axis=0), high.max(axis=0)
    shape = _shape(name, high - low, size)
    # Centre the grid on the mesh, so that mirrored meshes have mirrored voxels.
    corner = 0.5 * (low + high) - 0.5 * size * np.array(shape)
    x = np.ascontiguousarray((vertices - corner) / size)
    triangles = np.ascontiguousarray(triangles, dtype=np.int64)
    if fill == "SURFACE":
        full = touched_voxels(x, triangles, shape)
        return _checked(name, Voxels(corner, size, full, full.astype(np.float32)))
    full, fraction = inside_voxels(x, triangles, shape, inside)
    fraction = np.where(np.isnan(fraction), full, fraction)
    if fill == "SHELL":
        full = full & ~_surrounded(full)
        fraction = full.astype(np.float32)
    return _checked(name, Voxels(corner, size, full, fraction))


def _shape(name: str, extent: np.ndarray, size: float) -> tuple[int, int, int]:
    """Voxels along each axis, one more at both ends than the mesh needs; raises SpecError for too many."""
    shape = grid_shape(extent, size)
    count = math.prod(shape)
    if count > MOST_VOXELS:
        given = f"{size:g} m, which makes {count:,} voxels and takes {count * BYTES_EACH / 1e9:,.1f} GB"
        least = least_size(extent, size)
        raise SpecError(name, "voxel_size", given, f"{least:.2g} m or more, for {MOST_VOXELS:,} voxels at most")
    return shape


def _checked(name: str, voxels: Voxels) -> Voxels:
    """The same voxels; raises SpecError if none is full."""
    if not voxels.full.any():
        raise SpecError(
            name, "voxel_size", f"{voxels.size:g} m, at which no voxel lies in the mesh",
            "smaller than the body is thick; or a mesh that encloses volume, or the fill SURFACE",
        )
    return voxels


def _by_parity(
    x: np.ndarray, triangles: np.ndarray, shape: tuple[int, int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Full voxels and covered fractions from the columns of three axes; NaN where no column cuts the voxel."""
    votes, voters, covered_count = (np.zeros(math.prod(shape), dtype=np.uint8) for _ in range(3))
    covered_sum = np.zeros(len(votes), dtype=np.float32)
    step = (shape[1] * shape[2], shape[2], 1)
    corners = x[triangles]
    for along in range(3):
        u, v = (along + 1) % 3, (along + 2) % 3
        rows = rows_of_triangles(corners[:, :, u].min(axis=1), corners[:, :, u].max(axis=1), shape[u])
        count = np.zeros((shape[u], shape[v]), dtype=np.int64)
        count_crossings(x, triangles, *rows, u, v, count)
        start = (np.cumsum(count) - count.reshape(-1)).reshape(count.shape)
        depth = np.zeros(int(count.sum()))
        find_crossings(x, triangles, *rows, u, v, along, start, np.zeros_like(count), depth)
        fill_columns(
            start, count, depth, step[u], step[v], step[along], shape[along], votes, voters, covered_sum, covered_count
        )
    full = 2 * votes > voters
    fraction = np.where(covered_count > 0, covered_sum / np.maximum(covered_count, 1), np.nan)
    return full.reshape(shape), np.minimum(fraction, 1.0).astype(np.float32).reshape(shape)


def inside_voxels(
    x: np.ndarray, triangles: np.ndarray, shape: tuple[int, int, int], inside: str = "AUTO",
) -> tuple[np.ndarray, np.ndarray]:
    """Voxels whose centres are inside a mesh, bool, and covered fractions, NaN for voxels that no face cuts.

    Args: x: (n, 3) in voxels from the grid's corner; triangles: (t, 3) int64; inside: see `voxelize`.
    """
    with threads():
        full, fraction = _by_parity(x, triangles, shape)
        if inside == "WINDING" or (inside == "AUTO" and not is_closed(triangles)):
            winding_numbers(x, triangles, full)
    return full, fraction


def touched_voxels(x: np.ndarray, triangles: np.ndarray, shape: tuple[int, int, int]) -> np.ndarray:
    """Voxels that the surface touches, bool; arguments as in `inside_voxels`."""
    corners = x[triangles][:, :, 0]
    # A row here is the layer from i to i + 1, not the line at i + 1/2.
    rows = rows_of_triangles(np.floor(corners.min(axis=1)) + 0.5, np.floor(corners.max(axis=1)) + 0.5, shape[0])
    touched = np.zeros(shape, dtype=bool)
    with threads():
        mark_touched(x, triangles, *rows, touched)
    return touched


def _surrounded(full: np.ndarray) -> np.ndarray:
    """Voxels whose six neighbours are all full; the border of the grid is always empty."""
    inner = np.zeros_like(full)
    core = (slice(1, -1),) * 3
    inner[core] = True
    for axis in range(3):
        for side in (slice(0, -2), slice(2, None)):
            inner[core] &= full[tuple(side if k == axis else slice(1, -1) for k in range(3))]
    return inner
