"""Columns of voxels along one axis: where a surface crosses the middle line of each.

A column (u, v) is a line through the middles of voxels. Seen along it a triangle is flat; whether the line goes through
it is asked by crossings of its edges with a half line, half open and each edge from its lower end, so that triangles
that share an edge agree to the last bit and no line slips through between two or meets both.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, prange


def rows_of_triangles(low: np.ndarray, high: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Triangles of each row of columns, as compressed lists: start (rows + 1,), triangle (k,), ascending.

    Args:
        low, high: (t,) lowest and highest u of each triangle, in voxels, so that row j lies at j + 1/2.
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
    """Whether the half line from (u, v) towards larger u crosses the edge a b."""
    if (av > v) == (bv > v):
        return False
    if av > bv:
        au, av, bu, bv = bu, bv, au, av
    return u < au + (v - av) / (bv - av) * (bu - au)


@kernel
def crosses(x, a, b, c, iu, iv, u, v):
    """Whether the line (u, v) goes through the triangle a, b, c."""
    inside = _passes(u, v, x[a, iu], x[a, iv], x[b, iu], x[b, iv])
    inside ^= _passes(u, v, x[b, iu], x[b, iv], x[c, iu], x[c, iv])
    inside ^= _passes(u, v, x[c, iu], x[c, iv], x[a, iu], x[a, iv])
    return inside


@kernel
def _depth(x, a, b, c, iu, iv, iw, u, v):
    """Where along the line (u, v) the plane of a triangle is, within what its corners span."""
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
    """The range of columns whose middles lie between the least and the largest v of a triangle."""
    low = int(math.ceil(min(x[a, iv], x[b, iv], x[c, iv]) - 0.5))
    high = int(math.floor(max(x[a, iv], x[b, iv], x[c, iv]) - 0.5)) + 1
    return max(low, 0), min(high, columns)


@parallel_kernel
def count_crossings(x, triangles, row_start, row_triangle, iu, iv, count):
    """How often the surface crosses each column: out (rows, columns); x: (n, 3) in voxels from the grid's corner."""
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
    """Where the surface crosses each column, ascending.

    Args:
        start: (rows, columns) where a column's crossings begin in depth; filled: scratch (rows, columns).
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
def fill_columns(start, count, depth, step_u, step_v, step_w, layers, votes, voters, part, parts):
    """Let every column say which of its voxels are inside and how far along it each is.

    A column that leaves the mesh as often as it enters says so of all its voxels; one with an odd number of crossings
    went through a hole and says nothing.

    Args:
        start, count: (rows, columns) see `find_crossings`; depth: (k,); layers: voxels of a column.
        step_u, step_v, step_w: from a voxel to the next row, column, layer in the flat grids (voxels,).
        votes, voters: in and out uint8, how many axes found the middle inside, and how many found anything.
        part: in and out float32, sum of what is covered of cut voxels; parts: uint8, of how many axes.
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
                        part[at] += covered
                        # Two intervals of one column in one voxel are two parts of one whole.
                        again = pair > 0 and int(math.floor(depth[first + 2 * pair - 1])) == k
                        if not again:
                            parts[at] += 1
