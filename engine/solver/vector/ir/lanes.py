"""LLVM IR for sixteen single-precision lanes.

Particles are rows (x, y, z, inverse mass) of sixteen bytes, so four of them fill a register of 64 bytes. A hardware
gather would load each number separately. Here each row is one load, and shuffles transpose registers of rows into
registers of x, y and z. LLVM splits the vectors on machines with narrower registers.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba.core import cgutils, config, types

from ....compiler.held import field_value
from ....compiler.prefetch import write_fetch
from .writer import I32, Writer, field_type

LANES = 16
ROWS = 4  # rows in a register

I64, F32, F64 = ir.IntType(64), ir.FloatType(), ir.DoubleType()
ROW = ir.VectorType(F32, 4)
VECTOR = ir.VectorType(F32, LANES)
WIDE = ir.VectorType(F64, LANES)

# Initial estimate: the bits of 1 / sqrt(x) are about this minus half the bits of x (Lomont 2003, "Fast Inverse Square
# Root").
ROOT_BITS = 0x5F375A86

def _quarters(mask: tuple[int, int, int, int]) -> list[int]:
    """Mask of a shuffle of two registers that acts alike in each quarter."""
    return [4 * quarter + lane for quarter in range(ROWS) for lane in mask]


def has_quick_root() -> bool:
    """Whether kernels are compiled for a processor with AVX-512."""
    features = config.CPU_FEATURES
    return bool(get_host_cpu_features().get("avx512f")) if features is None else "+avx512f" in features


def is_row_array(array: Any, number: Any = types.float32) -> bool:
    """Whether a numba type is a contiguous two-dimensional array, as for rows of four."""
    return isinstance(array, types.Array) and (array.dtype, array.ndim, array.layout) == (number, 2, "C")


class Lanes(Writer):
    """Writes vector code into a function that is being compiled."""

    number, register = F32, VECTOR

    def extent(self, array_type: types.Array, array: Any, axis: int) -> Any:
        """Length of an array along an axis."""
        struct = self._context.make_array(array_type)(self._context, self.builder, value=array)
        return self.builder.extract_value(struct.shape, axis)

    def field_extent(self, tuple_type: types.BaseTuple, fields: Any, name: str, axis: int) -> Any:
        """Length of an array of a NamedTuple along an axis."""
        array = field_value(self.builder, tuple_type, fields, tuple_type.fields.index(name))
        return self.extent(field_type(tuple_type, name), array, axis)

    def _vector_at(self, pointer: Any, place: Any, kind: ir.VectorType) -> Any:
        return self.builder.bitcast(self.builder.gep(pointer, [place]), kind.as_pointer())

    def load(self, pointer: Any, place: Any) -> Any:
        """Sixteen consecutive numbers from `place` on, float32 or float64 as in the array."""
        kind = ir.VectorType(pointer.type.pointee, LANES)
        return self.builder.load(self._vector_at(pointer, place, kind), align=4)

    def store(self, value: Any, pointer: Any, place: Any) -> None:
        """The inverse of `load`."""
        self.builder.store(value, self._vector_at(pointer, place, value.type), align=4)

    def fetch(self, pointer: Any, place: Any) -> None:
        """Prefetch the number at `place`, which may lie outside the array; changes nothing."""
        write_fetch(self.builder, self.builder.gep(pointer, [place]))

    def widen(self, value: Any) -> Any:
        """The lanes in double precision."""
        return self.builder.fpext(value, WIDE)

    def narrow(self, value: Any) -> Any:
        """The lanes in single precision."""
        return self.builder.fptrunc(value, VECTOR)

    def row_addresses(self, rows: Any, ids: Any, place: Any) -> list[Any]:
        """Addresses of the rows, float32 or float64, whose int32 indices are in `ids` from `place` on."""
        build, found, kind = self.builder, [], ir.VectorType(rows.type.pointee, 4)
        for lane in range(LANES):
            at = build.gep(ids, [build.add(place, ir.Constant(I64, lane))])
            row = build.sext(build.load(at), I64)
            found.append(self._vector_at(rows, build.shl(row, ir.Constant(I64, 2)), kind))
        return found

    def run_addresses(self, rows: Any, ids: Any, place: Any, registers: int = ROWS) -> list[Any]:
        """Addresses of every fourth row from row ids[place] on, for the given number of registers."""
        build = self.builder
        first = build.shl(build.sext(self.item(ids, place), I64), ir.Constant(I64, 2))
        kind = ir.VectorType(rows.type.pointee, LANES)
        return [self._vector_at(rows, build.add(first, ir.Constant(I64, LANES * k)), kind) for k in range(registers)]

    def load_run(self, addresses: list[Any]) -> list[Any]:
        """Load consecutive rows; register k holds the rows 4 k to 4 k + 3."""
        return [self.builder.load(address, align=4) for address in addresses]

    def store_run(self, registers: list[Any], addresses: list[Any]) -> None:
        """The inverse of `load_run`."""
        for register, address in zip(registers, addresses, strict=True):
            self.builder.store(register, address, align=4)

    def part_twins(self, registers: list[Any], apart: int) -> tuple[list[Any], list[Any]]:
        """Separate 32 rows in eight registers into the two ends of sixteen twins, four registers for each end.

        Args: apart: index difference of the twins, 1 or 2.
        """
        sides = ((0, 2), (1, 3)) if apart == 1 else ((0, 1), (2, 3))
        masks = ([4 * row + c for row in (*side, *(row + ROWS for row in side)) for c in range(4)] for side in sides)
        first, second = (
            [self.shuffle(a, b, mask) for a, b in zip(registers[::2], registers[1::2], strict=True)] for mask in masks
        )
        return first, second

    def join_twins(self, first: list[Any], second: list[Any], apart: int) -> list[Any]:
        """The inverse of `part_twins`."""
        order = (0, 4, 1, 5) if apart == 1 else (0, 1, 4, 5)
        masks = [[4 * (row + half) + c for row in order for c in range(4)] for half in (0, 2)]
        return [self.shuffle(a, b, mask) for a, b in zip(first, second, strict=True) for mask in masks]

    def next_row_addresses(self, rows: Any, block: Any) -> list[Any]:
        """Addresses of the sixteen rows of a block."""
        first = self.builder.shl(block, ir.Constant(I64, 6))
        return [
            self._vector_at(rows, self.builder.add(first, ir.Constant(I64, 4 * lane)), ROW) for lane in range(LANES)
        ]

    def column_parts(self, columns: Any, length: Any, place: Any, count: int) -> list[Any]:
        """The first `count` components of sixteen consecutive rows, from a transposed array (4, length)."""
        build = self.builder
        return [
            self.load(columns, build.add(build.mul(length, ir.Constant(I64, part)), place)) for part in range(count)
        ]

    def store_column_parts(self, parts: list[Any], columns: Any, length: Any, place: Any) -> None:
        """The inverse of `column_parts`."""
        build = self.builder
        for nth, part in enumerate(parts):
            self.store(part, columns, build.add(build.mul(length, ir.Constant(I64, nth)), place))

    def columns(self, addresses: list[Any]) -> list[Any]:
        """Sixteen rows as registers of their first, second, third and fourth components."""
        return self.transpose(self.load_quarters(addresses))

    def transpose(self, registers: list[Any]) -> list[Any]:
        """Transpose within each quarter: rows as in `load_quarters` to components, or back.

        LLVM drops components that are not used.
        """
        a, b, c, d = registers
        low_ab, high_ab, low_cd, high_cd = (
            self.shuffle(p, q, _quarters(mask))
            for p, q in ((a, b), (c, d)) for mask in ((0, 16, 1, 17), (2, 18, 3, 19))
        )
        return [
            self.shuffle(p, q, _quarters(mask))
            for p, q in ((low_ab, low_cd), (high_ab, high_cd)) for mask in ((0, 1, 16, 17), (2, 3, 18, 19))
        ]

    def store_columns(self, columns: list[Any], rows: Any, block: Any) -> None:
        """The inverse of `columns`, into the sixteen rows of a block."""
        first = self.builder.shl(block, ir.Constant(I64, 6))
        for k in range(ROWS):
            lanes = range(ROWS * k, ROWS * k + ROWS)
            xy, zw = (
                self.shuffle(p, q, [lane + side for lane in lanes for side in (0, LANES, 0, 0)])
                for p, q in (columns[:2], columns[2:])
            )
            both = [4 * r + c if c < 2 else LANES + 4 * r + c - 2 for r in range(ROWS) for c in range(4)]
            self.store(self.shuffle(xy, zw, both), rows, self.builder.add(first, ir.Constant(I64, LANES * k)))

    def load_quarters(self, addresses: list[Any]) -> list[Any]:
        """Sixteen rows in four registers, see `quarters`."""
        return self.quarters([self.builder.load(address, align=4) for address in addresses])

    def quarters(self, rows: list[Any]) -> list[Any]:
        """Four registers of rows; register k holds the rows k, k + 4, k + 8 and k + 12, one in each quarter."""
        found = []
        for k in range(ROWS):
            a, b, c, d = rows[k::ROWS]
            found.append(self._join(self._join(a, b), self._join(c, d)))
        return found

    def store_quarters(self, registers: list[Any], addresses: list[Any]) -> None:
        """The inverse of `load_quarters`."""
        for lane, address in enumerate(addresses):
            quarter, k = divmod(lane, ROWS)
            row = self.shuffle(registers[k], None, [ROWS * quarter + c for c in range(4)])
            self.builder.store(row, address, align=4)

    def row_component(self, register: Any, component: int) -> Any:
        """Broadcast one component of each row, in a register of rows, to all four lanes of the row."""
        return self.shuffle(register, None, [4 * r + component for r in range(ROWS) for _ in range(4)])

    def _join(self, a: Any, b: Any) -> Any:
        return self.shuffle(a, b, list(range(2 * a.type.count)))

    def square(self, parts: list[Any]) -> Any:
        """x² + y² + z²."""
        x, y, z = parts
        return self.add(self.mul(x, x), self.add(self.mul(y, y), self.mul(z, z)))

    def inverse_root(self, square: Any, least: float) -> Any:
        """1 / max(sqrt(square), least), to rounding; each Newton step doubles the number of correct digits."""
        build = self.builder
        floor = self.constant(least * least)
        square = build.select(build.fcmp_ordered(">", square, floor), square, floor)
        half = self.mul(self.constant(0.5), square)
        root, steps = (self._quick_root(square), 1) if has_quick_root() else (self._root_of_bits(square), 3)
        for _ in range(steps):
            root = self.mul(root, self.sub(self.constant(1.5), self.mul(half, self.mul(root, root))))
        return root

    def _quick_root(self, square: Any) -> Any:
        """The processor's own estimate of 1 / sqrt(square), accurate to 14 bits."""
        signature = ir.FunctionType(VECTOR, [VECTOR, VECTOR, ir.IntType(LANES)])
        guess = cgutils.get_or_insert_function(self.builder.module, signature, "llvm.x86.avx512.rsqrt14.ps.512")
        return self.builder.call(guess, [square, self.constant(0.0), ir.Constant(ir.IntType(LANES), -1)])

    def _root_of_bits(self, square: Any) -> Any:
        """An estimate of 1 / sqrt(square) with a relative error of 3.5 %."""
        build, integers = self.builder, ir.VectorType(I32, LANES)
        half_bits = build.lshr(build.bitcast(square, integers), ir.Constant(integers, [1] * LANES))
        return build.bitcast(build.sub(ir.Constant(integers, [ROOT_BITS] * LANES), half_bits), VECTOR)

    def sqrt(self, value: Any) -> Any:
        """Square root of each lane."""
        signature = ir.FunctionType(VECTOR, [VECTOR])
        root = cgutils.get_or_insert_function(self.builder.module, signature, f"llvm.sqrt.v{LANES}f32")
        return self.builder.call(root, [value])
