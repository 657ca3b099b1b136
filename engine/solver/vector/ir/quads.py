"""LLVM IR for vectors in space: registers of four doubles, the last of which is 0 or an inverse mass.

Double-precision sums over rows are accumulated row by row, so they are added in the written order; x, y and z are
processed side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from ....compiler.prefetch import ROWS_AHEAD, write_fetch
from .lanes import F32, F64, I64
from .writer import I32, Writer

QUAD, ROW = ir.VectorType(F64, 4), ir.VectorType(F32, 4)
PAIR = ir.VectorType(F64, 2)

# Lane orders of the two factors in a cross product.
YZX, ZXY = (1, 2, 0, 3), (2, 0, 1, 3)


class Quads(Writer):
    """Writes code for vectors in space into a function that is being compiled."""

    register = QUAD

    def pointers(self, signature: Any, arguments: Any, count: int) -> list[Any]:
        """Addresses of the first elements of the first `count` arguments, which are arrays."""
        return [
            self.pointer(kind, array) for kind, array in zip(signature.args[:count], arguments[:count], strict=True)
        ]

    @contextmanager
    def rows(self, first: Any, stop: Any) -> Iterator[Any]:
        """Loop over rows; the code written inside runs for each."""
        with cgutils.for_range_slice(self.builder, first, stop, ir.Constant(I64, 1), intp=I64) as (row, _count):
            yield row

    def number(self, value: float) -> ir.Constant:
        """A double constant."""
        return ir.Constant(F64, value)

    def vector(self, x: Any, y: Any, z: Any) -> Any:
        """A register of three doubles and 0."""
        found = self.constant(0.0)
        for lane, value in enumerate((x, y, z)):
            found = self.builder.insert_element(found, value, ir.Constant(I32, lane))
        return found

    def lane(self, value: Any, lane: int) -> Any:
        """One number of a register."""
        return self.builder.extract_element(value, ir.Constant(I32, lane))

    def _at(self, pointer: Any, place: Any, kind: ir.VectorType) -> Any:
        return self.builder.bitcast(self.builder.gep(pointer, [place]), kind.as_pointer())

    def three(self, pointer: Any, place: Any) -> Any:
        """Load the three doubles from `place` on, followed by 0; nothing beyond them is read."""
        build = self.builder
        pair = build.load(self._at(pointer, place, PAIR), align=8)
        wide = self.shuffle(pair, None, [0, 1, 2, 2])
        last = self.item(pointer, build.add(place, ir.Constant(I64, 2)))
        wide = build.insert_element(wide, last, ir.Constant(I32, 2))
        return build.insert_element(wide, self.number(0.0), ir.Constant(I32, 3))

    def store_three(self, value: Any, pointer: Any, place: Any) -> None:
        """Store the first three lanes where `three` reads them."""
        build = self.builder
        build.store(self.shuffle(value, None, [0, 1]), self._at(pointer, place, PAIR), align=8)
        build.store(self.lane(value, 2), build.gep(pointer, [build.add(place, ir.Constant(I64, 2))]))

    def row(self, pointer: Any, row: Any) -> Any:
        """Load a row of four, float32 or float64 as in the array."""
        kind = ir.VectorType(pointer.type.pointee, 4)
        return self.builder.load(self._at(pointer, self.builder.shl(row, ir.Constant(I64, 2)), kind), align=4)

    def store_row(self, value: Any, pointer: Any, row: Any) -> None:
        """The inverse of `row`."""
        place = self.builder.shl(row, ir.Constant(I64, 2))
        self.builder.store(value, self._at(pointer, place, value.type), align=4)

    def with_last_of(self, value: Any, other: Any) -> Any:
        """The first three lanes of `value` and the last lane of `other`."""
        return self.shuffle(value, other, [0, 1, 2, 7])

    def widen(self, row: Any) -> Any:
        """A single-precision row in double precision."""
        return self.builder.fpext(row, QUAD)

    def narrow(self, value: Any) -> Any:
        """The inverse of `widen`."""
        return self.builder.fptrunc(value, ROW)

    def permuted(self, value: Any, lanes: tuple[int, int, int, int]) -> Any:
        """The lanes in another order."""
        return self.shuffle(value, None, list(lanes))

    def cross(self, a: Any, b: Any) -> Any:
        """a cross b, with components in the order z, x, y; shuffling by `YZX` restores x, y, z."""
        return self.sub(self.mul(a, self.permuted(b, YZX)), self.mul(self.permuted(a, YZX), b))

    def fetch_row(self, ids: Any, row: Any, last: Any, *vectors: Any, ahead: int = ROWS_AHEAD) -> None:
        """Prefetch a vector from each (array, width), at index ids[min(row + ahead, last)]."""
        build = self.builder
        there = build.add(row, ir.Constant(I64, ahead))
        later = self.item(ids, build.select(build.icmp_signed("<", there, last), there, last))
        later = later if later.type == I64 else build.sext(later, I64)
        for pointer, width in vectors:
            write_fetch(build, build.gep(pointer, [build.mul(later, ir.Constant(I64, width))]))


def is_vectors(array: Any) -> bool:
    """Whether a numba type is a contiguous array of vectors in double precision."""
    return isinstance(array, types.Array) and (array.dtype, array.ndim, array.layout) == (types.float64, 2, "C")
