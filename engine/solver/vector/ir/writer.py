"""Base of the IR writers: arrays, constants, running sums and arithmetic as LLVM IR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from ....compiler.held import field_value

I32 = ir.IntType(32)

# A product and a sum may be fused into one rounded operation; the sign of zero does not matter.
FLAGS = ("contract", "nsz")


def field_type(columns: types.BaseTuple, name: str) -> types.Type:
    """Type of a NamedTuple's field, from the NamedTuple's type."""
    return columns.types[columns.fields.index(name)]


class Writer:
    """Writes code for one kind of register into a function that is being compiled.

    Attributes:
        register: LLVM type of that register.
    """

    register: ir.VectorType

    def __init__(self, context: Any, builder: ir.IRBuilder) -> None:
        """Args: numba's target context and the IR builder of the function."""
        self._context = context
        self.builder = builder

    def pointer(self, array_type: types.Array, array: Any) -> Any:
        """Address of an array's first element."""
        return self._context.make_array(array_type)(self._context, self.builder, value=array).data

    def field_pointers(self, tuple_type: types.BaseTuple, fields: Any, names: tuple[str, ...]) -> list[Any]:
        """Addresses of the first elements of some arrays in a NamedTuple, or in a `Held` one."""
        places = [tuple_type.fields.index(name) for name in names]
        return [
            self.pointer(tuple_type.types[place], field_value(self.builder, tuple_type, fields, place))
            for place in places
        ]

    def constant(self, value: float) -> ir.Constant:
        """The same number in all lanes."""
        return ir.Constant(self.register, [value] * self.register.count)

    def spread(self, value: Any) -> Any:
        """Broadcast a scalar, float32 or float64, to all lanes."""
        count = self.register.count
        empty = ir.Constant(ir.VectorType(value.type, count), ir.Undefined)
        return self.shuffle(self.builder.insert_element(empty, value, ir.Constant(I32, 0)), None, [0] * count)

    def item(self, pointer: Any, place: Any) -> Any:
        """Load one element of an array."""
        return self.builder.load(self.builder.gep(pointer, [place]))

    def shuffle(self, a: Any, b: Any | None, mask: list[int]) -> Any:
        """Lanes selected by the mask from a, followed by b."""
        other = ir.Constant(a.type, ir.Undefined) if b is None else b
        return self.builder.shuffle_vector(a, other, ir.Constant(ir.VectorType(I32, len(mask)), mask))

    def running_sums(self, count: int) -> list[Any]:
        """Registers that start at 0 and persist through a loop."""
        sums = [cgutils.alloca_once(self.builder, self.register) for _ in range(count)]
        for total in sums:
            self.builder.store(self.constant(0.0), total)
        return sums

    def accumulate(self, total: Any, value: Any) -> None:
        """Add to a running sum, of registers or of scalars."""
        self.builder.store(self.add(self.builder.load(total), value), total)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """`add`, `sub`, `mul`, `div`: the builder's floating-point operations with `FLAGS`."""
        if name not in ("add", "sub", "mul", "div"):
            raise AttributeError(name)
        operation = getattr(self.builder, "f" + name)
        return lambda a, b: operation(a, b, flags=FLAGS)
