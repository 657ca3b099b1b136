"""Prefetch of array rows that are accessed through a list of indices, which the processor cannot predict."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, register_jitable

from .kernels import PLAIN

# Rows are prefetched this many list entries ahead.
ROWS_AHEAD = 16

_BYTES, _NUMBER = ir.IntType(8).as_pointer(), ir.IntType(32)


def _fetch_type(typing_context: Any, array: Any, row: Any) -> Any:
    """Prefetch the beginning of array[row], which must exist; changes nothing. Plain mode leaves it out."""
    if not isinstance(array, types.Array):
        return None
    return types.void(array, types.int64), _fetch


def _fetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    view = context.make_array(signature.args[0])(context, builder, value=arguments[0])
    stride = builder.extract_value(view.strides, 0)
    write_fetch(builder, builder.gep(builder.bitcast(view.data, _BYTES), [builder.mul(arguments[1], stride)]))
    return context.get_dummy_value()


def _fetch_nothing(array: Any, row: Any) -> None:
    """The plain twin of `fetch`."""


fetch = register_jitable(_fetch_nothing) if PLAIN else intrinsic(_fetch_type)


def write_fetch(builder: ir.IRBuilder, address: Any) -> None:
    """Write a prefetch of an address into a function that is being compiled; the address may be invalid."""
    function = ir.FunctionType(ir.VoidType(), [_BYTES, _NUMBER, _NUMBER, _NUMBER])
    prefetch = cgutils.get_or_insert_function(builder.module, function, "llvm.prefetch.p0i8")
    reading, keep_near, data = (ir.Constant(_NUMBER, value) for value in (0, 3, 1))
    builder.call(prefetch, [builder.bitcast(address, _BYTES), reading, keep_near, data])
