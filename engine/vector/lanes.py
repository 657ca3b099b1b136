"""What a vector kernel is made of: LLVM IR for sixteen single-precision lanes.

Particles lie in rows (x, y, z, inverse mass) of sixteen bytes, so four of them fill a register of 64 bytes. A
hardware gather would load every number by itself; here a row is one load, and registers of rows are turned into
registers of x, y and z by shuffles. LLVM splits the vectors on machines with narrower registers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_or_insert_function

LANES = 16
ROWS = 4  # rows in a register

I32, I64, F32 = ir.IntType(32), ir.IntType(64), ir.FloatType()
ROW = ir.VectorType(F32, 4)
VECTOR = ir.VectorType(F32, LANES)

# A product and a sum may become one rounded operation.
FLAGS = ("contract", "nsz")


def is_row_array(array: Any) -> bool:
    """Whether a numba type is a contiguous float32 array of rows of four."""
    return isinstance(array, types.Array) and (array.dtype, array.ndim, array.layout) == (types.float32, 2, "C")


class Lanes:
    """Writes vector code into a function that is being compiled."""

    def __init__(self, context: Any, builder: ir.IRBuilder) -> None:
        """Args: numba's target context and the IR builder of the function."""
        self._context = context
        self.builder = builder

    def pointer(self, array_type: types.Array, array: Any) -> Any:
        """Address of an array's first number."""
        return self._context.make_array(array_type)(self._context, self.builder, value=array).data

    def constant(self, value: float) -> ir.Constant:
        """The same number in all lanes."""
        return ir.Constant(VECTOR, [value] * LANES)

    def spread(self, value: Any) -> Any:
        """A scalar float32 in all lanes."""
        one = self.builder.insert_element(ir.Constant(VECTOR, ir.Undefined), value, ir.Constant(I32, 0))
        return self.builder.shuffle_vector(
            one, one, ir.Constant(ir.VectorType(I32, LANES), [0] * LANES)
        )

    def _vector_at(self, pointer: Any, place: Any, kind: ir.VectorType) -> Any:
        return self.builder.bitcast(self.builder.gep(pointer, [place]), kind.as_pointer())

    def load(self, pointer: Any, place: Any) -> Any:
        """Sixteen numbers that stand side by side from `place` on."""
        return self.builder.load(self._vector_at(pointer, place, VECTOR), align=4)

    def store(self, value: Any, pointer: Any, place: Any) -> None:
        """The reverse of `load`."""
        self.builder.store(value, self._vector_at(pointer, place, VECTOR), align=4)

    def row_addresses(self, rows: Any, ids: Any, place: Any) -> list[Any]:
        """Addresses of the rows whose int32 numbers stand in `ids` from `place` on."""
        build, found = self.builder, []
        for lane in range(LANES):
            at = build.gep(ids, [build.add(place, ir.Constant(I64, lane))])
            row = build.sext(build.load(at), I64)
            found.append(self._vector_at(rows, build.shl(row, ir.Constant(I64, 2)), ROW))
        return found

    def load_rows(self, addresses: list[Any]) -> list[Any]:
        """Four registers of four rows each."""
        rows = [self.builder.load(address, align=4) for address in addresses]
        return [self._join(self._join(*rows[k : k + 2]), self._join(*rows[k + 2 : k + 4]))
                for k in range(0, LANES, ROWS)]

    def store_rows(self, registers: list[Any], addresses: list[Any]) -> None:
        """The reverse of `load_rows`."""
        for k, address in enumerate(addresses):
            row = self.shuffle(registers[k // ROWS], None, [ROWS * (k % ROWS) + c for c in range(4)])
            self.builder.store(row, address, align=4)

    def column(self, registers: list[Any], component: int) -> Any:
        """One component of all sixteen rows."""
        pick = [4 * k + component for k in range(8)]
        halves = [self.shuffle(registers[k], registers[k + 1], pick) for k in (0, 2)]
        return self._join(*halves)

    def to_rows(self, value: Any, component_count: int = 3) -> list[Any]:
        """Each lane's number in the first components of its row, zero in the others; four registers."""
        zero = self.constant(0.0)
        return [
            self.shuffle(
                value, zero, [ROWS * k + r if c < component_count else LANES for r in range(ROWS) for c in range(4)]
            )
            for k in range(ROWS)
        ]

    def row_component(self, register: Any, component: int) -> Any:
        """In a register of rows, one component of each row in all four places of the row."""
        return self.shuffle(register, None, [4 * r + component for r in range(ROWS) for _ in range(4)])

    def shuffle(self, a: Any, b: Any | None, mask: list[int]) -> Any:
        """Chosen lanes of a, then b."""
        other = ir.Constant(a.type, ir.Undefined) if b is None else b
        return self.builder.shuffle_vector(a, other, ir.Constant(ir.VectorType(I32, len(mask)), mask))

    def _join(self, a: Any, b: Any) -> Any:
        return self.shuffle(a, b, list(range(2 * a.type.count)))

    def sqrt(self, value: Any) -> Any:
        """Square root of each lane."""
        signature = ir.FunctionType(VECTOR, [VECTOR])
        root = get_or_insert_function(self.builder.module, signature, f"llvm.sqrt.v{LANES}f32")
        return self.builder.call(root, [value])

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """`add`, `sub`, `mul`, `div`: the builder's own on floats, with our flags."""
        if name not in ("add", "sub", "mul", "div"):
            raise AttributeError(name)
        operation = getattr(self.builder, "f" + name)
        return lambda a, b: operation(a, b, flags=FLAGS)
