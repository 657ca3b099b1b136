"""Solid cells, sixteen at a time: the vector twin of `constraints.solid.cells`, which has the laws and formulas."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ...compiler.kernels import kernel, parallel_kernel, prange
from ..constraints.solid.cells import CORNER_TETRAHEDRA, LEAST_LENGTH
from .ir.lanes import I64, LANES, Lanes, is_row_array
from .ir.writer import FLAGS

Vector = list[Any]  # x, y and z in three registers


@intrinsic
def relax_sixteen(typing_context, moved, cells, block):
    """Solve the sixteen cells of a block, no two of which share a node; cells: `CellColumns`."""
    if not is_row_array(moved):
        return None
    return types.void(moved, cells, types.int64), _relax_sixteen


def _relax_sixteen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    moved = lanes.pointer(signature.args[0], arguments[0])
    names = ("corner", "base", "per_x", "per_side", "shear", "bulk")
    corner, base, *values = lanes.field_pointers(signature.args[1], arguments[1], names)
    block = arguments[2]
    place = builder.mul(block, ir.Constant(I64, LANES))
    per_x, per_side, shear, bulk = (lanes.load(array, place) for array in values)

    def per(*factors: float) -> Vector:
        """1 / side along x, y and z, times the factors."""
        sides = (per_x, per_side, per_side)
        return [lanes.mul(side, lanes.constant(factor)) for side, factor in zip(sides, factors, strict=True)]

    cell = _Cells(lanes, moved, corner, base, block)
    sixth, third = (lanes.mul(shear, lanes.constant(fraction)) for fraction in (1.0 / 6.0, 1.0 / 3.0))
    for corners, signs in CORNER_TETRAHEDRA:
        cell.solve_corner(corners, per(*signs), sixth)
    cell.solve_middle(per(-0.5, -0.5, -0.5), third)
    cell.solve_volume(per(0.25, 0.25, 0.25), bulk)
    cell.store()
    return context.get_dummy_value()


class _Cells:
    """Sixteen cells in registers: positions of their corners, and the constraints on them."""

    def __init__(self, lanes: Lanes, moved: Any, corner: Any, base: Any, block: Any) -> None:
        """Args: addresses of `MovingRows.moved` and of `CellColumns.corner` and `base`; block: index of the block."""
        self._lanes = lanes
        build = lanes.builder
        first = build.mul(block, ir.Constant(I64, 8 * LANES))
        self._at = [
            lanes.row_addresses(moved, corner, build.add(first, ir.Constant(I64, LANES * k))) for k in range(8)
        ]
        rows = [lanes.columns(addresses) for addresses in self._at]
        self._moved, self._weight = [row[:3] for row in rows], [row[3] for row in rows]
        start = build.mul(block, ir.Constant(I64, 21 * LANES))
        self._base = [[lanes.constant(0.0)] * 3] + [
            [lanes.load(base, build.add(start, ir.Constant(I64, LANES * (3 * k + axis)))) for axis in range(3)]
            for k in range(7)
        ]

    def store(self) -> None:
        """Write the corners back."""
        for addresses, place, weight in zip(self._at, self._moved, self._weight, strict=True):
            self._lanes.store_quarters(self._lanes.transpose([*place, weight]), addresses)

    def solve_corner(self, corners: tuple[int, ...], per: Vector, stiff: Any) -> None:
        """A tetrahedron of a corner and its three neighbours; per: signed 1 / side of the edges to them [1/m]."""
        lanes = self._lanes
        first = corners[0]
        f = _scaled(lanes, per, [self._edge(first, other) for other in corners[1:]])
        slopes = []
        for parts in (f, _cofactors(lanes, f)):
            sides = _scaled(lanes, per, parts)
            slopes.append([_minus(lanes, [lanes.constant(0.0)] * 3, _sum(lanes, sides)), *sides])
        self._solve(corners, f, slopes, stiff)

    def solve_middle(self, halves: Vector, stiff: Any) -> None:
        """The tetrahedron of every second corner; halves: signed 1 / (2 side) along the axes [1/m]."""
        lanes = self._lanes
        corners = (0, 6, 5, 3)
        edges = [self._edge(0, other) for other in corners[1:]]
        f = _scaled(lanes, halves, [_minus_others(lanes, edges, k) for k in range(3)])
        slopes = []
        for parts in (f, _cofactors(lanes, f)):
            sides = _scaled(lanes, halves, parts)
            slopes.append([_sum(lanes, sides), *(_minus_others(lanes, sides, k) for k in range(3))])
        self._solve(corners, f, slopes, stiff)

    def _solve(self, corners: tuple[int, ...], f: list[Vector], slopes: list[list[Vector]], stiff: Any) -> None:
        """Solve both constraints of a tetrahedron.

        Args: f: columns of F; slopes: gradients of |F|² / 2 and det F at the corners; stiff: K.
        """
        lanes, build = self._lanes, self._lanes.builder
        one, zero = lanes.constant(1.0), lanes.constant(0.0)
        square = lanes.add(lanes.square(f[0]), lanes.add(lanes.square(f[1]), lanes.square(f[2])))
        j = _dot(lanes, f[0], _cross(lanes, f[1], f[2]))
        dd, dh, hh = zero, zero, zero
        for corner, g, h in zip(corners, *slopes, strict=True):
            weight = self._weight[corner]
            dd = lanes.add(dd, lanes.mul(weight, lanes.square(g)))
            dh = lanes.add(dh, lanes.mul(weight, _dot(lanes, g, h)))
            hh = lanes.add(hh, lanes.mul(weight, lanes.square(h)))
        is_long = _above(lanes, square, lanes.constant(LEAST_LENGTH * LEAST_LENGTH))
        per_square = lanes.div(one, build.select(is_long, square, one))
        # The matrix times K. Its determinant is 1 + both diagonals + a Gram determinant, which rounding may make
        # negative where a tetrahedron is stiff.
        along, across, both = (lanes.mul(stiff, part) for part in (lanes.mul(dd, per_square), dh, hh))
        gram = lanes.sub(lanes.mul(along, both), lanes.mul(lanes.mul(across, across), per_square))
        gram = build.select(_above(lanes, gram, zero), gram, zero)
        per = lanes.div(one, lanes.add(one, lanes.add(along, lanes.add(both, gram))))
        real = build.and_(is_long, _above(lanes, per, zero))
        scale = build.select(real, lanes.mul(stiff, per), zero)
        off = lanes.sub(j, lanes.constant(2.0))
        a = lanes.mul(scale, lanes.sub(lanes.mul(lanes.mul(across, per_square), off), lanes.add(both, one)))
        b = lanes.mul(scale, lanes.sub(across, lanes.mul(lanes.add(along, one), off)))
        for corner, g, h in zip(corners, *slopes, strict=True):
            a_own, b_own = (lanes.mul(self._weight[corner], part) for part in (a, b))
            self._moved[corner] = [
                lanes.add(place, lanes.add(lanes.mul(a_own, x), lanes.mul(b_own, y)))
                for place, x, y in zip(self._moved[corner], g, h, strict=True)
            ]

    def solve_volume(self, quarters: Vector, stiff: Any) -> None:
        """Constrain det F at the centre; quarters: signed 1 / (4 side) along the axes [1/m]; stiff: K."""
        lanes = self._lanes
        one = lanes.constant(1.0)
        sums = [_sum(lanes, [self._edge(n - bit, n) for n in range(8) if n & bit]) for bit in (1, 2, 4)]
        f = _scaled(lanes, quarters, sums)
        cofactors = _cofactors(lanes, f)
        p, q, r = _scaled(lanes, quarters, cofactors)
        excess = lanes.sub(_dot(lanes, f[0], cofactors[0]), one)
        # Opposite corners have opposite gradients; these are of the corners 7, 6, 5 and 4.
        upper, lower = _plus(lanes, q, r), _minus(lanes, r, q)
        slopes = [_plus(lanes, upper, p), _minus(lanes, upper, p), _plus(lanes, lower, p), _minus(lanes, lower, p)]
        total_inv_mass = lanes.constant(0.0)
        for k, slope in enumerate(slopes):
            weight = lanes.add(self._weight[7 - k], self._weight[k])
            total_inv_mass = lanes.add(total_inv_mass, lanes.mul(weight, lanes.square(slope)))
        step = lanes.div(lanes.mul(stiff, excess), lanes.add(lanes.mul(stiff, total_inv_mass), one))
        for k, slope in enumerate(slopes):
            for corner, join in ((7 - k, lanes.sub), (k, lanes.add)):
                part = lanes.mul(step, self._weight[corner])
                self._moved[corner] = [
                    join(place, lanes.mul(part, x)) for place, x in zip(self._moved[corner], slope, strict=True)
                ]

    def _edge(self, start: int, end: int) -> Vector:
        """Vector from one corner to another [m]."""
        lanes = self._lanes
        return _plus(
            lanes, _minus(lanes, self._base[end], self._base[start]),
            _minus(lanes, self._moved[end], self._moved[start]),
        )


def _above(lanes: Lanes, a: Any, b: Any) -> Any:
    return lanes.builder.fcmp_ordered(">", a, b, flags=FLAGS)


def _scaled(lanes: Lanes, factors: list[Any], parts: list[Vector]) -> list[Vector]:
    """Each part times its factor."""
    return [[lanes.mul(factor, x) for x in part] for factor, part in zip(factors, parts, strict=True)]


def _plus(lanes: Lanes, a: Vector, b: Vector) -> Vector:
    return [lanes.add(x, y) for x, y in zip(a, b, strict=True)]


def _minus(lanes: Lanes, a: Vector, b: Vector) -> Vector:
    return [lanes.sub(x, y) for x, y in zip(a, b, strict=True)]


def _sum(lanes: Lanes, parts: list[Vector]) -> Vector:
    total = parts[0]
    for part in parts[1:]:
        total = _plus(lanes, total, part)
    return total


def _minus_others(lanes: Lanes, parts: list[Vector], k: int) -> Vector:
    """Part k minus the other two."""
    return _minus(lanes, _minus(lanes, parts[k], parts[k - 1]), parts[k - 2])


def _cross(lanes: Lanes, a: Vector, b: Vector) -> Vector:
    return [lanes.sub(lanes.mul(a[k - 2], b[k - 1]), lanes.mul(a[k - 1], b[k - 2])) for k in range(3)]


def _dot(lanes: Lanes, a: Vector, b: Vector) -> Any:
    x, y, z = (lanes.mul(one, other) for one, other in zip(a, b, strict=True))
    return lanes.add(x, lanes.add(y, z))


def _cofactors(lanes: Lanes, f: list[Vector]) -> list[Vector]:
    """Gradients of det F with respect to its columns."""
    return [_cross(lanes, f[k - 2], f[k - 1]) for k in range(3)]


@parallel_kernel
def relax_cells(rows, cells, g):
    """As `constraints.solid.cells.relax_cells`."""
    moved = rows.moved
    for stage in range(cells.island[g], cells.island[g + 1] - 1):
        first = cells.stage_start[stage]
        stop = cells.stage_start[stage + 1]
        if cells.is_wide[stage]:
            for place in prange(first, stop):
                _relax_task(moved, cells, cells.task[place])
        else:
            for place in range(first, stop):
                _relax_task(moved, cells, cells.task[place])


@kernel
def _relax_task(moved, cells, task):
    for block in range(cells.task_start[task], cells.task_start[task + 1]):
        relax_sixteen(moved, cells, block)
