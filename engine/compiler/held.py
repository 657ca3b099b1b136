"""Tables of arrays that kernels pass on by address.

Numba passes a NamedTuple of arrays from kernel to kernel as eight numbers per array, and a `prange` passes each array
separately. For a kernel that calls many others with many tables, that takes half of its compile time. `Held` is the
type of a table in the memory of a caller; its attributes are those of the table. A table does not change while it is
held.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import PrimitiveModel
from numba.core.imputils import impl_ret_borrowed, lower_builtin, lower_getattr_generic
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global
from numba.extending import register_model


class Held(types.Type):
    """The address of a NamedTuple.

    Attributes:
        table: numba's type of the NamedTuple; fields, types: names and types of its fields.
    """

    def __init__(self, table: types.BaseNamedTuple) -> None:
        self.table, self.fields, self.types = table, table.fields, table.types
        super().__init__(f"Held({table.name})")


@register_model(Held)
class _Model(PrimitiveModel):
    def __init__(self, manager: Any, kind: Held) -> None:
        super().__init__(manager, kind, manager.lookup(kind.table).get_value_type().as_pointer())


@infer_getattr
class _Attributes(AttributeTemplate):
    key = Held

    def generic_resolve(self, kind: Held, name: str) -> Any:
        """The type of an attribute; None if there is none."""
        return kind.types[kind.fields.index(name)] if name in kind.fields else None


@lower_getattr_generic(Held)
def _attribute(context: Any, builder: Any, kind: Held, value: Any, name: str) -> Any:
    place = kind.fields.index(name)
    return impl_ret_borrowed(context, builder, kind.types[place], field_value(builder, kind, value, place))


def field_value(builder: Any, kind: Any, value: Any, place: int) -> Any:
    """A field of a NamedTuple or of a held one."""
    if not isinstance(kind, Held):
        return builder.extract_value(value, place)
    found = builder.load(cgutils.gep_inbounds(builder, value, 0, place))
    # LLVM may load it once before a loop that writes to arrays.
    found.set_metadata("invariant.load", builder.module.add_metadata([]))
    return found


def hold(builder: Any, values: list[Any]) -> Any:
    """The address of a structure in the caller's memory that holds these values."""
    box = cgutils.alloca_once(builder, ir.LiteralStructType([value.type for value in values]))
    for nth, value in enumerate(values):
        builder.store(value, cgutils.gep_inbounds(builder, box, 0, nth))
    return box


def held(table: Any) -> Any:
    """Within a kernel: take a NamedTuple's address, so that it is passed on as `side_by_side` passes its tables."""
    return table


@infer_global(held)
class _HeldTemplate(AbstractTemplate):
    def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """The signature for a NamedTuple."""
        return signature(Held(*args), *args)


@lower_builtin(held, types.BaseNamedTuple)
def _held(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
    return cgutils.alloca_once_value(builder, args[0])
