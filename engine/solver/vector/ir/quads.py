"""Vectors of space as registers of four doubles, of which the last is nought, or an inverse mass: LLVM IR for them.

What is summed over rows in double precision goes row after row, so that sums come out in the order in which they are
written; but x, y and z go side by side.
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

# Lanes of what a cross product multiplies.
TURNED, TURNED_TWICE = (1, 2, 0, 3), (2, 0, 1, 3)


class Quads(Writer):
    """Writes code for vectors into a function that is being compiled."""

    register = QUAD

    def pointers(self, signature: Any, arguments: Any, count: int) -> list[Any]:
        """Addresses of the first numbers of the first `count` arguments, which are arrays."""
        return [
            self.pointer(kind, array) for kind, array in zip(signature.args[:count], arguments[:count], strict=True)
        ]

    @contextmanager
    def rows(self, first: Any, stop: Any) -> Iterator[Any]:
        """A loop over rows: what is written under it runs for each."""
        with cgutils.for_range_slice(self.builder, first, stop, ir.Constant(I64, 1), intp=I64) as (row, _count):
            yield row

    def number(self, value: float) -> ir.Constant:
        """A double."""
        return ir.Constant(F64, value)

    def vector(self, x: Any, y: Any, z: Any) -> Any:
        """Three doubles and nought."""
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
        """The three doubles from `place` on, and nought; nothing beyond them is read."""
        build = self.builder
        pair = build.load(self._at(pointer, place, PAIR), align=8)
        wide = self.shuffle(pair, None, [0, 1, 2, 2])
        last = self.item(pointer, build.add(place, ir.Constant(I64, 2)))
        wide = build.insert_element(wide, last, ir.Constant(I32, 2))
        return build.insert_element(wide, self.number(0.0), ir.Constant(I32, 3))

    def store_three(self, value: Any, pointer: Any, place: Any) -> None:
        """The first three lanes, to where `three` reads them."""
        build = self.builder
        build.store(self.shuffle(value, None, [0, 1]), self._at(pointer, place, PAIR), align=8)
        build.store(self.lane(value, 2), build.gep(pointer, [build.add(place, ir.Constant(I64, 2))]))

    def row(self, pointer: Any, row: Any) -> Any:
        """A row of four, float32 or float64 as the array."""
        kind = ir.VectorType(pointer.type.pointee, 4)
        return self.builder.load(self._at(pointer, self.builder.shl(row, ir.Constant(I64, 2)), kind), align=4)

    def store_row(self, value: Any, pointer: Any, row: Any) -> None:
        """The reverse of `row`."""
        place = self.builder.shl(row, ir.Constant(I64, 2))
        self.builder.store(value, self._at(pointer, place, value.type), align=4)

    def with_last_of(self, value: Any, other: Any) -> Any:
        """The first three lanes of one and the last of another."""
        return self.shuffle(value, other, [0, 1, 2, 7])

    def widen(self, row: Any) -> Any:
        """A row of singles in double precision."""
        return self.builder.fpext(row, QUAD)

    def narrow(self, value: Any) -> Any:
        """The reverse of `widen`."""
        return self.builder.fptrunc(value, ROW)

    def turned(self, value: Any, lanes: tuple[int, int, int, int]) -> Any:
        """Chosen lanes, in another order."""
        return self.shuffle(value, None, list(lanes))

    def cross(self, a: Any, b: Any) -> Any:
        """z, x and y of a cross b, in this order: `TURNED` puts them right."""
        return self.sub(self.mul(a, self.turned(b, TURNED)), self.mul(self.turned(a, TURNED), b))

    def fetch_row(self, ids: Any, row: Any, last: Any, *vectors: Any, ahead: int = ROWS_AHEAD) -> None:
        """Let the caches get a vector of each (array, width) at what ids[row + ahead], or the last, tells."""
        build = self.builder
        there = build.add(row, ir.Constant(I64, ahead))
        later = self.item(ids, build.select(build.icmp_signed("<", there, last), there, last))
        later = later if later.type == I64 else build.sext(later, I64)
        for pointer, width in vectors:
            write_fetch(build, build.gep(pointer, [build.mul(later, ir.Constant(I64, width))]))


def is_vectors(array: Any) -> bool:
    """Whether a numba type is a contiguous array of vectors in double precision."""
    return isinstance(array, types.Array) and (array.dtype, array.ndim, array.layout) == (types.float64, 2, "C")
