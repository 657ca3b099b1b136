"""Cubic cells of a stable Neo-Hookean solid (Smith, de Goes, Kim 2018) as XPBD constraints (Macklin, Müller 2021).

A cell of side s consists of five tetrahedra: one on every second corner, with a third of the volume, and one at each of
the other corners, with a sixth each. Cells alternate with their mirror image, so that neighbours divide their common
face alike: a mirrored cell has its corners in mirrored order, and a negative 1 / s along x. With the deformation
gradient F of a tetrahedron, J = det F, and Lamé's mu and lambda, the energy is
    sum over tetrahedra  V_t mu/2 (tr F^T F + (J - 2)²)  +  V lambda/2 (det F_c - 1)²

F_c is the gradient at the centre of the cell. The first two terms are the Neo-Hookean law for lambda = 0. Its gradient
is 0 for every rotation, and it restores inverted tetrahedra. The term with lambda acts once per cell: in every
tetrahedron it would lock long before a Poisson ratio of 0.49.

The two constraints of a tetrahedron, sqrt(tr F^T F) and J - 2, oppose each other at rest, so both are solved together,
as a 2 x 2 system: solved one after another they would never come to rest. With K = mu V_t h², gradients g and h and
inverse masses w,

    | sum w g.g + 1/K   sum w g.h       |  | a |       | |F|   |
    | sum w g.h         sum w h.h + 1/K |  | b |  =  - | J - 2 |,    x += w (a g + b h)
"""

from __future__ import annotations

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ..islands import tasks_of

# Corners of the tetrahedra with three faces on the cell: the corner, and its neighbours along x, y and z; and the signs
# of the directions to them. The fifth tetrahedron has the corners 0, 6, 5, 3.
CORNER_TETRAHEDRA = (
    ((1, 0, 3, 5), (-1.0, 1.0, 1.0)), ((2, 3, 0, 6), (1.0, -1.0, 1.0)),
    ((4, 5, 6, 0), (1.0, 1.0, -1.0)), ((7, 6, 5, 3), (-1.0, -1.0, -1.0)),
)
# Below this norm of F (sqrt(3) at rest) a tetrahedron has no defined direction of force.
LEAST_LENGTH = 1e-6


@parallel_kernel
def measure_cells(at, cells, g):
    """base: corners 1 to 7 of each cell of island g relative to corner 0; at: (r, 4) [m]. Vector code needs them."""
    corner = cells.corner
    base = cells.base
    first_place, stop_place = tasks_of(cells, g)
    for place in prange(first_place, stop_place):
        task = cells.task[place]
        for block in range(cells.task_start[task], min(cells.task_start[task + 1], base.shape[0])):
            for lane in range(16):
                first = corner[block, 0, lane]
                for k in range(1, 8):
                    row = corner[block, k, lane]
                    for axis in range(3):
                        base[block, 3 * k - 3 + axis, lane] = at[row, axis] - at[first, axis]


@parallel_kernel
def relax_cells(rows, cells, g):
    """Solve the cells of island g once, stage after stage.

    Args: rows: `columns.MovingRows`, `moved` is in and out; cells: `CellColumns`.
    """
    for stage in range(cells.island[g], cells.island[g + 1] - 1):
        first = cells.stage_start[stage]
        stop = cells.stage_start[stage + 1]
        if cells.is_wide[stage]:
            for place in prange(first, stop):
                _relax_task(rows, cells, cells.task[place])
        else:
            for place in range(first, stop):
                _relax_task(rows, cells, cells.task[place])


@kernel
def _relax_task(rows, cells, task):
    for block in range(cells.task_start[task], cells.task_start[task + 1]):
        corner = cells.corner[block]
        for lane in range(16):
            per = cells.per_side[block, lane]
            inv_sides = (cells.per_x[block, lane], per, per)
            shear = cells.shear[block, lane]
            if shear > 0.0:
                for corners, signs in CORNER_TETRAHEDRA:
                    _corner_tet(rows, _chosen(corner, corners, lane), _product(inv_sides, signs), shear / 6.0)
                _middle_tet(rows, _chosen(corner, (0, 6, 5, 3), lane), _scaled(-0.5, inv_sides), shear / 3.0)
            if cells.bulk[block, lane] > 0.0:
                _volume(rows, corner, lane, _scaled(0.25, inv_sides), cells.bulk[block, lane])


@part_of_kernel
def _chosen(corner, corners, lane):
    """Rows of four corners of a cell."""
    return corner[corners[0], lane], corner[corners[1], lane], corner[corners[2], lane], corner[corners[3], lane]


@part_of_kernel
def _corner_tet(rows, corners, inv_sides, k):
    """The tetrahedron of a corner and its neighbours along x, y and z; inv_sides: signed 1 / side towards them."""
    o, p, q, r = corners
    u = _scaled(inv_sides[0], _between(rows, o, p))
    v = _scaled(inv_sides[1], _between(rows, o, q))
    w = _scaled(inv_sides[2], _between(rows, o, r))
    c = _cross(v, w)
    d = _cross(w, u)
    e = _cross(u, v)
    g = (_scaled(inv_sides[0], u), _scaled(inv_sides[1], v), _scaled(inv_sides[2], w))
    h = (_scaled(inv_sides[0], c), _scaled(inv_sides[1], d), _scaled(inv_sides[2], e))
    first_g = _scaled(-1.0, _sum(g))
    first_h = _scaled(-1.0, _sum(h))
    _solve(rows.moved, corners, (u, v, w), (first_g, g[0], g[1], g[2]), (first_h, h[0], h[1], h[2]), k)


@part_of_kernel
def _middle_tet(rows, corners, inv_sides, k):
    """The tetrahedron of every second corner: p, q, r are at the face diagonals from o; inv_sides: signed 1 / (2 side).

    The columns of F are `inv_sides` times o + p - q - r, o + q - p - r and o + r - p - q.
    """
    o, p, q, r = corners
    a = _between(rows, o, p)
    b = _between(rows, o, q)
    c = _between(rows, o, r)
    u = _scaled(inv_sides[0], _odd_one(a, b, c))
    v = _scaled(inv_sides[1], _odd_one(b, c, a))
    w = _scaled(inv_sides[2], _odd_one(c, a, b))
    g = (_scaled(inv_sides[0], u), _scaled(inv_sides[1], v), _scaled(inv_sides[2], w))
    h = (_scaled(inv_sides[0], _cross(v, w)), _scaled(inv_sides[1], _cross(w, u)), _scaled(inv_sides[2], _cross(u, v)))
    of_g = (_sum(g), _odd_one(g[0], g[1], g[2]), _odd_one(g[1], g[2], g[0]), _odd_one(g[2], g[0], g[1]))
    of_h = (_sum(h), _odd_one(h[0], h[1], h[2]), _odd_one(h[1], h[2], h[0]), _odd_one(h[2], h[0], h[1]))
    _solve(rows.moved, corners, (u, v, w), of_g, of_h, k)


@part_of_kernel
def _solve(moved, corners, f, g, h, k):
    """Solve both constraints of a tetrahedron; f: columns of F; g, h: gradients of |F|² / 2 and det F; k: K."""
    square = _dot(f[0], f[0]) + _dot(f[1], f[1]) + _dot(f[2], f[2])
    if not square > LEAST_LENGTH * LEAST_LENGTH:
        return
    dd = 0.0
    dh = 0.0
    hh = 0.0
    for n in range(4):
        weight = moved[corners[n], 3]
        dd += weight * _dot(g[n], g[n])
        dh += weight * _dot(g[n], h[n])
        hh += weight * _dot(h[n], h[n])
    off = _dot(f[0], _cross(f[1], f[2])) - 2.0
    # The matrix times K; its determinant is 1 + both diagonals + a Gram determinant.
    along = k * dd / square
    both = k * hh
    gram = max(along * both - k * dh * k * dh / square, 0.0)
    scale = k / (1.0 + along + both + gram)
    a = scale * (k * dh / square * off - both - 1.0)
    b = scale * (k * dh - (along + 1.0) * off)
    for n in range(4):
        row = corners[n]
        weight = moved[row, 3]
        for axis in range(3):
            moved[row, axis] += weight * (a * g[n][axis] + b * h[n][axis])


@part_of_kernel
def _volume(rows, corner, lane, inv_sides, k):
    """Constrain det F at the cell's centre to 1, with K = lambda V h²; inv_sides: signed 1 / (4 side)."""
    moved = rows.moved
    u = _scaled(inv_sides[0], _along(rows, corner, lane, 1))
    v = _scaled(inv_sides[1], _along(rows, corner, lane, 2))
    w = _scaled(inv_sides[2], _along(rows, corner, lane, 4))
    p = _scaled(inv_sides[0], _cross(v, w))
    q = _scaled(inv_sides[1], _cross(w, u))
    r = _scaled(inv_sides[2], _cross(u, v))
    off = _dot(u, p) / inv_sides[0] - 1.0
    weight_sum = 0.0
    for n in range(8):
        gradient = _of_corner(n, p, q, r)
        weight_sum += moved[corner[n, lane], 3] * _dot(gradient, gradient)
    step = -k * off / (k * weight_sum + 1.0)
    for n in range(8):
        gradient = _of_corner(n, p, q, r)
        row = corner[n, lane]
        for axis in range(3):
            moved[row, axis] += step * moved[row, 3] * gradient[axis]


@part_of_kernel
def _along(rows, corner, lane, bit):
    """Sum of the corners with the bit set minus that of the others."""
    total = (0.0, 0.0, 0.0)
    for n in range(8):
        if n & bit:
            edge = _between(rows, corner[n - bit, lane], corner[n, lane])
            total = (total[0] + edge[0], total[1] + edge[1], total[2] + edge[2])
    return total


@part_of_kernel
def _of_corner(n, p, q, r):
    """Gradient at corner n: ± p ± q ± r."""
    i = 1.0 if n & 1 else -1.0
    j = 1.0 if n & 2 else -1.0
    m = 1.0 if n & 4 else -1.0
    return _sum((_scaled(i, p), _scaled(j, q), _scaled(m, r)))


@part_of_kernel
def _between(rows, start, end):
    """Vector from one row to another [m]."""
    at = rows.at
    moved = rows.moved
    return (
        (at[end, 0] - at[start, 0]) + (moved[end, 0] - moved[start, 0]),
        (at[end, 1] - at[start, 1]) + (moved[end, 1] - moved[start, 1]),
        (at[end, 2] - at[start, 2]) + (moved[end, 2] - moved[start, 2]),
    )


@part_of_kernel
def _scaled(factor, a):
    return factor * a[0], factor * a[1], factor * a[2]


@part_of_kernel
def _product(a, b):
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


@part_of_kernel
def _sum(parts):
    a, b, c = parts
    return a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]


@part_of_kernel
def _odd_one(a, b, c):
    """a - b - c."""
    return a[0] - b[0] - c[0], a[1] - b[1] - c[1], a[2] - b[2] - c[2]


@part_of_kernel
def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@part_of_kernel
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
