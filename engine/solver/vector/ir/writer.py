"""What every vector kernel is written with: arrays, numbers, running sums, arithmetic as LLVM IR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

I32 = ir.IntType(32)

# A product and a sum may become one rounded operation.
FLAGS = ("contract", "nsz")


def field_type(columns: types.BaseTuple, name: str) -> types.Type:
    """Type of an array of a NamedTuple, by the NamedTuple's type."""
    return columns.types[columns.fields.index(name)]


class Writer:
    """Writes code for registers of one kind into a function that is being compiled.

    Attributes:
        register: that kind.
    """

    register: ir.VectorType

    def __init__(self, context: Any, builder: ir.IRBuilder) -> None:
        """Args: numba's target context and the IR builder of the function."""
        self._context = context
        self.builder = builder

    def pointer(self, array_type: types.Array, array: Any) -> Any:
        """Address of an array's first number."""
        return self._context.make_array(array_type)(self._context, self.builder, value=array).data

    def field_pointers(self, tuple_type: types.BaseTuple, fields: Any, names: tuple[str, ...]) -> list[Any]:
        """Addresses of the first numbers of some arrays of a NamedTuple."""
        places = [tuple_type.fields.index(name) for name in names]
        return [
            self.pointer(tuple_type.types[place], self.builder.extract_value(fields, place)) for place in places
        ]

    def constant(self, value: float) -> ir.Constant:
        """The same number in all lanes."""
        return ir.Constant(self.register, [value] * self.register.count)

    def spread(self, value: Any) -> Any:
        """A scalar, float32 or float64, in all lanes."""
        count = self.register.count
        empty = ir.Constant(ir.VectorType(value.type, count), ir.Undefined)
        return self.shuffle(self.builder.insert_element(empty, value, ir.Constant(I32, 0)), None, [0] * count)

    def item(self, pointer: Any, place: Any) -> Any:
        """One number of an array."""
        return self.builder.load(self.builder.gep(pointer, [place]))

    def shuffle(self, a: Any, b: Any | None, mask: list[int]) -> Any:
        """Chosen lanes of a, then b."""
        other = ir.Constant(a.type, ir.Undefined) if b is None else b
        return self.builder.shuffle_vector(a, other, ir.Constant(ir.VectorType(I32, len(mask)), mask))

    def running_sums(self, count: int) -> list[Any]:
        """Registers that start at nought and last through a loop."""
        sums = [cgutils.alloca_once(self.builder, self.register) for _ in range(count)]
        for total in sums:
            self.builder.store(self.constant(0.0), total)
        return sums

    def accumulate(self, total: Any, value: Any) -> None:
        """Add to a running sum, of registers or of numbers."""
        self.builder.store(self.add(self.builder.load(total), value), total)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """`add`, `sub`, `mul`, `div`: the builder's own on floats, with our flags."""
        if name not in ("add", "sub", "mul", "div"):
            raise AttributeError(name)
        operation = getattr(self.builder, "f" + name)
        return lambda a, b: operation(a, b, flags=FLAGS)
