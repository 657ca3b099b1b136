"""Columns of voxels along one axis, and where a surface crosses the centre line of each.

A column (u, v) is a line through voxel centres. Projected along it a triangle is flat, and the even-odd rule decides
whether the line passes through: count the triangle's edges that cross a half line from (u, v). Edges are half open and
evaluated from their lower end, so two triangles that share an edge agree to the last bit. No line slips between them
or hits both.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, prange


def rows_of_triangles(low: np.ndarray, high: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Triangles of each row of columns as compressed lists: start (rows + 1,), triangle (k,), ascending.

    Args:
        low, high: (t,) lowest and highest u of each triangle [voxels]; row j is the line at j + 1/2.
        rows: number of rows.
    """
    first = np.clip(np.ceil(low - 0.5), 0, rows).astype(np.int64)
    stop = np.clip(np.floor(high - 0.5) + 1, 0, rows).astype(np.int64)
    count = np.maximum(stop - first, 0)
    triangle = np.repeat(np.arange(len(low)), count)
    row = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    order = np.argsort(row, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]).astype(np.int64)
    return start, triangle[order]


@kernel
def _passes(u, v, au, av, bu, bv):
    """Whether the half line from (u, v) towards larger u crosses the edge from a to b."""
    if (av > v) == (bv > v):
        return False
    if av > bv:
        au, av, bu, bv = bu, bv, au, av
    return u < au + (v - av) / (bv - av) * (bu - au)


@kernel
def crosses(x, a, b, c, iu, iv, u, v):
    """Whether the line (u, v) passes through the triangle a, b, c."""
    inside = _passes(u, v, x[a, iu], x[a, iv], x[b, iu], x[b, iv])
    inside ^= _passes(u, v, x[b, iu], x[b, iv], x[c, iu], x[c, iv])
    inside ^= _passes(u, v, x[c, iu], x[c, iv], x[a, iu], x[a, iv])
    return inside


@kernel
def _depth(x, a, b, c, iu, iv, iw, u, v):
    """Where the line (u, v) meets the plane of a triangle, clamped to the range of the triangle's corners [voxels]."""
    eu = x[b, iu] - x[a, iu]
    ev = x[b, iv] - x[a, iv]
    fu = x[c, iu] - x[a, iu]
    fv = x[c, iv] - x[a, iv]
    area = eu * fv - ev * fu
    low = min(x[a, iw], x[b, iw], x[c, iw])
    high = max(x[a, iw], x[b, iw], x[c, iw])
    if area == 0.0:
        return 0.5 * (low + high)
    s = ((u - x[a, iu]) * fv - (v - x[a, iv]) * fu) / area
    t = (eu * (v - x[a, iv]) - ev * (u - x[a, iu])) / area
    return max(low, min(high, x[a, iw] + s * (x[b, iw] - x[a, iw]) + t * (x[c, iw] - x[a, iw])))


@kernel
def _columns_met(x, a, b, c, iv, columns):
    """Range of columns whose centres lie between the smallest and the largest v of a triangle."""
    low = int(math.ceil(min(x[a, iv], x[b, iv], x[c, iv]) - 0.5))
    high = int(math.floor(max(x[a, iv], x[b, iv], x[c, iv]) - 0.5)) + 1
    return max(low, 0), min(high, columns)


@parallel_kernel
def count_crossings(x, triangles, row_start, row_triangle, iu, iv, count):
    """Number of crossings of each column, out (rows, columns); x: (n, 3) in voxels from the grid's corner."""
    for row in prange(count.shape[0]):
        u = row + 0.5
        for column in range(count.shape[1]):
            count[row, column] = 0
        for place in range(row_start[row], row_start[row + 1]):
            t = row_triangle[place]
            a = triangles[t, 0]
            b = triangles[t, 1]
            c = triangles[t, 2]
            low, high = _columns_met(x, a, b, c, iv, count.shape[1])
            for column in range(low, high):
                if crosses(x, a, b, c, iu, iv, u, column + 0.5):
                    count[row, column] += 1


@parallel_kernel
def find_crossings(x, triangles, row_start, row_triangle, iu, iv, iw, start, filled, depth):
    """Depths at which the surface crosses each column, ascending.

    Args:
        start: (rows, columns) index in `depth` of a column's first crossing; filled: scratch (rows, columns).
        depth: out (k,) in voxels from the grid's corner.
    """
    for row in prange(start.shape[0]):
        u = row + 0.5
        for column in range(start.shape[1]):
            filled[row, column] = 0
        for place in range(row_start[row], row_start[row + 1]):
            t = row_triangle[place]
            a = triangles[t, 0]
            b = triangles[t, 1]
            c = triangles[t, 2]
            low, high = _columns_met(x, a, b, c, iv, start.shape[1])
            for column in range(low, high):
                v = column + 0.5
                if not crosses(x, a, b, c, iu, iv, u, v):
                    continue
                found = _depth(x, a, b, c, iu, iv, iw, u, v)
                first = start[row, column]
                at = first + filled[row, column]
                while at > first and depth[at - 1] > found:
                    depth[at] = depth[at - 1]
                    at -= 1
                depth[at] = found
                filled[row, column] += 1


@parallel_kernel
def fill_columns(start, count, depth, step_u, step_v, step_w, layers, votes, voters, covered_sum, covered_count):
    """Let every column vote on which of its voxels are inside, and add up how far along it each one is covered.

    A column with an even number of crossings votes on all its voxels. One with an odd number went through a hole in the
    mesh and does not vote.

    Args:
        start, count: (rows, columns) see `find_crossings`; depth: (k,); layers: voxels of a column.
        step_u, step_v, step_w: index step to the next row, column and layer in the flat grids (voxels,).
        votes, voters: in and out uint8, number of axes that found the centre inside, and that voted at all.
        covered_sum: in and out float32, sum of the covered lengths of partly covered voxels [voxels].
        covered_count: in and out uint8, number of axes summed in `covered_sum`.
    """
    for row in prange(start.shape[0]):
        for column in range(start.shape[1]):
            if count[row, column] % 2 == 1:
                continue
            base = row * step_u + column * step_v
            for k in range(layers):
                voters[base + k * step_w] += 1
            first = start[row, column]
            for pair in range(count[row, column] // 2):
                low = depth[first + 2 * pair]
                high = depth[first + 2 * pair + 1]
                begin = max(int(math.floor(low)), 0)
                end = min(int(math.floor(high)), layers - 1)
                for k in range(begin, end + 1):
                    at = base + k * step_w
                    covered = min(high, k + 1.0) - max(low, float(k))
                    if low <= k + 0.5 < high:
                        votes[at] += 1
                    if 0.0 < covered < 1.0:
                        covered_sum[at] += covered
                        # A column may cover one voxel in two intervals: both belong to the same axis, so count once.
                        again = pair > 0 and int(math.floor(depth[first + 2 * pair - 1])) == k
                        if not again:
                            covered_count[at] += 1
